// A filter on a digit: you drag the window over the digit, its pixels are a row
// of a matrix, and the sum of its products is one element of the feature map.
"use strict";

live.figure("filter", async (stage) => {
    const { element, calm } = live;
    const [side, size, cell] = [8, 3, 20];
    const shapes = {
        "Vertical edges": [-1, 0, 1, -1, 0, 1, -1, 0, 1],
        "Horizontal edges": [-1, -1, -1, 0, 0, 0, 1, 1, 1],
        Blur: [1, 1, 1, 1, 1, 1, 1, 1, 1],
        "One pixel": [0, 0, 0, 0, 1, 0, 0, 0, 0],
    };
    let pixels = [];
    let filter = [...shapes["Vertical edges"]];
    let [digit, place, pen, answer] = [0, 0, [3, 3], null];
    const visited = new Set();

    const button = (words, click) => element("button", { type: "button", click }, words);
    stage.add("div", { class: "row" }, ...Object.entries(shapes).map(([name, numbers]) =>
        button(name, () => { filter = [...numbers]; changed(name); })));
    const picture = stage.add("div", { class: "picture" });
    const [rowsAt, mapAt, top] = [178, 252, 24];
    picture.innerHTML = `<svg class="small slim" viewBox="0 0 380 190">
        <text x="0" y="14">the digit</text><text x="${rowsAt + 27}" y="14" text-anchor="middle">rows</text><text x="${mapAt}" y="14">the map</text>
        <g class="digit" role="application" tabindex="0"></g><g class="matrix"></g><g class="map"></g></svg>`;
    const [drawing, matrix, map] = ["digit", "matrix", "map"].map((name) => picture.querySelector(`.${name}`));
    const sum = stage.add("div", { class: "window-sum" });
    const draws = element("input", { type: "checkbox", change: () => label() });
    stage.add("div", { class: "row" }, element("label", {}, draws, " draw instead"),
        button("Wipe", () => { pixels = pixels.map(() => 0); changed("The drawing is empty"); }),
        button("Next digit", () => show(digit + 1)),
        button("Empty the map", () => { visited.clear(); visited.add(place); paint(); stage.say("The map is empty, except for this window."); }),
        button("Slide over all", () => slide()));

    const square = (x, y, width, height, more) => `<rect x="${x}" y="${y}" width="${width}" height="${height}" ${more}/>`;
    const [down, across] = [() => Math.floor(place / answer.positions), () => place % answer.positions];

    function paint() {
        const { positions, rows, products } = answer;
        const box = square(0, top, side * cell, side * cell, 'fill="transparent" stroke="currentColor" stroke-opacity="0.4"');
        const ink = pixels.map((dark, at) => (dark ? square((at % side) * cell, top + Math.floor(at / side) * cell, cell, cell, `fill="currentColor" fill-opacity="${dark}"`) : ""));
        const frame = square(across() * cell, top + down() * cell, size * cell, size * cell, 'fill="none" stroke="var(--fig-grad)" stroke-width="3"');
        const tip = draws.checked && document.activeElement === drawing ? square(pen[0] * cell + 1, top + pen[1] * cell + 1, cell - 2, cell - 2, 'fill="none" stroke="var(--fig-value)" stroke-width="2"') : "";
        drawing.innerHTML = box + ink.join("") + frame + tip;
        const high = side * cell / (positions * positions);
        matrix.innerHTML = square(rowsAt, top, 54, side * cell, 'fill="transparent" stroke="currentColor" stroke-opacity="0.4"') +
            rows.map((dark, at) => (dark ? square(rowsAt + (at % 9) * 6, (top + Math.floor(at / 9) * high).toFixed(2), 6, high.toFixed(2), `fill="currentColor" fill-opacity="${dark}"`) : "")).join("") +
            square(rowsAt - 2, (top + place * high - 1).toFixed(2), 58, (high + 2).toFixed(2), 'fill="none" stroke="var(--fig-grad)" stroke-width="2"');
        const most = Math.max(1e-9, ...answer.map.map(Math.abs));
        map.innerHTML = square(mapAt, top, positions * cell, positions * cell, 'fill="transparent" stroke="currentColor" stroke-opacity="0.4"') +
            answer.map.map((value, at) => (visited.has(at) ? square(mapAt + (at % positions) * cell, top + Math.floor(at / positions) * cell, cell, cell,
                `fill="var(--fig-${value < 0 ? "cpu" : "value"})" fill-opacity="${(Math.abs(value) / most).toFixed(3)}"`) : "")).join("") +
            square(mapAt + across() * cell, top + down() * cell, cell, cell, 'fill="none" stroke="var(--fig-grad)" stroke-width="3"') +
            `<text x="${mapAt}" y="${top + positions * cell + 17}" font-size="13" fill="var(--fig-value)">above 0</text><text x="${mapAt + positions * cell}" y="${top + positions * cell + 17}" text-anchor="end" font-size="13" fill="var(--fig-cpu)">below 0</text>`;
        const of = (values) => values.slice(place * 9, place * 9 + 9);
        const text = (value) => String(Number(value.toFixed(2))).replace("-", "−");
        const grid = (name, cells) => element("div", {}, element("small", {}, name), element("div", { class: "nine", role: "group", "aria-label": name }, ...cells));
        const pressed = [...sum.querySelectorAll("button")].indexOf(document.activeElement);
        sum.replaceChildren(grid("window", of(rows).map((it) => element("span", {}, text(it)))), element("b", {}, "·"),
            grid("filter", filter.map((it, at) => element("button", { type: "button", "aria-label": `${text(it)}: row ${Math.floor(at / 3) + 1}, column ${at % 3 + 1} of the filter`, click: () => turn(at) }, text(it)))), element("b", {}, "="),
            grid("products", of(products).map((it) => element("span", {}, text(it)))), element("b", {}, `→ ${text(answer.map[place])}`));
        if (pressed >= 0) sum.querySelectorAll("button")[pressed].focus();
    }
    function turn(at) {
        filter[at] = { "-1": 0, 0: 1, 1: -1 }[filter[at]];
        changed(`The filter is ${filter.join(", ")}`);
    }
    function label() {
        drawing.setAttribute("aria-label", draws.checked ? "Drawing of 8 by 8 pixels: arrows move, space draws, backspace wipes"
            : "The digit with a window of 3 by 3: arrows move the window");
        paint();
    }

    async function changed(what) {
        const found = await stage.ask("filter", pixels.join(","), filter.join(","));
        stage.refuse(found.refusal);
        if (found.refusal) return;
        answer = found;
        paint();
        tell(what);
    }
    function tell(what) {
        stage.say(`${what}. The window in row ${down() + 1}, column ${across() + 1} is row ${place + 1} of the matrix, and its sum of products is ${Number(answer.map[place].toFixed(2))}.`);
    }
    async function show(number) {
        const found = await stage.ask("filter digit", String(number % 100));
        digit = number;
        pixels = found.pixels;
        await changed(`This digit is a ${found.label}`);
    }
    function go(column, row) {
        const last = answer.positions - 1;
        const [x, y] = [column, row].map((it) => Math.min(last, Math.max(0, it)));
        place = y * answer.positions + x;
        visited.add(place);
        paint();
        tell("Moved");
    }
    async function slide() {
        visited.clear();
        for (let at = 0; at < answer.map.length; at += 1) {
            place = at;
            visited.add(at);
            if (calm.matches) continue;
            paint();
            await new Promise((next) => setTimeout(next, 40));
        }
        paint();
        tell("The map is full");
    }

    // A drag in the digit, in the rows or in the map moves the window.
    const svg = picture.querySelector("svg");
    function point(event) {
        const box = svg.getBoundingClientRect();
        const [x, y] = [(event.clientX - box.left) / box.width * 380, (event.clientY - box.top) / box.height * 190 - top];
        const held = event.currentTarget;
        if (held === drawing && draws.checked) {
            for (let at = 0; at < pixels.length; at += 1) {
                const far = Math.hypot(at % side + 0.5 - x / cell, Math.floor(at / side) + 0.5 - y / cell);
                pixels[at] = Math.round(16 * Math.max(pixels[at], Math.min(1, 1.15 - far))) / 16;
            }
            changed("Drawn");
        } else if (held === drawing) go(Math.round(x / cell - size / 2), Math.round(y / cell - size / 2));
        else if (held === map) go(Math.floor((x - mapAt) / cell), Math.floor(y / cell));
        else {
            const last = answer.map.length - 1;
            const row = Math.min(last, Math.max(0, Math.floor(y / (side * cell) * answer.map.length)));
            go(row % answer.positions, Math.floor(row / answer.positions));
        }
    }
    for (const part of [drawing, matrix, map]) {
        part.style.touchAction = "none";
        part.addEventListener("pointerdown", (event) => { part.setPointerCapture(event.pointerId); point(event); });
        part.addEventListener("pointermove", (event) => event.buttons && point(event));
    }
    drawing.addEventListener("keydown", (event) => {
        const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0];
        if (!draws.checked) {
            if (!dx && !dy) return;
            event.preventDefault();
            go(across() + dx, down() + dy);
            return;
        }
        pen = [pen[0] + dx, pen[1] + dy].map((it) => Math.min(side - 1, Math.max(0, it)));
        if (event.key === " ") pixels[pen[1] * side + pen[0]] = 1;
        else if (event.key === "Backspace") pixels[pen[1] * side + pen[0]] = 0;
        else if (!dx && !dy) return;
        event.preventDefault();
        changed(`The pen is in row ${pen[1] + 1}, column ${pen[0] + 1}`);
    });
    drawing.addEventListener("focus", paint);
    drawing.addEventListener("blur", paint);

    const first = await stage.ask("filter digit", "0");
    pixels = first.pixels;
    answer = await stage.ask("filter", pixels.join(","), filter.join(","));
    answer.map.forEach((_, at) => visited.add(at));
    // The figure begins with the window that has the largest response.
    place = answer.map.indexOf(Math.max(...answer.map));
    label();
    tell(`This digit is a ${first.label}`);
});
