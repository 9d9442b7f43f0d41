// A question: the reader writes down a gradient, an order, a count or a place,
// the engine judges it, and this browser remembers who was right.
"use strict";

live.figure("task", async (stage) => {
    const { element } = live;
    const { kind = "gradient", of, about } = stage.options;
    const { expression, inputs = "" } = stage.options;
    const asked = expression ? [of, expression, ...inputs.split(" ")] : [of, ...(about ?? "").split(" ")].filter(Boolean);
    const name = expression ? `rungrad-task ${expression} ${inputs} ${of}` : `rungrad-task ${kind} ${asked.join(" ")}`;
    const label = { gradient: `∇ ${of} = `, order: "order: ", owners: `owners of ${of}: `, place: "x = " }[kind];
    const called = { gradient: `the gradient of ${of}`, order: "the order", owners: `the number of owners of ${of}`, place: "where x is" }[kind];
    // Whoever is wrong gets a reason and a hint, and only from this try on a
    // verdict that shows what is right.
    const whole = 3;
    let tries = 0;
    // A browser may refuse to remember what a page from a folder tells it.
    const memory = (work) => {
        try {
            return work(localStorage);
        } catch {
            return null;
        }
    };

    // Fractions and commas stand on no keyboard of digits.
    const typed = element("input", { type: "text", autocomplete: "off", spellcheck: "false", autocapitalize: "off", "aria-label": called });
    const words = element("pre", { class: "words picture", hidden: true });
    const form = element("form", { class: "row", submit: (event) => { event.preventDefault(); judge(); } },
        element("label", { class: "typed" }, label, typed),
        element("button", { type: "submit" }, "Check"));
    stage.place.append(form, words);

    async function judge() {
        if (!typed.value.trim()) {
            stage.say("Write an answer first.");
            return;
        }
        const answer = await ask(typed.value);
        stage.refuse(answer.refusal);
        const wrong = !answer.refusal && !answer.right;
        if (wrong) tries += 1;
        const told = wrong && tries >= whole && answer.words !== answer.reason ? answer.words : "";
        words.hidden = !told;
        // A table keeps its columns and scrolls; a sentence is folded.
        const at = kind === "gradient" ? told.lastIndexOf("\n") : -1;
        words.replaceChildren(told.slice(0, Math.max(0, at)), element("span", {}, told.slice(at + 1)));
        if (answer.refusal) return stage.say("");
        if (answer.right) memory((it) => it.setItem(name, typed.value));
        const hint = stage.place.parentElement.querySelector("details.hint");
        if (wrong && hint) hint.open = true;
        stage.say(answer.right ? "Right: the engine and you agree."
            : told ? "Not yet. The verdict above shows why." : `Not yet. ${answer.reason}`);
    }

    // The form is shown only if the engine runs.
    const ask = (answer) => stage.ask(`task ${kind}`, answer, ...asked);
    await ask("");
    const before = memory((it) => it.getItem(name));
    if (before) {
        typed.value = before;
        stage.say("You have already answered this correctly.");
    }
});
