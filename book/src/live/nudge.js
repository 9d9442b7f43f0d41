// The nudge: the error of every size in f32 and in f64, and for the size that
// the slider chooses, the two values that are subtracted.
"use strict";

live.figure("nudge", async (stage) => {
    const { element } = live;
    const functions = { cube: "x³", quotient: "1 / x", exp: "exp x", log: "log x", tanh: "tanh x" };
    const kinds = { f32: "var(--fig-grad)", f64: "var(--fig-value)" };
    // 1, 2 and 5 of each power of ten, from short to long.
    const nudges = [];
    for (let power = 9; power >= 1; power -= 1) {
        for (const digit of [1, 2, 5]) nudges.push(`${digit}e-${power}`);
    }

    const choice = element("select", { change: () => another() },
        ...Object.entries(functions).map(([value, name]) => element("option", { value }, name)));
    const slide = element("input", {
        type: "range", min: 0, max: nudges.length - 1, step: 1, value: nudges.indexOf("1e-2"),
        "aria-label": "size of the nudge", input: () => nudge(),
    });
    const length = element("output", { class: "code" });
    stage.add("div", { class: "row" }, element("label", {}, "Function ", choice),
        element("label", { class: "grow" }, "Nudge ", slide), length);
    const picture = stage.add("div", { class: "picture" });
    const table = stage.add("table", { class: "numbers" },
        element("thead", {}, element("tr", {}, ...["at x = 2", "f32", "f64"]
            .map((word) => element("th", { scope: "col" }, word)))));
    const rows = table.appendChild(element("tbody"));
    let seen = [];

    // Where an exponent of ten stands in the picture: the nudge to the right,
    // the error upward.
    const x = (nudge) => 464 + 42 * Math.log10(nudge);
    const y = (error) => 42 - 22 * Math.min(1, Math.max(-13, Math.log10(error)));

    function draw(now) {
        const axes = [-12, -9, -6, -3, 0].map((e) =>
            `<path d="M72 ${y(10 ** e)}H464" stroke="currentColor" stroke-opacity="0.25"/>` +
            `<text x="66" y="${y(10 ** e) + 5}" text-anchor="end">1e${e}</text>`).join("") +
            [-9, -7, -5, -3, -1].map((e) => `<text x="${x(10 ** e)}" y="350">1e${e}</text>`).join("");
        const curves = Object.entries(kinds).map(([kind, color]) => {
            const points = seen.map((answer, place) => [x(nudges[place]), y(Number(answer[kind].worst))].map((it) => it.toFixed(1)));
            // If both are at the same point, the ring is visible around the dot.
            const [ring, size, large] = kind === "f32" ? [`fill="none" stroke="${color}" stroke-width="1.8"`, 4, 8] : [`fill="${color}"`, 2.2, 5];
            const dots = points.map(([a, b], place) => `<circle cx="${a}" cy="${b}" r="${place === now ? large : size}" ${ring}/>`);
            return `<g><path class="${kind}" d="M${points.join("L")}" fill="none" stroke="${color}" stroke-width="1.5"/>${dots.join("")}</g>`;
        });
        const words = Object.entries(kinds).map(([kind, color], i) =>
            `<text x="${380 + 50 * i}" y="24" fill="${color}" font-weight="600">${kind}</text>`).join("");
        picture.innerHTML = `<svg class="small" viewBox="0 0 472 380" role="img" text-anchor="middle"
            aria-label="The largest relative error at 64 points against the size of the nudge, in f32 and in f64">
            <path d="M72 20V328H464" fill="none" stroke="currentColor" stroke-width="1.5"/><g class="code">${axes}</g>
            ${words}${curves.join("")}<text x="268" y="374">size of the nudge</text>
            <text x="12" y="174" transform="rotate(-90 12 174)">largest relative error</text></svg>`;
    }

    // No line ends within a number.
    const short = (error) => Number(error).toExponential(0).replace("-", "\u2060-\u2060");

    function nudge() {
        const place = Number(slide.value);
        const { f32, f64, right } = seen[place];
        length.textContent = nudges[place];
        slide.setAttribute("aria-valuetext", nudges[place]);
        const line = (name, key) => element("tr", {}, ...[name, f32[key], f64[key]].map((word) => element("td", {}, String(word))));
        rows.replaceChildren(line("f(2 + nudge)", "above"), line("f(2 − nudge)", "below"), line("slope", "slope"));
        rows.append(element("tr", {}, ...["its relative error", f32.error, f64.error]
            .map((word) => element("td", {}, typeof word === "number" ? word.toExponential(1) : word))));
        draw(place);
        stage.say(`Nudge ${nudges[place]}: the slope at 2 is ${f32.slope} in f32 and ${f64.slope} in f64; ` +
            `right is ${right}. The largest relative error at 64 points from 1 to 2 is ` +
            `${short(f32.worst)} in f32 and ${short(f64.worst)} in f64.`);
    }

    async function another() {
        const answers = [];
        for (const size of nudges) answers.push(await stage.ask(`nudge ${choice.value}`, size));
        seen = answers;
        nudge();
    }
    stage.unseen();
    await another();
});
