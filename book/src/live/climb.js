// The climb of the introduction: a product, its gradients, steps downhill, a
// decision boundary, and a network that reads. It plays by itself, or with
// reduced motion step by step on request.
"use strict";

live.figure("climb", async (stage) => {
    const { element, calm } = live;
    const rungs = [
        { name: "a product", play: product },
        { name: "its gradients", play: gradients },
        { name: "steps downhill", play: downhill },
        { name: "a border", play: moons },
        { name: "a network", play: digits },
    ];
    const bar = stage.add("div", { class: "row rungs", role: "group", "aria-label": "steps" });
    rungs.forEach((rung, place) => {
        rung.button = element("button", { type: "button", click: () => show(place) }, `${place + 1} ${rung.name}`);
        bar.append(rung.button);
    });
    const picture = stage.add("div", { class: "picture climb" });
    const told = stage.add("p", { class: "code way" });
    const play = element("button", { type: "button", click: () => (playing ? halt() : climb(next)) }, "Play");
    stage.add("div", { class: "row" }, play);

    // A step stops between two of its pictures when the reader chooses a
    // different one. The first picture is drawn without motion.
    let shown = false;
    let turn = 0;
    let playing = false;
    let next = 0;
    const wait = (time) => new Promise((done) => setTimeout(done, time));
    const frame = async (mine, svg, words, time) => {
        if (mine !== turn) throw stopped;
        if ((calm.matches || !shown) && time) return;
        picture.innerHTML = svg;
        told.textContent = words;
        if (time) await wait(time);
    };
    const stopped = new Error("another rung was asked for");
    const asked = async (...words) => {
        const answer = await stage.ask(...words);
        if (answer.refusal) throw new Error(answer.refusal);
        return answer;
    };
    const svg = (label, inside) => `<svg class="small" viewBox="0 0 460 200" role="img" text-anchor="middle" aria-label="${label}">${inside}</svg>`;
    const box = (x, name, value, color = "var(--fig-value)") => `<rect x="${x}" y="64" width="92" height="72" rx="10" fill="none" stroke="currentColor" stroke-width="1.5"/>
        <text x="${x + 46}" y="92" font-weight="600">${name}</text><text x="${x + 46}" y="120" font-size="22" class="code" fill="${color}">${value}</text>`;

    async function product(mine) {
        for (const a of [0.5, 1, 1.5, 2]) {
            const { result } = await asked("try climb", "a*b", `a=${a}`, "b=3");
            const value = result.slice(1, -1);
            await frame(mine, svg(`${a} times 3 is ${value}`, `${box(16, "a", a)}<text x="138" y="108" font-size="24">×</text>
                ${box(168, "b", 3)}<text x="290" y="108" font-size="24">=</text>${box(330, "a × b", value)}`), `${a} × 3 = ${value}`, a === 2 ? 0 : 450);
        }
        return "A product of two numbers: 2 times 3 is 6.";
    }

    async function gradients(mine) {
        const answer = await asked("try climb", "(a*b)*b", "a=2", "b=3");
        await frame(mine, answer.svg, "", 0);
        const parts = [...picture.querySelectorAll("[data-step]")];
        const last = Math.max(...parts.map((part) => Number(part.dataset.step)));
        const grads = answer.inputs.map(({ name, grad }) => `∇ ${name} = ${grad[0]}`).join("   ");
        for (let step = 0; step <= last && !calm.matches; step += 1) {
            if (mine !== turn) throw stopped;
            parts.forEach((part) => part.classList.toggle("later", Number(part.dataset.step) > step));
            told.textContent = step < last ? "values forward, gradients back" : grads;
            await wait(550);
        }
        told.textContent = grads;
        return `Values run forward to ${answer.result}, gradients run back: ${answer.inputs.map(({ name, grad }) => `${grad[0]} for ${name}`).join(", ")}.`;
    }

    async function downhill(mine) {
        const { steepness, places, losses } = await asked("descent valley", "-4.5,2", "0.095", "0.5", "20");
        const [x, y] = [([a]) => 230 + 42 * a, ([, b]) => 100 - 42 * b];
        const lines = [0.25, 1, 2.5, 5, 10, 20, 40].map((loss) => {
            const [rx, ry] = steepness.map((it) => 42 * Math.sqrt(2 * loss / it));
            return `<ellipse cx="230" cy="100" rx="${rx.toFixed(1)}" ry="${ry.toFixed(1)}"/>`;
        }).join("");
        for (let step = 0; step < places.length; step += 1) {
            const trail = places.slice(0, step + 1).map((it) => `${x(it).toFixed(1)},${y(it).toFixed(1)}`);
            const dots = trail.map((it) => `<circle cx="${it.split(",")[0]}" cy="${it.split(",")[1]}" r="3"/>`).join("");
            await frame(mine, svg(`a trail of ${step} steps in a valley`, `<g fill="none" stroke="currentColor" stroke-opacity="0.35">${lines}</g>
                <g fill="var(--fig-grad)"><polyline points="${trail.join(" ")}" fill="none" stroke="var(--fig-grad)" stroke-width="1.5"/>${dots}</g>`),
            `step ${step}: loss ${losses[step].toFixed(4)}`, step < 20 ? 110 : 0);
        }
        return `The loss measures how wrong an answer is. Twenty steps against its gradient reduce it from ${losses[0].toFixed(1)} to ${losses.at(-1).toFixed(4)}.`;
    }

    async function moons(mine) {
        const { points, labels, epochs, x, y } = await asked("moons begin");
        const place = (a, b) => [70 + (a - x[0]) / (x[1] - x[0]) * 320, 200 - (b - y[0]) / (y[1] - y[0]) * 200].map((it) => it.toFixed(1));
        const marks = labels.map((label, i) => {
            const [u, v] = place(points[2 * i], points[2 * i + 1]);
            return label ? `<circle cx="${u}" cy="${v}" r="2.6" fill="none" stroke="var(--fig-grad)"/>` : `<circle cx="${u}" cy="${v}" r="2.8" fill="var(--fig-value)"/>`;
        }).join("");
        let last;
        for (let epoch = 1; epoch <= epochs; epoch += 1) {
            last = await asked("moons epoch");
            if (mine !== turn) throw stopped;
            if (epoch % 4 && epoch < epochs) continue;
            const border = await asked("moons border");
            let line = "";
            for (let at = 0; at + 3 < border.length; at += 4) {
                line += `M${place(border[at], border[at + 1])}L${place(border[at + 2], border[at + 3])}`;
            }
            await frame(mine, svg(`two moons and the border of a network after ${epoch} epochs`,
                `${marks}<path d="${line}" fill="none" stroke="currentColor" stroke-width="2.5"/>`),
            `epoch ${epoch}: ${(100 * last.accuracy).toFixed(1)} % correct`, epoch < epochs ? 90 : 0);
        }
        return `A network learns a border between two moons: ${(100 * last.accuracy).toFixed(1)} % of 200 other points are on the right side.`;
    }

    async function digits(mine) {
        const { epochs } = await asked("digits begin");
        const { pixels, label } = await asked("digits shown", "0");
        const grid = pixels.map((dark, at) => `<rect x="${40 + 20 * (at % 8)}" y="${20 + 20 * Math.floor(at / 8)}" width="19" height="19"
            fill="currentColor" fill-opacity="${(0.06 + 0.94 * dark).toFixed(2)}"/>`).join("");
        let last;
        let guess;
        for (let epoch = 0; epoch <= epochs; epoch += 1) {
            if (epoch) last = await asked("digits epoch");
            if (mine !== turn) throw stopped;
            const { shares, guess: best } = await asked("digits scores", pixels.join(","));
            guess = best;
            const bars = shares.map((share, digit) => `<g fill="${digit === best ? "var(--fig-value)" : "currentColor"}"><text x="256" y="${30 + 18.5 * digit}" class="code">${digit}</text>
                <rect x="272" y="${19 + 18.5 * digit}" width="${Math.max(1, 160 * share).toFixed(1)}" height="12"/></g>`).join("");
            await frame(mine, svg(`a ${label}, and the probability of each digit after ${epoch} epochs`, grid + bars),
                epoch ? `epoch ${epoch}: ${(100 * last.accuracy).toFixed(1)} % correct` : "not trained", epoch < epochs ? 60 : 0);
        }
        return `The same code reads digits. After ${epochs} epochs, which are passes over the training set, it reads ${(100 * last.accuracy).toFixed(1)} % of the unseen digits, and this one as a ${guess}.`;
    }

    async function run(place, mine) {
        rungs.forEach(({ button }, at) => button.setAttribute("aria-current", at === place ? "step" : "false"));
        next = (place + 1) % rungs.length;
        stage.say(`Step ${place + 1} of ${rungs.length}: ${rungs[place].name}.`);
        stage.say(await rungs[place].play(mine));
    }
    function mark(now) {
        playing = now;
        play.textContent = now ? "Pause" : next === 0 ? "Play again" : "Play on";
    }
    function halt() {
        turn += 1;
        mark(false);
    }
    async function guarded(work) {
        try {
            await work();
        } catch (error) {
            if (error !== stopped) stage.refuse(error.message);
        }
    }
    function show(place) {
        halt();
        const mine = turn;
        return guarded(async () => {
            await run(place, mine);
            mark(false);
        });
    }
    function climb(from) {
        const mine = turn += 1;
        mark(true);
        return guarded(async () => {
            for (let place = from; place < rungs.length; place += 1) {
                await run(place, mine);
                if (calm.matches) break;
                await wait(1400);
                if (mine !== turn) return;
            }
            mark(false);
        });
    }

    // An error here leaves the static figure in place.
    await run(0, turn);
    mark(false);
    stage.started = () => {
        shown = true;
        if (calm.matches) return;
        const seen = new IntersectionObserver(([{ isIntersecting }]) => {
            if (!isIntersecting) return;
            seen.disconnect();
            if (turn === 0) climb(0);
        }, { threshold: 0.6 });
        seen.observe(picture);
    };
});
