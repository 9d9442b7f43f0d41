// Loss scaling: a slider multiplies the gradients of a network, and f16 turns
// those that are too small into 0 and those that are too large into infinity.
"use strict";

live.figure("scaling", async (stage) => {
    const { element } = live;
    const slide = element("input", { type: "range", min: 0, max: 48, step: 1, value: 0, input: () => show() });
    const told = element("output", { class: "code" });
    stage.add("div", { class: "row" }, element("label", { class: "grow" }, "Scale ", slide), told);
    const picture = stage.add("div", { class: "picture" });
    const table = stage.add("table", { class: "numbers" });
    stage.unseen();

    // Powers of two from left to right.
    const [from, to, left, right] = [-52, 24, 8, 372];
    const x = (power) => left + (right - left) * (Math.min(to, Math.max(from, power)) - from) / (to - from);
    const [zero, infinite] = [-25, 16];
    const ink = { zero: "var(--fig-grad)", infinite: "var(--fig-cpu)", kept: "var(--fig-value)" };

    async function show() {
        const answer = await stage.ask("scaling", slide.value);
        stage.refuse(answer.refusal);
        if (answer.refusal) return;
        const { count, scale, formats, dots } = answer;
        told.textContent = `2^${slide.value} = ${scale.toLocaleString("en")}`;
        slide.setAttribute("aria-valuetext", `2 to the power ${slide.value}`);
        // On one line, neighboring dots would hide each other.
        const marks = dots.map(({ power, kind }, i) =>
            `<circle cx="${x(Number(power)).toFixed(1)}" cy="${(48 + (i * 37) % 89).toFixed(0)}" r="2.2" fill="${ink[kind]}"/>`);
        const [f16, bf16] = formats;
        const lost = f16.zero + f16.infinite;
        const zone = (a, b, color) => `<rect x="${x(a)}" y="40" width="${x(b) - x(a)}" height="104" fill="${color}" fill-opacity="0.14"/>`;
        const ticks = [-48, -32, -16, 0, 16].map((power) => `<text x="${x(power)}" y="161">2${sup(power)}</text>`).join("");
        picture.innerHTML = `<svg class="small slim" viewBox="0 0 380 184" role="img" aria-label="${f16.zero} of ${count} gradients become 0 in f16, and ${f16.infinite} become infinite">
            ${zone(from, zero, ink.zero)}${zone(infinite, to, ink.infinite)}
            <text x="${left}" y="14" fill="${ink.zero}">0 in f16</text><text x="${right}" y="14" text-anchor="end" fill="${ink.infinite}">infinite</text>
            <text x="${left}" y="32" font-size="13" fill="${ink.zero}">below 2${sup(zero)}</text><text x="${right}" y="32" text-anchor="end" font-size="13" fill="${ink.infinite}">above 65504</text>
            <path d="M${x(zero)} 40V144M${x(infinite)} 40V144" stroke="currentColor" stroke-dasharray="3 3"/>${marks.join("")}
            <path d="M${left} 144H${right}" stroke="currentColor"/><g text-anchor="middle" font-size="13">${ticks}</g>
            <text x="190" y="180" text-anchor="middle">size of a gradient, times the scale</text></svg>`;
        const row = (format) => element("tr", {}, element("th", { scope: "row" }, format.name),
            element("td", {}, String(format.zero)), element("td", {}, String(format.infinite)), element("td", {}, String(count - format.zero - format.infinite)));
        table.replaceChildren(element("thead", {}, element("tr", {}, ...["type", "become 0", "infinite", "kept"].map((word) => element("th", { scope: "col" }, word)))),
            element("tbody", {}, row(f16), row(bf16)));
        stage.say(`Scale 2 to the power ${slide.value}: f16 loses ${lost} of ${count} gradients, and bf16 loses ${bf16.zero + bf16.infinite}.`);
    }
    function sup(power) {
        return [...String(power)].map((it) => "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"["0123456789-".indexOf(it)]).join("");
    }
    await show();
});
