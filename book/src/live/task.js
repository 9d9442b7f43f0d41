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
    const called = { gradient: `the gradient of ${of}`, order: "the order", owners: `how many owners ${of} has`, place: "where x is" }[kind];
    // A browser may refuse to remember what a page from a folder tells it.
    const memory = (work) => {
        try {
            return work(localStorage);
        } catch {
            return null;
        }
    };

    const typed = element("input", { type: "text", autocomplete: "off", inputmode: kind === "order" ? "text" : "decimal", "aria-label": called });
    const words = element("pre", { class: "words picture", hidden: true });
    const form = element("form", { class: "row", submit: (event) => { event.preventDefault(); judge(); } },
        element("label", { class: "typed" }, label, typed),
        element("button", { type: "submit" }, "Judge it"));
    stage.place.append(form, words);

    async function judge() {
        const answer = await stage.ask(`task ${kind}`, typed.value, ...asked);
        stage.refuse(answer.refusal);
        words.hidden = !answer.words;
        // A table keeps its columns and scrolls; a sentence is folded.
        const told = answer.words ?? "";
        const at = kind === "gradient" ? told.lastIndexOf("\n") : -1;
        words.replaceChildren(told.slice(0, Math.max(0, at)), element("span", {}, told.slice(at + 1)));
        if (answer.refusal) return;
        if (answer.right) memory((it) => it.setItem(name, typed.value));
        stage.say(answer.right ? "Right: the engine and you agree." : "Not yet. Above is what the engine says to it.");
    }

    const before = memory((it) => it.getItem(name));
    if (before) {
        typed.value = before;
        stage.say("You were right here before.");
    }
});
