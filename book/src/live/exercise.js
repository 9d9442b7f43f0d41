// An exercise: the reader types an expression or numbers, and the check of the
// exercise, in the engine, prints its verdict.
"use strict";

live.figure("exercise", async (stage) => {
    const { element } = live;
    const { exercise } = stage.options;
    // The label of each input, and its first value.
    const fields = {
        first_forward: [["forward(a, b) =", "(a*b)*b"]],
        find_the_values: [["a =", "2"], ["b =", "3"]],
        mul_rule: [["grad_a =", "grad_out"], ["grad_b =", "grad_out"]],
    }[exercise];
    const inputs = fields.map(([, value]) => element("input", {
        type: "text", value, autocomplete: "off", spellcheck: "false", autocapitalize: "off",
    }));
    stage.add("form", { class: "row", submit: (event) => { event.preventDefault(); check(); } },
        ...fields.map(([label], i) => element("label", { class: "typed" }, label, inputs[i])),
        element("button", { type: "submit" }, "Check"));
    stage.place.append(stage.refusal);
    const printed = element("pre", { class: "printed picture" });
    stage.add("div", { "aria-live": "polite" }, printed);

    // The verdict is printed for a terminal as wide as its place.
    function columns() {
        const ruler = element("span", { class: "ruler" }, "0".repeat(10));
        printed.append(ruler);
        const columns = 10 * printed.clientWidth / ruler.getBoundingClientRect().width;
        ruler.remove();
        return Math.floor(columns);
    }

    const ask = (columns) => stage.ask(`exercise ${exercise}`, columns, ...inputs.map((it) => it.value));
    async function check() {
        const { refusal, solved, verdict } = await ask(columns());
        stage.refuse(refusal);
        const lines = verdict?.replace(/^\n|\n$/g, "").split("\n") ?? [];
        // Sentences are folded, and tables keep their columns.
        const kinds = { ok: "passed", solved: "passed", failing: "failed", diagnosis: "folded" };
        printed.replaceChildren(...lines
            .map((line) => element("span", { class: kinds[line.match(/\w+/)] ?? "" }, `${line}\n`)));
        if (!refusal) stage.say(solved ? `The same exercise in your editor: cargo learn check ${exercise}` : "");
    }

    // The form is shown only if the engine runs.
    await ask(80);
});
