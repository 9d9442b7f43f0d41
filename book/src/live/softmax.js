// Scores can be dragged: their shares, the loss of the one that is right, and
// what becomes of the shares where no maximum is taken away.
"use strict";

live.figure("softmax", async (stage) => {
    const { element } = live;
    const scores = [1, 2, 3];
    let right = 2;

    const rows = scores.map((score, place) => {
        const slide = element("input", {
            type: "range", min: -10, max: 10, step: 0.5, value: score,
            "aria-label": `drag score ${place}`, input: () => set(slide.value, number),
        });
        const number = element("input", {
            type: "number", step: "any", value: score, "aria-label": `score ${place}`,
            input: () => set(number.value, slide),
        });
        const choice = element("input", { type: "radio", name: "right", "aria-label": `score ${place} is the right one`,
            change: () => { right = place; show(); } });
        choice.checked = place === right;
        function set(text, other) {
            if (text === "" || !Number.isFinite(Number(text))) return;
            scores[place] = Number(text);
            other.value = text;
            show();
        }
        const bar = element("div", { class: "bar" }, element("b", {}, String(place)), element("i"), element("span"));
        stage.add("div", { class: "score" }, element("span", { class: "leaf" }, choice, slide, number), bar);
        return { bar, slide, number };
    });
    stage.add("div", { class: "row" },
        element("button", { type: "button", click: () => shift(100) }, "Add 100 to all"),
        element("button", { type: "button", click: () => shift(-100) }, "Take 100 from all"));
    const table = stage.add("table", { class: "numbers" });

    function shift(by) {
        rows.forEach(({ slide, number }, place) => {
            scores[place] += by;
            slide.value = scores[place];
            number.value = scores[place];
        });
        show();
    }

    async function show() {
        const answer = await stage.ask("softmax", scores.join(","), String(right));
        stage.refuse(answer.refusal);
        if (answer.refusal) return;
        const percent = (share) => `${(100 * share).toFixed(1)} %`;
        rows.forEach(({ bar }, place) => {
            bar.classList.toggle("wins", place === right);
            bar.querySelector("i").style.setProperty("--share", answer.shares[place]);
            bar.querySelector("span").textContent = percent(answer.shares[place]);
        });
        const loss = Number(answer.loss).toFixed(4);
        const line = (...words) => element("tr", {}, element("th", { scope: "row" }, words[0]), element("td", {}, words[1]));
        table.replaceChildren(element("tbody", {},
            line("shares", `[${answer.shares.map((it) => it.toFixed(4)).join(", ")}]`),
            line("as defined, the maximum not taken away", answer.defined),
            line("loss", loss),
            line("its slope along the scores", `[${answer.slopes.map((it) => it.toFixed(4)).join(", ")}]`)));
        stage.say(`Scores ${scores.join(", ")}: shares ${answer.shares.map(percent).join(", ")}. ` +
            `Score ${right} is right, and the loss is ${loss}. As defined, the shares are ${answer.defined}.`);
    }
    await show();
});
