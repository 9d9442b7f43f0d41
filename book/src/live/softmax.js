// Scores can be dragged: shows their probabilities, the loss for the chosen
// label, and the probabilities without subtracting the maximum.
"use strict";

live.figure("softmax", async (stage) => {
    const { element } = live;
    const scores = [1, 2, 3];
    let right = 2;

    const choices = scores.map((_, place) => element("label", {},
        element("input", { type: "radio", name: "right", value: place, change: () => { right = place; show(); } }), ` ${place}`));
    choices[right].firstChild.checked = true;
    stage.add("fieldset", { class: "row plain", "aria-label": "Which class is the label" },
        element("span", {}, "The label is"), ...choices);

    const rows = scores.map((score, place) => {
        const slide = element("input", {
            type: "range", min: -10, max: 10, step: 0.5, value: score,
            "aria-label": `drag score ${place}`, input: () => set(slide.value, number),
        });
        const number = element("input", {
            type: "number", step: "any", value: score, "aria-label": `score ${place}`,
            input: () => set(number.value, slide),
        });
        function set(text, other) {
            if (text === "" || !Number.isFinite(Number(text))) return;
            scores[place] = Number(text);
            reach(slide, scores[place]);
            other.value = text;
            show();
        }
        const bar = element("div", { class: "bar" }, element("span"), element("i"));
        stage.add("div", { class: "score" },
            element("span", { class: "leaf" }, element("b", {}, `score ${place}`), slide, number), bar);
        return { bar, slide, number };
    });
    stage.add("div", { class: "row" },
        element("button", { type: "button", click: () => shift(100) }, "Add 100 to all"),
        element("button", { type: "button", click: () => shift(-100) }, "Take 100 from all"));
    const table = stage.add("table", { class: "numbers" });

    // A slider holds ten to both sides of what it was given last.
    function reach(slide, score) {
        if (score >= Number(slide.min) && score <= Number(slide.max)) return;
        slide.min = score - 10;
        slide.max = score + 10;
    }
    function shift(by) {
        rows.forEach(({ slide, number }, place) => {
            scores[place] += by;
            slide.min = Number(slide.min) + by;
            slide.max = Number(slide.max) + by;
            slide.value = scores[place];
            number.value = scores[place];
        });
        show();
    }

    async function show() {
        const answer = await stage.ask("softmax", scores.join(","), String(right));
        stage.refuse(answer.refusal);
        if (answer.refusal) return;
        const [shares, slopes] = [answer.shares, answer.slopes].map((list) => list.map(Number));
        const percent = (share) => `${(100 * share).toFixed(1)} %`;
        rows.forEach(({ bar }, place) => {
            bar.classList.toggle("wins", place === right);
            bar.querySelector("i").style.setProperty("--share", shares[place] || 0);
            bar.querySelector("span").textContent = percent(shares[place]).padStart(7);
        });
        const loss = Number(answer.loss).toFixed(4);
        const line = (...words) => element("tr", {}, element("th", { scope: "row" }, words[0]), element("td", {}, words[1]));
        table.replaceChildren(element("tbody", {},
            line("probabilities without subtracting the maximum", answer.defined),
            line("loss", loss),
            line("gradient of the scores", `[${slopes.map((it) => it.toFixed(4)).join(", ")}]`)));
        stage.say(`Scores ${scores.join(", ")}: probabilities ${shares.map(percent).join(", ")}. ` +
            `The label is ${right}, and the loss is ${loss}. Without subtracting the maximum, the probabilities are ${answer.defined}.`);
    }
    stage.unseen();
    await show();
});
