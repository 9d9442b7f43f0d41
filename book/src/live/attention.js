// The attention weights of one head of the trained network of "Names", for a
// typed name, with a slider for the divisor of the scores.
"use strict";

live.figure("attention", async (stage) => {
    const { element } = live;
    await live.load("weights");
    const { longest, heads } = await stage.ask("names weights", window.rungradWeights);
    const root = Math.sqrt(8);
    const divisors = [8, 5.66, 4, root, 2, 1.41, 1, 0.71, 0.5, 0.35, 0.25, 0.18, 0.12];
    let row = 5;

    const typed = element("input", {
        type: "text", value: "socrates", size: 14, maxlength: longest, spellcheck: "false",
        autocapitalize: "off", autocomplete: "off", input: () => read(),
    });
    const head = element("select", { change: () => read() }, ...Array.from({ length: heads }, (_, i) =>
        element("option", { value: i }, `block ${1 + Math.floor(i / 4)}, head ${1 + i % 4}`)));
    const slide = element("input", {
        type: "range", min: 0, max: divisors.length - 1, step: 1, value: 3, input: () => read(),
    });
    const divided = element("output", { class: "code" });
    const reader = element("input", { type: "range", min: 0, step: 1, input: () => { row = Number(reader.value); show(); } });
    const reads = element("output", { class: "code" });
    stage.add("div", { class: "row" }, element("label", {}, "Name ", typed), element("label", {}, "Head ", head));
    stage.add("div", { class: "row" }, element("label", { class: "grow wide" }, "Divide scores by ", slide), divided);
    stage.add("div", { class: "row" }, element("label", { class: "grow" }, "Letter that reads ", reader), reads);
    const picture = element("div", { class: "picture" });
    const bars = element("div", { class: "bars", role: "img" });
    stage.add("div", { class: "pair" }, picture, bars);

    let answer;
    let letters;
    async function read() {
        const divisor = divisors[slide.value];
        const found = await stage.ask("names attention", typed.value.toLowerCase(), head.value, String(divisor));
        stage.refuse(found.refusal);
        typed.setAttribute("aria-invalid", Boolean(found.refusal));
        for (const it of [picture, bars]) it.classList.toggle("old", Boolean(found.refusal));
        if (found.refusal) return;
        answer = found;
        letters = [..."·", ...typed.value.toLowerCase()];
        row = Math.min(row, letters.length - 1);
        reader.max = letters.length - 1;
        reader.value = row;
        divided.textContent = divisor === root ? "√8, as trained" : divisor.toFixed(2);
        slide.setAttribute("aria-valuetext", divided.textContent);
        show();
    }

    const called = (i) => (i === 0 ? "the start" : `letter ${i}, ${letters[i]}`);
    function show() {
        const n = letters.length;
        const weight = (i, j) => Number(answer.weights[i * n + j]);
        const side = 300 / n;
        const [left, top] = [34, 44];
        const middle = (i) => i * side + side / 2;
        const cells = letters.flatMap((_, i) => letters.slice(0, i + 1).map((_, j) =>
            `<rect x="${(left + j * side).toFixed(1)}" y="${(top + i * side).toFixed(1)}" width="${side.toFixed(1)}" height="${side.toFixed(1)}" fill-opacity="${weight(i, j).toFixed(3)}"/>`));
        const names = letters.map((letter, i) => `<text x="${(left + middle(i)).toFixed(1)}" y="${top - 8}">${letter}</text>
            <text x="${left - 14}" y="${(top + middle(i) + 5).toFixed(1)}"${i === row ? ' font-weight="700" fill="var(--fig-grad)"' : ""}>${letter}</text>`);
        const edge = letters.map((_, i) => `H${(left + (i + 1) * side).toFixed(1)}V${(top + (i + 1) * side).toFixed(1)}`).join("");
        const masked = n < 4 ? "" : `<text x="${left + 205}" y="${top + 84}" fill="var(--muted)">masked</text>`;
        picture.innerHTML = `<svg class="slim" viewBox="0 0 340 350" role="img" text-anchor="middle" font-size="15" aria-label="The attention weights of ${head.selectedOptions[0].text} for ${typed.value}">
            <text x="${left + 150}" y="16" font-size="14">letter that is read</text><g class="code">${names.join("")}</g>
            <g fill="var(--fig-value)">${cells.join("")}</g><path d="M${left} ${top}${edge}H${left}Z" fill="none" stroke="currentColor" stroke-opacity="0.5"/>${masked}
            <rect x="${left}" y="${(top + row * side).toFixed(1)}" width="${((row + 1) * side).toFixed(1)}" height="${side.toFixed(1)}" fill="none" stroke="var(--fig-grad)" stroke-width="2.5"/></svg>`;
        const seen = letters.slice(0, row + 1).map((_, j) => weight(row, j));
        const most = seen.indexOf(Math.max(...seen));
        const columns = (...words) => words.map((word, i) => word.padStart([6, 8, 8][i])).join("");
        bars.replaceChildren(element("div", { class: "bar-head" }, element("span", {}, columns("letter", "score", "weight"))),
            ...seen.map((it, j) => element("div", { class: j === most ? "bar wins" : "bar" },
                element("span", {}, columns(letters[j], (answer.scores[row * n + j] / divisors[slide.value]).toFixed(1), it.toFixed(3))),
                element("i", { style: `--share: ${it}` }))));
        bars.setAttribute("aria-label", `the weights with which ${called(row)} reads`);
        reads.textContent = letters[row];
        reader.setAttribute("aria-valuetext", called(row));
        const p = seen[most];
        stage.say(`${called(row)}, reads most from ${called(most)}: the weight p is ${p.toFixed(3)}, and its derivative p(1 − p) is ${(p * (1 - p)).toFixed(3)}.`
            .replace(/^./, (first) => first.toUpperCase()));
    }

    picture.addEventListener("click", (event) => {
        const svg = picture.querySelector("svg");
        const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
        const place = Math.floor((at.y - 44) / (300 / letters.length));
        if (place < 0 || place >= letters.length) return;
        reader.value = row = place;
        show();
    });
    await read();
});
