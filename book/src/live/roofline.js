// The roofline: a slider sets the rows of a matmul, and its dot moves along the
// roof. The chapter's model says how the time is spent.
"use strict";

live.figure("roofline", async (stage) => {
    const { element } = live;
    // Four positions for each doubling.
    const slide = element("input", { type: "range", min: 0, max: 48, step: 1, value: 8, input: () => show() });
    const told = element("output", { class: "code" });
    const side = element("select", { change: () => show() }, ...[64, 256, 1024, 4096].map((n) => element("option", { value: n }, `${n} × ${n}`)));
    side.value = "4096";
    stage.add("div", { class: "row" }, element("label", { class: "grow" }, "Rows ", slide), told, element("label", {}, "Matrix ", side));
    const picture = stage.add("div", { class: "picture" });
    const bars = stage.add("div", { class: "bars" });
    stage.unseen();

    const [left, right, top, bottom] = [44, 372, 22, 226];
    const [across, up] = [[0.1, 2000], [1e9, 300e12]];
    const part = (value, [from, to]) => Math.log(value / from) / Math.log(to / from);
    const x = (intensity) => left + (right - left) * part(intensity, across);
    const y = (rate) => bottom - (bottom - top) * part(rate, up);
    const micro = (seconds) => (seconds < 1e-3 ? `${(1e6 * seconds).toPrecision(3)} µs` : `${(1e3 * seconds).toPrecision(3)} ms`);

    async function show() {
        const rows = Math.round(2 ** (slide.value / 4));
        const answer = await stage.ask("roofline", side.value, String(rows));
        stage.refuse(answer.refusal);
        if (answer.refusal) return;
        const { intensity, rate, parts, seconds, regime, roof, walk } = answer;
        const n = Number(side.value);
        told.textContent = `${rows}`;
        slide.setAttribute("aria-valuetext", `${rows} rows`);
        const grid = [[1e9, "0.001"], [1e11, "0.1"], [1e13, "10"], [1e14, "100"]].map(([at, word]) =>
            `<path d="M${left} ${y(at).toFixed(1)}H${right}" stroke="currentColor" stroke-opacity="0.2"/><text x="${left - 5}" y="${(y(at) + 4).toFixed(1)}" text-anchor="end">${word}</text>`).join("") +
            [0.1, 1, 10, 100, 1000].map((at) => `<path d="M${x(at).toFixed(1)} ${top}V${bottom}" stroke="currentColor" stroke-opacity="0.2"/><text x="${x(at).toFixed(1)}" y="${bottom + 16}" text-anchor="middle">${at}</text>`).join("");
        const ridge = roof.flop / roof.bytes;
        const path = walk.map((it) => `${x(it.intensity).toFixed(1)},${y(it.rate).toFixed(1)}`);
        const ends = [walk[0], walk.at(-1)].map((it, i) => `<text class="halo" x="${x(it.intensity) + (i ? -4 : 7)}" y="${y(it.rate) + 17}" ${i ? 'text-anchor="end"' : ""} font-size="13">${it.rows} row${i ? "s" : ""}</text>`).join("");
        picture.innerHTML = `<svg class="small slim" viewBox="0 0 380 266" role="img" aria-label="${rows} rows: ${intensity.toPrecision(3)} operations per byte, ${(rate / 1e12).toPrecision(3)} TFLOP/s, ${regime}">
            <text x="${left}" y="12" font-weight="600">TFLOP/s</text><g class="code" font-size="12">${grid}</g>
            <path d="M${x(across[0])} ${y(across[0] * roof.bytes).toFixed(1)}L${x(ridge).toFixed(1)} ${y(roof.flop).toFixed(1)}H${right}" fill="none" stroke="var(--fig-value)" stroke-width="2.5"/>
            <text class="halo" x="${x(0.13)}" y="${y(4e12).toFixed(1)}" fill="var(--fig-value)">memory</text><text x="${right}" y="${(y(roof.flop) - 8).toFixed(1)}" text-anchor="end" fill="var(--fig-value)">arithmetic</text>
            <polyline points="${path.join(" ")}" fill="none" stroke="var(--fig-gpu)" stroke-opacity="0.6"/>
            ${path.map((at) => `<circle cx="${at.split(",")[0]}" cy="${at.split(",")[1]}" r="2.5" fill="var(--fig-gpu)"/>`).join("")}${ends}
            <circle cx="${x(intensity).toFixed(1)}" cy="${y(rate).toFixed(1)}" r="7" fill="var(--fig-grad)"/>
            <text x="${right}" y="${bottom + 36}" text-anchor="end" font-weight="600">operations (FLOP) per byte</text></svg>`;
        const names = ["launch", "memory", "arithmetic"];
        const most = parts.indexOf(Math.max(...parts));
        bars.replaceChildren(...parts.map((it, i) => element("div", { class: i === most ? "bar wins" : "bar" },
            element("span", {}, `${names[i].padEnd(11)}${micro(it).padStart(8)}${`${(100 * it / seconds).toFixed(0)} %`.padStart(6)}`),
            element("i", { style: `--share: ${it / seconds}` }))));
        const rest = element("p", {}, `${rows} × ${n} by ${n} × ${n}: `, element("strong", {}, regime),
            `, ${micro(seconds)} predicted, ${micro(seconds / rows)} for each row, ${(rate / 1e12).toPrecision(3)} TFLOP/s.`);
        bars.append(rest);
        stage.say(`${rows} rows: ${regime}. ${names.map((name, i) => `${name} ${(100 * parts[i] / seconds).toFixed(0)} %`).join(", ")} of ${micro(seconds)}.`);
    }
    await show();
});
