// The next letter of a name, as the trained network of "Names" predicts it, with
// a slider for the temperature; and names that the network writes.
"use strict";

live.figure("names", async (stage) => {
    const { element } = live;
    await live.load("weights");
    const { longest } = await stage.ask("names weights", window.rungradWeights);
    const letters = [..."·abcdefghijklmnopqrstuvwxyz"];
    const seed = () => String(Math.floor(Math.random() * 1e9));

    const slide = element("input", { type: "range", min: 0.1, max: 3, step: 0.1, value: 0.5, input: () => show() });
    const warmth = element("output", { class: "code" });
    stage.add("div", { class: "row" }, element("label", { class: "grow" }, "Temperature ", slide), warmth);
    const typed = element("input", {
        type: "text", value: "mar", size: 16, maxlength: longest, spellcheck: "false",
        autocapitalize: "off", autocomplete: "off", input: () => show(),
    });
    const button = (words, click) => element("button", { type: "button", click }, words);
    stage.add("div", { class: "row" }, element("label", {}, "Beginning ", typed),
        button("Draw a letter", () => draw()), button("Write a name", () => write()));
    const picture = stage.add("div", { class: "picture" });
    const written = stage.add("p", { class: "code way", role: "group", "aria-label": "names so far" });
    const names = [];

    const ask = (begun, seed = "0") => stage.ask("names next", begun.toLowerCase(), slide.value, seed);

    async function show(first = "") {
        const begun = typed.value;
        const answer = await ask(begun);
        warmth.textContent = Number(slide.value).toFixed(1);
        stage.refuse(answer.refusal);
        typed.setAttribute("aria-invalid", Boolean(answer.refusal));
        picture.classList.toggle("old", Boolean(answer.refusal));
        if (answer.refusal) return;
        const [now, plain] = [answer.probabilities, answer.plain].map((list) => list.map(Number));
        const x = (i) => 8 + i * 16.5;
        const y = (probability) => (166 - 140 * probability).toFixed(1);
        const most = now.indexOf(Math.max(...now));
        const bars = now.map((it, i) => `<rect x="${x(i)}" y="${y(it)}" width="13" height="${(140 * it).toFixed(1)}" fill="var(--fig-value)"/>
            <rect x="${x(i) + 0.75}" y="${y(plain[i])}" width="11.5" height="${(140 * plain[i]).toFixed(1)}" fill="none" stroke="currentColor" stroke-width="1.5"/>
            <text class="code" x="${x(i) + 6.5}" y="184">${letters[i]}</text>`).join("");
        const lines = [0.5, 1].map((it) => `<path d="M4 ${y(it)}H456" stroke="currentColor" stroke-opacity="0.25"/>
            <text x="456" y="${y(it) - 4}" text-anchor="end" font-size="13">${100 * it}\u00a0%</text>`).join("");
        picture.innerHTML = `<svg class="small" viewBox="0 0 460 192" role="img" text-anchor="middle" aria-label="The probability of each next letter after ${begun || "the start"}">
            ${lines}${bars}<path d="M4 166H456" stroke="currentColor"/></svg>`;
        const percent = (i) => `${letters[i] === "·" ? "the end" : letters[i]} ${(100 * now[i]).toFixed(0)}\u00a0%`;
        const order = now.map((_, i) => i).sort((a, b) => now[b] - now[a]).slice(0, 3);
        stage.say(`${first} After ${begun || "the start"}, the likeliest next letters are ${order.map(percent).join(", ")}. At temperature 1, ${letters[most] === "·" ? "the end" : letters[most]} has ${(100 * plain[most]).toFixed(0)}\u00a0%.`.trim());
    }

    async function next(begun) {
        if (begun.length >= longest) return 0;
        const { drawn, refusal } = await ask(begun, seed());
        stage.refuse(refusal);
        return drawn;
    }
    function keep(name) {
        names.unshift(name);
        written.textContent = names.slice(0, 10).join("  ");
    }
    async function draw() {
        const drawn = await next(typed.value);
        if (drawn === undefined) return;
        if (drawn === 0) {
            keep(typed.value);
            await show(`The network ends the name ${typed.value}.`);
            return;
        }
        typed.value += letters[drawn];
        await show(`The network draws ${letters[drawn]}.`);
    }
    async function write() {
        let name = typed.value.toLowerCase();
        for (;;) {
            const drawn = await next(name);
            if (drawn === undefined) return;
            if (drawn === 0) break;
            name += letters[drawn];
        }
        keep(name);
        stage.say(`The network has written ${name}.`);
    }
    await show();
});
