// A matmul in tiles: a group steps along k, loads a tile of both matrices, and
// each loaded element serves a row or a column of its results.
"use strict";

live.figure("tiles", async (stage) => {
    const { element } = live;
    const [n, cell] = [8, 20];
    const size = element("select", { change: () => begin() }, ...[2, 4, 8].map((side) =>
        element("option", { value: String(side) }, `${side} x ${side}`)));
    size.value = "4";
    stage.add("div", { class: "row" }, element("label", {}, "A tile of ", size));
    const slider = (words, max, value) => {
        const it = element("input", { type: "range", min: 0, max, step: 1, value, input: () => show() });
        const told = element("output", { class: "code" });
        stage.add("div", { class: "row" }, element("label", { class: "grow" }, `${words} `, it), told);
        return { it, told };
    };
    const steps = slider("Steps along k", 2, 1);
    const chosen = slider("Look at element", n * n - 1, n + 1);
    const picture = stage.add("div", { class: "picture" });
    const table = stage.add("table", { class: "numbers" });

    function begin() {
        const tile = Number(size.value);
        steps.it.max = n / tile;
        steps.it.value = 1;
        return show();
    }

    async function show() {
        const tile = Number(size.value);
        const place = [Math.floor(chosen.it.value / n), chosen.it.value % n];
        const [row, column] = place.map((it) => it % tile);
        const corner = place.map((it) => it - it % tile);
        const answer = await stage.ask("tiles", size.value, ...corner.map(String));
        stage.refuse(answer.refusal);
        if (answer.refusal) return;
        const made = Number(steps.it.value);
        const item = row * tile + column;
        steps.told.textContent = `${made} of ${n / tile}`;
        chosen.told.textContent = `[${place.join(", ")}]`;
        chosen.it.setAttribute("aria-valuetext", `row ${place[0]}, column ${place[1]}`);
        const k = made === 0 ? null : (made - 1) * tile;
        const [left, right] = [2, 2 + n * cell + 24];
        const square = (x, y, width, height, more) => `<rect x="${x}" y="${y}" width="${width * cell}" height="${height * cell}" ${more}/>`;
        const lines = (x, y) => `<path d="${Array.from({ length: n + 1 }, (_, i) => `M${x} ${y + i * cell}h${n * cell}M${x + i * cell} ${y}v${n * cell}`).join("")}" stroke="currentColor" stroke-opacity="0.3"/>`;
        const text = (x, y, word) => `<text class="code" x="${x + cell / 2}" y="${y + 14.5}">${word}</text>`;
        const [top, below] = [20, 20 + n * cell + 24];
        const both = [[left, below, answer.a], [right, top, answer.b]].map(([x, y, values]) => lines(x, y) +
            values.map((value, at) => text(x + (at % n) * cell, y + Math.floor(at / n) * cell, value)).join("")).join("");
        const color = (name) => `fill="var(--fig-${name})" fill-opacity="0.22"`;
        const loaded = k === null ? "" :
            square(left + k * cell, below + corner[0] * cell, tile, tile, `${color("value")} stroke="var(--fig-value)" stroke-width="2"`) +
            square(right + corner[1] * cell, top + k * cell, tile, tile, `${color("value")} stroke="var(--fig-value)" stroke-width="2"`) +
            square(left + k * cell, below + (corner[0] + row) * cell, tile, 1, 'fill="none" stroke="var(--fig-grad)" stroke-width="2.5"') +
            square(right + (corner[1] + column) * cell, top + k * cell, 1, tile, 'fill="none" stroke="var(--fig-grad)" stroke-width="2.5"');
        const sums = made === 0 ? Array(tile * tile).fill(0) : answer.steps[made - 1].sums;
        const result = lines(right, below) +
            square(right + corner[1] * cell, below + corner[0] * cell, tile, tile, `${color("gpu")} stroke="var(--fig-gpu)" stroke-width="2"`) +
            square(right + (corner[1] + column) * cell, below + (corner[0] + row) * cell, 1, 1, 'fill="none" stroke="var(--fig-grad)" stroke-width="2.5"') +
            sums.map((sum, at) => text(right + (corner[1] + at % tile) * cell, below + (corner[0] + Math.floor(at / tile)) * cell, sum)).join("");
        const total = (key, last) => answer.steps.slice(0, last).reduce((sum, step) => sum + step[key], 0);
        const [global, local] = [total("global", made), total("local", made)];
        const when = made === 0 ? "Before the first step" : `After step ${made} of ${n / tile}`;
        const often = made === 0 ? "" : ` Each loaded element is used ${local / global} times.`;
        const sentence = `${when}: ${global} elements loaded from global memory, ${local} from local memory. ` +
            `Counted from 0, the sum in row ${place[0]}, column ${place[1]} is ${sums[item]}.`;
        picture.innerHTML = `<svg class="small slim" viewBox="0 0 350 ${below + n * cell + 4}" role="img" text-anchor="middle" aria-label="${sentence}">
            <text x="${right + n * cell / 2}" y="14">b</text><text x="${left + n * cell / 2}" y="${below - 6}">a</text>
            <text x="${right + n * cell / 2}" y="${below - 6}">sums</text>${loaded}${both}${result}</svg>`;
        follow(picture.querySelector("svg"), right, below);
        const line = (name, ...words) => element("tr", {}, element("th", { scope: "row" }, name), ...words.map((word) => element("td", {}, String(word))));
        table.replaceChildren(element("thead", {}, element("tr", {}, ...["loads", "so far", "in total, per element of the result"]
            .map((word) => element("th", { scope: "col" }, word)))), element("tbody", {},
            line("from global memory", global, total("global", n / tile) / tile ** 2),
            line("from local memory", local, total("local", n / tile) / tile ** 2)));
        stage.say(`${sentence}${often}`);
    }

    // A click on the result chooses its element, and so the group.
    function follow(svg, x, y) {
        svg.addEventListener("click", (event) => {
            const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
            const place = [at.y - y, at.x - x].map((far) => Math.floor(far / cell));
            if (!place.every((it) => it >= 0 && it < n)) return;
            chosen.it.value = place[0] * n + place[1];
            show();
        });
    }
    stage.unseen();
    await begin();
});
