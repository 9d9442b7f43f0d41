// The moons: a network is trained in the page, and its border can be looked at
// epoch by epoch.
"use strict";

live.figure("moons", async (stage) => {
    const { element, calm } = live;
    const { points, labels, others, epochs, x, y } = await stage.ask("moons begin");
    // What has come out of each epoch; before the first there is a border too.
    let course = [{ epoch: 0, border: await stage.ask("moons border") }];

    const train = element("button", { type: "button", click: () => learn() }, "Train");
    const slide = element("input", { type: "range", disabled: true, min: 0, max: 0, step: 1, value: 0, "aria-label": "epoch", input: () => show() });
    const told = element("output", {});
    stage.add("div", { class: "row" }, train, element("label", { class: "grow" }, "Epoch ", slide), told);
    const picture = stage.add("div", { class: "picture" });

    const [wide, high] = [460, 288];
    const place = (a, b) => [(a - x[0]) / (x[1] - x[0]) * wide, high - (b - y[0]) / (y[1] - y[0]) * high].map((it) => it.toFixed(1));
    const marks = labels.map((label, i) => {
        const [u, v] = place(points[2 * i], points[2 * i + 1]);
        return label ? `<circle cx="${u}" cy="${v}" r="3" fill="none" stroke="var(--fig-grad)" stroke-width="1.5"/>`
            : `<circle cx="${u}" cy="${v}" r="3.2" fill="var(--fig-value)"/>`;
    }).join("");

    function draw({ epoch, border }) {
        let line = "";
        for (let at = 0; at + 3 < border.length; at += 4) {
            line += `M${place(border[at], border[at + 1])}L${place(border[at + 2], border[at + 3])}`;
        }
        picture.innerHTML = `<svg class="small" viewBox="0 0 ${wide} ${high}" role="img"
            aria-label="Two moons of points, and the border of the network after ${epoch} epochs">
            <rect x="0.5" y="0.5" width="${wide - 1}" height="${high - 1}" rx="6" fill="none" stroke="currentColor" stroke-opacity="0.4"/>
            ${marks}<path d="${line}" fill="none" stroke="currentColor" stroke-width="2.5"/></svg>`;
    }

    const words = ({ epoch, loss, accuracy }) => (epoch === 0 ? "not trained"
        : `${epoch}: loss ${loss.toFixed(3)}, right ${(100 * accuracy).toFixed(1)} %`);
    function show(whole = true) {
        const now = course[slide.value];
        draw(now);
        told.textContent = words(now);
        slide.setAttribute("aria-valuetext", words(now));
        const sure = now.epoch === 0 ? "Before training, the border depends only on the random weights."
            : `After epoch ${now.epoch} the loss is ${now.loss.toFixed(3)}, and ${(100 * now.accuracy).toFixed(1)} % of ${others} other points are on the right side.`;
        if (whole) stage.say(sure);
    }

    const frame = () => new Promise((next) => requestAnimationFrame(next));
    let learning = false;
    async function learn() {
        if (learning) return;
        learning = true;
        train.setAttribute("aria-disabled", true);
        await stage.ask("moons begin");
        stage.say("The network trains, and its border is drawn after each epoch.");
        course = course.slice(0, 1);
        for (let epoch = 1; epoch <= epochs; epoch += 1) {
            const now = await stage.ask("moons epoch");
            course.push({ ...now, border: await stage.ask("moons border") });
            slide.max = epoch;
            slide.value = epoch;
            if (!calm.matches || epoch === epochs) show(epoch === epochs);
            else told.textContent = words(now);
            await frame();
        }
        train.textContent = "Train again";
        train.setAttribute("aria-disabled", false);
        slide.disabled = false;
        learning = false;
    }
    show();
});
