// The digits: a network is trained in the page, epoch by epoch, and then looks
// at what is drawn on the grid.
"use strict";

live.figure("digits", async (stage) => {
    const { element, calm } = live;
    const side = 8;
    const { rows, held_out, epochs } = await stage.ask("digits begin");
    const pixels = new Float32Array(side * side);
    let course = [];
    let slopes;

    const train = element("button", { type: "button", click: () => learn() }, "Train");
    const progress = element("progress", { max: epochs, value: 0, "aria-label": "epochs" });
    const told = element("output", {}, `${rows} digits to learn, ${held_out} held out`);
    stage.add("div", { class: "row" }, train, progress, told);
    const curve = stage.add("div", { class: "picture" });

    const grid = element("canvas", {
        width: 320, height: 320, tabindex: 0, role: "application", class: "pixels",
        "aria-label": "Drawing of 8 by 8 pixels: arrows move, space draws, backspace wipes",
        pointerdown: (event) => { grid.setPointerCapture(event.pointerId); stroke(event); },
        pointermove: (event) => event.buttons && stroke(event),
        keydown: (event) => byKey(event),
    });
    const shown = element("input", { type: "number", min: 0, max: held_out - 1, value: 0, "aria-label": "digit that was held out", input: () => show() });
    const marks = element("input", { type: "checkbox", change: () => { legend.hidden = !marks.checked; paint(); } });
    const bars = element("div", { class: "bars", role: "img" });
    stage.add("div", { class: "drawing" },
        element("div", { class: "array" }, element("small", {}, "Draw here, by mouse, finger or keys."), grid),
        element("div", { class: "grow" }, bars));
    const swatch = (color, words) => element("span", {}, element("i", { style: `background: var(${color})` }), ` ${words}`);
    const legend = element("p", { class: "legend", hidden: true },
        swatch("--fig-value", "more ink here raises the score of the winner"), swatch("--fig-grad", "more ink here lowers it"),
        "The larger the square, the more.");
    stage.add("div", { class: "row" },
        element("button", { type: "button", click: () => wipe() }, "Wipe"),
        element("button", { type: "button", click: () => save() }, "Save as PNG"),
        element("span", { class: "row" }, element("label", {}, "Held out, number ", shown),
            element("button", { type: "button", click: () => show() }, "Show it")),
        element("label", {}, marks, " what each pixel does to the winner"));
    stage.place.append(legend);

    let place = [3, 3];
    function byKey(event) {
        const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0];
        place = [place[0] + dx, place[1] + dy].map((it) => Math.min(side - 1, Math.max(0, it)));
        if (event.key === " ") ink(...place, 1);
        else if (event.key === "Backspace") pixels[place[1] * side + place[0]] = 0;
        else if (!dx && !dy) return;
        event.preventDefault();
        changed(`Row ${place[1] + 1}, column ${place[0] + 1}.`);
    }
    // A stroke is about as wide as a pixel, and its neighbors get some of it.
    function stroke(event) {
        const box = grid.getBoundingClientRect();
        const [x, y] = [(event.clientX - box.left) / box.width * side, (event.clientY - box.top) / box.height * side];
        for (let row = 0; row < side; row += 1) {
            for (let column = 0; column < side; column += 1) {
                const far = Math.hypot(column + 0.5 - x, row + 0.5 - y);
                ink(column, row, 1.15 - far);
            }
        }
        place = [Math.floor(x), Math.floor(y)].map((it) => Math.min(side - 1, Math.max(0, it)));
        changed();
    }
    function ink(column, row, dark) {
        const at = row * side + column;
        pixels[at] = Math.round(16 * Math.max(pixels[at], Math.min(1, dark))) / 16;
    }
    function wipe() {
        pixels.fill(0);
        changed();
    }
    async function show() {
        const answer = await stage.ask("digits shown", shown.value);
        stage.refuse(answer.refusal);
        if (answer.refusal) return;
        pixels.set(answer.pixels);
        await changed(`This one is a ${answer.label}.`);
    }

    // On white paper, a cell wider on each side, and 32 times as large. The grays
    // between two cells are drawn too, so that the edge of a stroke is where the
    // ink is half as dark, as for whoever reads the file.
    function picture() {
        const [cells, large] = [side + 2, 32];
        const brush = element("canvas", { width: cells, height: cells }).getContext("2d");
        for (let at = 0; at < cells * cells; at += 1) {
            const [row, column] = [Math.floor(at / cells) - 1, at % cells - 1];
            const inside = [row, column].every((it) => it >= 0 && it < side);
            const gray = 255 * (1 - (inside ? pixels[row * side + column] : 0));
            brush.fillStyle = `rgb(${gray}, ${gray}, ${gray})`;
            brush.fillRect(column + 1, row + 1, 1, 1);
        }
        const paper = element("canvas", { width: cells * large, height: cells * large });
        paper.getContext("2d").drawImage(brush.canvas, 0, 0, paper.width, paper.height);
        return paper;
    }
    function save() {
        if (!pixels.some((ink) => ink > 0)) {
            stage.say("Nothing is drawn, so nothing is saved.");
            return;
        }
        const paper = picture();
        element("a", { href: paper.toDataURL("image/png"), download: "digit.png" }).click();
        stage.say(`Saved as digit.png: ${paper.width} by ${paper.height} pixels, dark on light.`);
    }

    function paint() {
        const style = getComputedStyle(grid);
        const [dark, more, less] = ["color", "--fig-value", "--fig-grad"].map((name) => style.getPropertyValue(name));
        const brush = grid.getContext("2d");
        const size = grid.width / side;
        brush.clearRect(0, 0, grid.width, grid.height);
        const most = Math.max(...(slopes ?? [1]).map(Math.abs));
        for (let at = 0; at < side * side; at += 1) {
            const [x, y] = [(at % side) * size, Math.floor(at / side) * size];
            brush.fillStyle = dark;
            brush.globalAlpha = pixels[at];
            brush.fillRect(x, y, size, size);
            if (marks.checked && slopes) {
                brush.fillStyle = slopes[at] > 0 ? more : less;
                brush.globalAlpha = 1;
                const length = Math.abs(slopes[at]) / most * size * 0.8;
                brush.fillRect(x + (size - length) / 2, y + (size - length) / 2, length, length);
            }
            brush.globalAlpha = 0.3;
            brush.strokeStyle = dark;
            brush.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
        }
        brush.globalAlpha = 1;
        if (document.activeElement === grid) {
            brush.lineWidth = 4;
            brush.strokeStyle = more;
            brush.strokeRect(place[0] * size + 2, place[1] * size + 2, size - 4, size - 4);
            brush.lineWidth = 1;
        }
    }
    grid.addEventListener("focus", paint);
    grid.addEventListener("blur", paint);

    async function changed(first = "") {
        const answer = await stage.ask("digits scores", [...pixels].join(","));
        stage.refuse(answer.refusal);
        if (answer.refusal) return;
        slopes = answer.slopes;
        const percent = (share) => `${(100 * share).toFixed(1)} %`;
        const columns = (...words) => words.map((word, i) => word.padStart([5, 7, 9][i])).join("");
        const head = element("div", { class: "bar-head" }, element("span", {}, columns("digit", "score", "prob.")));
        bars.replaceChildren(head, ...answer.shares.map((share, digit) => element("div", { class: digit === answer.guess ? "bar wins" : "bar" },
            element("span", {}, columns(String(digit), answer.scores[digit].toFixed(1), percent(share))),
            element("i", { style: `--share: ${share}` }))));
        bars.setAttribute("aria-label", `scores and probabilities; the largest belongs to ${answer.guess}`);
        paint();
        if (!pixels.some((ink) => ink > 0)) return stage.say(`${first} The drawing is blank.`.trim());
        const untrained = course.length ? "" : " It has learned nothing yet.";
        stage.say(`${first} The network says ${answer.guess}, with a probability of ${percent(answer.shares[answer.guess])}.${untrained}`.trim());
    }

    function plot() {
        const top = Math.max(0.5, ...course.map((it) => it.held_out), ...course.map((it) => it.loss));
        const line = (key, color) => `<polyline fill="none" stroke="${color}" stroke-width="2" points="${
            course.map((it) => `${(44 + 410 * it.epoch / epochs).toFixed(1)},${(130 - 110 * it[key] / top).toFixed(1)}`).join(" ")}"/>`;
        const ticks = [0, 5, 10, 15, 20].map((epoch) => `<text x="${44 + 410 * epoch / epochs}" y="147">${epoch}</text>`).join("");
        curve.innerHTML = `<svg class="small" viewBox="0 0 472 172" role="img" aria-label="The loss of each epoch, on the digits that are learned and on those held out">
            <path d="M44 10V130H454" fill="none" stroke="currentColor"/><text x="36" y="24" text-anchor="end">${top.toFixed(1)}</text>
            <text x="36" y="134" text-anchor="end">0</text><g class="code" text-anchor="middle" font-size="12">${ticks}</g><text x="249" y="167" text-anchor="middle">epoch</text><text x="450" y="24" text-anchor="end" fill="var(--fig-value)">loss, learned</text>
            <text x="450" y="46" text-anchor="end" fill="var(--fig-grad)">loss, held out</text>${line("loss", "var(--fig-value)")}${line("held_out", "var(--fig-grad)")}</svg>`;
    }

    // Between two epochs the page draws what has come out.
    const frame = () => new Promise((next) => requestAnimationFrame(next));
    let learning = false;
    async function learn() {
        if (learning) return;
        learning = true;
        train.setAttribute("aria-disabled", true);
        const start = performance.now();
        await stage.ask("digits begin");
        course = [];
        let last;
        for (let epoch = 1; epoch <= epochs; epoch += 1) {
            last = await stage.ask("digits epoch");
            course.push(last);
            progress.value = epoch;
            told.textContent = `epoch ${epoch}: loss ${last.loss.toFixed(3)}, held out ${last.held_out.toFixed(3)}, right ${(100 * last.accuracy).toFixed(1)} %`;
            if (!calm.matches || epoch === epochs) plot();
            await frame();
        }
        const seconds = (performance.now() - start) / 1000;
        stage.options.seconds = seconds.toFixed(2);
        train.textContent = "Train again";
        train.setAttribute("aria-disabled", false);
        learning = false;
        await changed(`Trained in ${seconds.toFixed(1)} seconds: ${(100 * last.accuracy).toFixed(1)} % of the digits held out are right.`);
    }

    plot();
    await show();
    // Only in the page it has the colors of the theme.
    stage.started = paint;
    new MutationObserver(paint).observe(document.documentElement, { attributeFilter: ["class"] });
});
