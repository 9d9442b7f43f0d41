// An expression whose leaves can be dragged and whose tape can be played
// forward and backward. The table compares each gradient with the finite
// difference. With data-fixed, the expression cannot be edited.
"use strict";

live.figure("expression", async (stage) => {
    const { element } = live;
    const name = stage.options.name ?? "own";
    const values = new Map();
    for (const input of (stage.options.inputs ?? "a=2,3 b=3,4").split(" ")) {
        const [leaf, list] = input.split("=");
        values.set(leaf, list.split(",").map(Number));
    }

    const typed = element("input", {
        type: "text", value: stage.options.expression ?? "(a*b)*b", spellcheck: "false",
        autocapitalize: "off", autocomplete: "off", input: () => read(),
    });
    if (stage.options.fixed === undefined) stage.add("label", { class: "typed" }, "Expression ", typed);
    // The message about an expression that cannot be parsed is next to it.
    stage.place.append(stage.refusal);
    const leaves = stage.add("div", { class: "leaves" });
    const picture = stage.add("div", { class: "picture" });
    const table = stage.add("table", { class: "verdict" },
        element("thead", {}, element("tr", {}, ...["gradient", "by the engine", "by nudging", "they"]
            .map((word) => element("th", { scope: "col" }, word)))));
    const rows = table.appendChild(element("tbody"));
    let reread;

    // Names that are new in the expression begin with the first leaf's length.
    function names() {
        const found = typed.value.match(/[\p{L}_][\p{L}\p{N}_]*(?!\s*\()(?![\p{L}\p{N}_])/gu) ?? [];
        const length = values.get([...values.keys()][0])?.length ?? 1;
        const used = [...new Set(found)];
        for (const leaf of used) {
            if (!values.has(leaf)) values.set(leaf, Array.from({ length }, (_, i) => 2 + i));
        }
        return used;
    }

    function leaf(name) {
        const box = element("fieldset", {}, element("legend", {}, name));
        values.get(name).forEach((value, i) => {
            const called = values.get(name).length > 1 ? `${name}, element ${i}` : name;
            const slide = element("input", {
                type: "range", min: -5, max: 5, step: 0.25, value, "aria-label": `drag ${called}`,
                input: () => set(slide.value, number),
            });
            const number = element("input", {
                type: "number", step: "any", value, "aria-label": called,
                input: () => set(number.value, slide),
            });
            function set(text, other) {
                if (text === "" || !Number.isFinite(Number(text))) return;
                values.get(name)[i] = Number(text);
                other.value = text;
                show(`${called} is ${text}`);
            }
            box.append(element("span", { class: "leaf" }, slide, number));
        });
        return box;
    }

    let shown = "";
    function read() {
        const used = names();
        if (used.join() !== shown) {
            shown = used.join();
            leaves.replaceChildren(...used.map(leaf));
        }
        return show(typed.value, true);
    }

    // The last picture stays while an expression is half typed, and says so.
    let last = "";
    async function show(what, another = false) {
        const inputs = names().map((leaf) => `${leaf}=${values.get(leaf).join(",")}`);
        // The static figure uses the name in its ids.
        const answer = await stage.ask(`try ${name}-live`, typed.value, ...inputs);
        stage.refuse(answer.refusal);
        typed.setAttribute("aria-invalid", Boolean(answer.refusal));
        for (const it of [picture, table]) it.classList.toggle("old", Boolean(answer.refusal));
        if (answer.refusal) return stage.say(`The figure and the table still show ${last}.`);
        last = typed.value;
        picture.innerHTML = answer.svg;
        reread?.(another);
        const row = (...cells) => element("tr", {}, ...cells);
        const reason = (words) => row(element("td", { colspan: 4, class: "reason" }, words));
        // The reason why a gradient differs or cannot be judged is below it.
        rows.replaceChildren(...answer.inputs.flatMap((input) => [
            row(...[input.name, input.engine, input.nudged, input.word].map((word) => element("td", {}, word))),
            ...(input.note ? [reason(`${input.name}: ${input.note}`)] : []),
        ]));
        if (answer.culprit === "the expression") rows.append(reason("Every rule is right, but the tape does not compute the expression."));
        else if (answer.culprit) rows.append(reason(`The first wrong rule is in line ${answer.culprit}.`));
        const gradients = answer.inputs.map((it) => `${it.name} ${it.engine}, ${it.word}${it.note ? ` (${it.note})` : ""}`).join("; ");
        const result = answer.summed ? `The elements of the result add up to ${answer.result}, and these are the gradients of that sum:` : `The result is ${answer.result}. Gradients:`;
        stage.say(`${what}. ${result} ${gradients}.`);
    }

    stage.unseen();
    await read();
    stage.started = () => { reread = stepper(picture.parentElement, picture); };
});
