// A work-group: the reader chooses its barriers and the order of its steps,
// item by item, or lets the search find an order that breaks it.
"use strict";

live.figure("group", async (stage) => {
    const { element } = live;
    const count = 4;
    let [order, made, answer] = ["", 0, null];

    const load = element("input", { type: "checkbox", change: () => begin() });
    load.checked = true;
    const rounds = element("select", { change: () => begin() },
        ...Object.entries({ "": "none", behind: "after the if", inside: "inside the if" })
            .map(([value, words]) => element("option", { value }, words)));
    stage.add("div", { class: "row" },
        element("label", {}, load, " barrier after the load"),
        element("label", {}, "Barrier in each round ", rounds));
    const button = (words, click) => element("button", { type: "button", click }, words);
    stage.add("div", { class: "row" },
        button("In turn", () => run("in-turn")), button("Reversed", () => run("reversed")),
        button("Lockstep", () => run("lockstep")),
        button("Random", () => run(`random ${Math.floor(Math.random() * 1e6)}`)),
        button("Find one that breaks it", () => search(true)), button("Try all", () => search(false)));

    const items = Array.from({ length: count }, (_, item) => button("", () => step(item)));
    const table = stage.add("table", { class: "schedule" }, element("thead", {}, element("tr", {},
        element("th", { scope: "col" }, "step"), ...items.map((it) => element("th", { scope: "col" }, it)),
        element("th", { scope: "col" }, "memory"))));
    const rows = table.appendChild(element("tbody"));
    const slide = element("input", { type: "range", min: 0, step: 1, "aria-label": "steps made", input: () => go(order, Number(slide.value)) });
    const told = element("output", { class: "code" });
    stage.add("div", { class: "row" }, button("Back to the start", () => go("", 0)), element("label", { class: "grow" }, "Steps ", slide), told);
    const endings = stage.add("table", { class: "endings", hidden: true });

    const barriers = () => [load.checked && "load", rounds.value].filter(Boolean).join(" ");

    async function go(next, steps, sentence) {
        const found = await stage.ask("group", barriers(), next, String(steps));
        stage.refuse(found.refusal);
        if (found.refusal) return;
        [order, answer] = [next, found];
        made = Math.min(steps, found.steps.length);
        show(sentence);
    }

    // After a complete run the reader can go through its steps again.
    function run(name) {
        return go(name, 1000);
    }

    function step(item) {
        if (!answer.items[item].next) return;
        const done = answer.steps.slice(0, made).map((it) => it.item);
        go([...done, item].join(" "), made + 1);
    }

    async function search(breaking) {
        const found = await stage.ask("group", barriers(), "all");
        const wrong = found.endings.filter((it) => !it.right);
        const of = (number) => number.toLocaleString("en");
        // An ending that is not a list of values is a sentence.
        const told = ({ schedules, end }) => (end.endsWith(".") ? `${of(schedules)} end otherwise. ${end}` : `${of(schedules)} end with ${end}.`);
        const sentence = `${of(found.schedules)} schedules. ${found.endings.map(told).join(" ")}`;
        endings.hidden = false;
        endings.replaceChildren(element("thead", {}, element("tr", {}, ...["schedules", "end with", "which is"]
            .map((word) => element("th", { scope: "col" }, word)))),
            element("tbody", {}, ...found.endings.slice(0, 8).map((it) => element("tr", {},
                element("td", {}, of(it.schedules)), element("td", {}, it.end),
                element("td", {}, it.right ? "right" : "wrong", " ", button("show", () => go(it.order, 1000)))))));
        if (!breaking) stage.say(sentence);
        else if (wrong.length) await go(wrong[0].order, 1000, "This order breaks it.");
        else stage.say(`No order breaks it. ${sentence}`);
    }

    function show(sentence = "") {
        const { steps } = answer;
        slide.max = steps.length;
        slide.value = made;
        told.textContent = `${made} of ${steps.length}`;
        const lines = [];
        steps.forEach((it, at) => {
            if (at > 0 && it.phase > steps[at - 1].phase) {
                lines.push(element("tr", { class: at <= made ? "barrier" : "barrier later" },
                    element("td", { colspan: count + 2 }, at <= made ? "barrier" : "")));
            }
            const is = at < made;
            const cells = Array.from({ length: count }, (_, item) =>
                element("td", { class: is && it.races ? "races" : "" }, is && it.item === item ? it.words : ""));
            lines.push(element("tr", {}, element("td", {}, String(at + 1)), ...cells, element("td", {}, is ? it.local : "")));
        });
        rows.replaceChildren(...lines);
        items.forEach((it, item) => {
            const { next, waits } = answer.items[item];
            const words = next ?? (waits ? "waits" : "is done");
            it.replaceChildren(`item ${item} `, element("br"), element("span", {}, words));
            it.setAttribute("aria-disabled", !next);
        });
        const last = steps[made - 1];
        const step = last ? `Step ${made}: item ${last.item}, ${last.words}; memory is ${last.local}.` : "Press an item: it makes its next step.";
        const whole = made === steps.length;
        const end = !whole ? "" : answer.right ? ` It ends with ${answer.end}: the sum is right.`
            : answer.end.startsWith("A ") ? ` ${answer.end}` : ` It ends with ${answer.end}, and 10 would be right.`;
        const race = answer.race ? ` ${answer.race}` : "";
        stage.say(`${sentence} ${step}${end}${race}`.trim());
    }

    async function begin() {
        endings.hidden = true;
        await go("", 0);
    }
    // The first four steps load the elements. They do not depend on the order.
    await go("0 1 2 3", 4);
});
