// A question: the reader writes down a gradient, the engine judges it, and this
// browser remembers who was right.
"use strict";

live.figure("task", async (stage) => {
    const { element } = live;
    const { expression, inputs, of } = stage.options;
    const name = `rungrad-task ${expression} ${inputs} ${of}`;
    // A browser may refuse to remember what a page from a folder tells it.
    const memory = (work) => {
        try {
            return work(localStorage);
        } catch {
            return null;
        }
    };

    const typed = element("input", { type: "text", autocomplete: "off", inputmode: "decimal", "aria-label": `the gradient of ${of}` });
    const words = element("pre", { class: "words picture", hidden: true });
    const form = element("form", { class: "row", submit: (event) => { event.preventDefault(); judge(); } },
        element("label", { class: "typed" }, `∇ ${of} = `, typed),
        element("button", { type: "submit" }, "Judge it"));
    stage.place.append(form, words);

    async function judge() {
        const answer = await stage.ask("task", of, typed.value, expression, ...inputs.split(" "));
        stage.refuse(answer.refusal);
        words.hidden = !answer.words;
        words.textContent = answer.words ?? "";
        if (answer.refusal) return;
        if (answer.right) memory((it) => it.setItem(name, typed.value));
        stage.say(answer.right ? "Right: the engine and you agree." : "Not yet: yours stands beside the right one.");
    }

    const before = memory((it) => it.getItem(name));
    if (before) {
        typed.value = before;
        stage.say("You were right here before.");
    }
});
