// A stack of layers for the digits: the values and gradients of each layer
// before the first step, and the loss of 90 steps.
"use strict";

live.figure("layers", async (stage) => {
    const { element, calm } = live;
    const deviations = ["0.01", "0.02", "0.05", "0.09", "0.125", "0.177", "0.25", "0.35", "0.5"];
    const total = 90;

    const slider = (words, settings) => {
        const slide = element("input", { type: "range", step: 1, input: () => begin(), ...settings });
        const told = element("output", { class: "code" });
        stage.add("div", { class: "row" }, element("label", { class: "grow wide" }, `${words} `, slide), told);
        return { slide, told };
    };
    const deviation = slider("Size of the first weights", { min: 0, max: deviations.length - 1, value: 2 });
    const depth = slider("Layers", { min: 2, max: 30, value: 10 });
    const box = (words) => {
        const input = element("input", { type: "checkbox", change: () => begin() });
        return { input, label: element("label", {}, input, ` ${words}`) };
    };
    const [norm, residual] = [box("layer norm"), box("residual connection")];
    stage.add("div", { class: "row" }, norm.label, residual.label);
    const picture = stage.add("div", { class: "picture" });

    let look;
    let losses = [];
    const [wide, high, top] = [192, 190, 44];
    function panel(left, title, key) {
        const { layers, exponents: [first, last] } = look;
        const bin = wide / (last - first + 1);
        const row = high / layers.length;
        const x = (exponent) => left + (exponent - first) * bin;
        // The first number of a histogram is the fraction of zeros.
        const cells = layers.flatMap((layer, i) => layer[key].slice(1).map((part, at) => (part === 0 ? "" :
            `<rect x="${(left + at * bin).toFixed(1)}" y="${(top + i * row).toFixed(1)}" width="${bin.toFixed(1)}" height="${(row * 0.86).toFixed(1)}" fill-opacity="${(0.15 + 0.85 * Math.sqrt(part)).toFixed(2)}"/>`)));
        const ticks = [-10, 0, 10].map((it) => `<path d="M${x(it).toFixed(1)} ${top}V${top + high + 5}" stroke="currentColor" stroke-opacity="0.3"/>
            <text class="code" x="${x(it).toFixed(1)}" y="${top + high + 19}" font-size="12">${it === 0 ? "1" : `1e${it}`}</text>`);
        return `<text x="${left + wide / 2}" y="18" font-weight="600">${title}</text>${ticks.join("")}
            <g fill="var(--fig-${key === "values" ? "value" : "grad"})">${cells.join("")}</g>
            <rect x="${left}" y="${top}" width="${wide}" height="${high}" fill="none" stroke="currentColor" stroke-opacity="0.5"/>`;
    }
    const [x, y] = [(step) => (58 + 392 * step / total).toFixed(1), (loss) => (398 - 96 * Math.min(3, loss) / 3).toFixed(1)];
    function draw() {
        const count = look.layers.length;
        const guess = Math.log(10);
        picture.innerHTML = `<svg class="small" viewBox="0 0 460 440" role="img" text-anchor="middle" aria-label="The sizes of the values and gradients of ${count} layers, and the loss of ${total} steps">
            ${panel(58, "values", "values")}${panel(258, "gradients", "grads")}
            <g text-anchor="end" font-size="13"><text x="56" y="${top + 12}">layer 1</text><text x="56" y="${top + high - 2}">layer ${count}</text></g>
            <path d="M58 296V398H450" fill="none" stroke="currentColor"/><path d="M58 ${y(guess)}H450" stroke="currentColor" stroke-dasharray="3 4"/>
            <g font-size="13"><text x="448" y="${Number(y(guess)) - 6}" text-anchor="end">a guess: 2.303</text><text x="52" y="402" text-anchor="end">0</text><text x="52" y="306" text-anchor="end">3</text>
            <text x="254" y="434" font-size="15">step</text>${[0, 30, 60, 90].map((it) => `<text class="code" x="${x(it)}" y="414" font-size="12">${it}</text>`).join("")}
            <text x="20" y="354" transform="rotate(-90 20 354)" font-size="15">loss</text></g>
            <polyline fill="none" stroke="var(--fig-value)" stroke-width="2"/></svg>`;
    }

    function plot() {
        // Only the last loss can be infinite or NaN.
        const points = losses.filter(Number.isFinite).map((loss, step) => `${x(step + 1)},${y(loss)}`);
        picture.querySelector("polyline").setAttribute("points", points.join(" "));
    }

    const short = (number) => {
        const it = Number(number);
        if (!Number.isFinite(it)) return "not finite in f32";
        return it >= 0.01 && it < 1000 ? Number(it.toPrecision(2)).toString() : it.toExponential(0).replace("-", "\u2060-\u2060");
    };
    function tell() {
        const [first, last] = [look.layers[0], look.layers.at(-1)];
        const recent = losses.slice(-10);
        const mean = recent.reduce((sum, loss) => sum + loss, 0) / recent.length;
        const failed = losses.findIndex((loss) => !Number.isFinite(loss));
        const trained = failed >= 0 ? ` In step ${failed + 1} the loss is ${losses[failed]}.` : losses.length < total ? ""
            : ` After ${total} steps the loss is ${mean.toFixed(2)}: ${mean > 2.2 ? "the network has learned nothing" : mean > 1 ? "the network learns slowly" : "the network learns"}.`;
        const count = look.layers.length;
        stage.say(`The standard deviation of the values is ${short(first.spread)} in layer 1 and ${short(last.spread)} in layer ${count}. ` +
            `The norm of the gradient is ${short(last.comes_back)} in layer ${count} and ${short(first.comes_back)} in layer 1.${trained}`);
    }

    let turn = 0;
    let shown = false;
    async function begin() {
        const mine = turn += 1;
        const around = [norm.input.checked && "norm", residual.input.checked && "residual"].filter(Boolean).join(" ") || "nothing";
        const size = deviations[deviation.slide.value];
        deviation.told.textContent = size === "0.177" ? "0.177, Kaiming" : size;
        deviation.slide.setAttribute("aria-valuetext", deviation.told.textContent);
        depth.told.textContent = depth.slide.value;
        const answer = await stage.ask("layers begin", size, depth.slide.value, around);
        stage.refuse(answer.refusal);
        if (answer.refusal || mine !== turn) return;
        [look, losses] = [answer, []];
        draw();
        tell();
        if (shown) await train(mine);
    }
    // Training pauses while a control is dragged.
    async function train(mine) {
        await new Promise((next) => setTimeout(next, 300));
        while (mine === turn && losses.length < total && losses.every(Number.isFinite)) {
            const more = await stage.ask("layers steps", "5");
            if (mine !== turn || more.refusal) return;
            losses.push(...more.map(Number));
            if (!calm.matches || losses.length >= total) plot();
            await new Promise((next) => requestAnimationFrame(next));
        }
        if (mine !== turn) return;
        plot();
        tell();
    }
    await begin();
    stage.started = () => {
        shown = true;
        train(turn);
    };
});
