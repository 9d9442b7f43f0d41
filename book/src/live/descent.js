// Gradient descent on two variables, in a bowl or a valley, with momentum and,
// in gray, without.
"use strict";

live.figure("descent", async (stage) => {
    const { element } = live;
    const rates = [0.01, 0.02, 0.05, 0.07, 0.09, 0.095, 0.1, 0.105, 0.2, 0.5, 1, 1.5, 1.9, 2, 2.1];
    const [unit, left, top] = [42, 230, 142];
    let start = [-4.5, 2];

    const ground = element("select", { change: () => walk() },
        element("option", { value: "valley" }, "a narrow valley"), element("option", { value: "bowl" }, "a round bowl"));
    const slider = (name, settings) => {
        const slide = element("input", { type: "range", "aria-label": name, input: () => walk(), ...settings });
        const shown = element("output", { class: "code", style: "display: inline-block; min-width: 6ch" });
        return { slide, shown, label: element("label", { class: "grow" }, `${name} `, slide, shown) };
    };
    const rate = slider("learning rate", { min: 0, max: rates.length - 1, step: 1, value: rates.indexOf(0.095) });
    const momentum = slider("momentum", { min: 0, max: 0.95, step: 0.05, value: 0.5 });
    const steps = slider("steps", { min: 0, max: 60, step: 1, value: 20 });
    stage.add("div", { class: "row" }, element("label", {}, "Ground ", ground), rate.label, momentum.label, steps.label);
    // The start stays the same node while all else is drawn anew, and so keeps
    // the finger and the focus.
    const picture = stage.add("div", { class: "picture" });
    picture.innerHTML = `<svg class="small" viewBox="0 0 460 404" role="group" text-anchor="middle"><g class="drawn"></g>
        <g class="node handle" role="button" tabindex="0"><circle r="27" fill="transparent"/><circle r="7" fill="var(--fig-value)"/></g></svg>`;
    const [whole, drawn, handle] = ["svg", ".drawn", ".handle"].map((name) => picture.querySelector(name));
    handle.addEventListener("pointerdown", drag);
    // `touch-action` has no effect on a part of an SVG: the page would scroll.
    handle.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    handle.addEventListener("keydown", (event) => {
        const way = { ArrowLeft: [-0.5, 0], ArrowRight: [0.5, 0], ArrowUp: [0, 0.5], ArrowDown: [0, -0.5] }[event.key];
        if (!way) return;
        event.preventDefault();
        move(start.map((part, i) => part + way[i]));
    });

    const clamp = (value, most) => Math.max(-most, Math.min(most, value));
    const far = (value) => Number(clamp(Number(value) || 0, 99).toFixed(2));
    const at = ([x, y]) => [left + unit * far(x), top - unit * far(y)];

    const inside = (places) => places.filter((it) => it.every((part) => Number.isFinite(Number(part)))).map(at);
    const join = (points) => points.map((it) => it.map((part) => part.toFixed(1)).join(",")).join(" ");

    // The walk without momentum is drawn in gray, if the reader's has some.
    function draw({ steepness, places, losses }, plain) {
        const lines = [0.25, 1, 2.5, 5, 10, 20, 40].map((loss) => {
            const [rx, ry] = steepness.map((it) => unit * Math.sqrt(2 * loss / it));
            return `<ellipse cx="${left}" cy="${top}" rx="${rx.toFixed(1)}" ry="${ry.toFixed(1)}"/>`;
        });
        const points = inside(places);
        const dots = points.map(([x, y]) => `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="2.5"/>`).join("");
        const [x, y] = points[0];
        const [u, v] = points.at(-1);
        // The loss of each step, from 1e-6 to 1e3 or higher if necessary. The
        // curve ends before a loss that is infinite or NaN.
        const known = [...losses, ...(plain?.losses ?? [])].map(Number).filter(Number.isFinite);
        const most = Math.max(3, 3 * Math.ceil(Math.log10(Math.max(...known, 1)) / 3));
        const high = (loss) => 366 - 72 / (most + 6) * (6 + Math.log10(Math.max(1e-6, loss)));
        const across = (step) => 60 + 6.3 * step;
        const curve = (losses) => join(losses.map(Number).map((loss, i) => [across(i), loss])
            .filter(([, loss]) => Number.isFinite(loss)).map(([a, loss]) => [a, high(loss)]));
        const gray = (points) => (plain ? `<polyline points="${points()}" fill="none" stroke="var(--muted)" stroke-width="1.5" stroke-dasharray="4 3"/>` : "");
        const ticks = [0, 10, 20, 30, 40, 50, 60].map((step) => `<text x="${across(step)}" y="381">${step}</text>`).join("");
        whole.setAttribute("aria-label", `The ground from above, and the trail of ${places.length - 1} steps`);
        handle.setAttribute("aria-label", `start at ${start.join(", ")}; the arrows move it`);
        handle.setAttribute("transform", `translate(${x} ${y})`);
        drawn.innerHTML = `<defs><clipPath id="descent-ground"><rect x="10" y="10" width="440" height="264" rx="6"/></clipPath></defs>
            <g clip-path="url(#descent-ground)"><g fill="none" stroke="currentColor" stroke-opacity="0.35">${lines.join("")}</g>
            <path d="M${left - 6} ${top}h12M${left} ${top - 6}v12" stroke="currentColor" stroke-width="1.5"/>
            ${gray(() => join(inside(plain.places)))}<polyline class="walk" points="${join(points)}" fill="none" stroke="var(--fig-grad)" stroke-width="1.5"/><g fill="var(--fig-grad)">${dots}</g>
            <circle cx="${u.toFixed(1)}" cy="${v.toFixed(1)}" r="6" fill="none" stroke="var(--fig-grad)" stroke-width="2"/></g>
            <rect x="10" y="10" width="440" height="264" rx="6" fill="none" stroke="currentColor" stroke-opacity="0.5"/>
            <path d="M60 286V366H444" fill="none" stroke="currentColor"/><g class="code" font-size="12"><g text-anchor="end">
            <text x="54" y="${high(1) + 4}">1</text><text x="54" y="${high(10 ** most) + 4}">1e${most}</text>${most > 12 ? "" : `<text x="54" y="${high(1e-6) + 4}">1e-6</text>`}</g>${ticks}</g>
            ${gray(() => curve(plain.losses))}<polyline class="loss" points="${curve(losses)}" fill="none" stroke="var(--fig-value)" stroke-width="1.5"/>
            <text x="252" y="400">step</text><text x="12" y="330" transform="rotate(-90 12 330)">loss</text>`;
    }

    function move([x, y]) {
        start = [clamp(x, 5), clamp(y, 3)].map((part) => Number(part.toFixed(2)));
        return walk();
    }

    function drag(event) {
        event.preventDefault();
        const go = ({ clientX, clientY }) => {
            const box = whole.getBoundingClientRect();
            const scale = 460 / box.width;
            move([((clientX - box.left) * scale - left) / unit, (top - (clientY - box.top) * scale) / unit]);
        };
        const end = () => {
            window.removeEventListener("pointermove", go);
            window.removeEventListener("pointerup", end);
            window.removeEventListener("pointercancel", end);
        };
        window.addEventListener("pointermove", go);
        window.addEventListener("pointerup", end);
        window.addEventListener("pointercancel", end);
    }

    async function walk() {
        const words = [rates[rate.slide.value], momentum.slide.value, steps.slide.value];
        [rate, momentum, steps].forEach(({ slide, shown }, i) => {
            shown.textContent = words[i];
            slide.setAttribute("aria-valuetext", words[i]);
        });
        const ask = (momentum) => stage.ask(`descent ${ground.value}`, start.join(","), words[0], momentum, words[2]);
        const answer = await ask(words[1]);
        stage.refuse(answer.refusal);
        if (answer.refusal) return;
        const plain = Number(words[1]) > 0 ? await ask("0") : undefined;
        draw(answer, plain);
        const short = (value) => (Number.isFinite(Number(value)) ? Number(Number(value).toPrecision(3)).toString() : "beyond all numbers");
        const [first, last] = [Number(answer.losses[0]), Number(answer.losses.at(-1))];
        const turns = answer.places.slice(1).filter(([, y], i) => y * answer.places[i][1] < 0).length;
        const before = Number(plain?.losses.at(-1));
        const told = last > first || Number.isNaN(last) ? (plain ? " The loss has grown." : " The steps lead away: the learning rate is too large.")
            : plain && last > before ? " That is too much momentum: the steps overshoot the minimum and swing back."
                : turns > 2 ? ` The steps crossed the valley ${turns} times.` : "";
        stage.say(`After ${words[2]} step${words[2] === "1" ? "" : "s"} the loss has gone from ${short(first)} to ${short(last)}` +
            `${plain ? `; without momentum (gray), to ${short(before)}` : ""}.${told}`);
    }
    await walk();
});
