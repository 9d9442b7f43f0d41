// One memory and views of it: what is looked at lights up, in the memory and
// in the view.
"use strict";

live.figure("strides", async (stage) => {
    const { element, cells } = live;
    let words = ["2x3"];
    let now;
    let boxes;

    const array = element("select", { change: () => begin() },
        ...["2x3", "3x4", "4x4", "6"].map((shape) => element("option", {}, shape)));
    // Each button asks for the word that its view has for this shape.
    const last = (shape, word) => [...shape.slice(1).map(() => ".."), word].join(",");
    const moves = {
        transpose: ({ shape }) => `permute=${shape.map((_, axis) => shape.length - 1 - axis).join(",")}`,
        "flip the last axis": ({ shape }) => `flip=${shape.length - 1}`,
        "all but the first of the last axis": ({ shape }) => `slice=${last(shape, "1..")}`,
        "every second of the last axis": ({ shape }) => `slice=${last(shape, "..:2")}`,
        "broadcast to two": ({ shape }) => `expand=${[2, ...shape].join("x")}`,
        flatten: ({ shape }) => `reshape=${shape.reduce((all, size) => all * size, 1)}`,
    };
    const buttons = Object.entries(moves).map(([name, word]) =>
        element("button", { type: "button", click: () => move(word(now)) }, name));
    const typed = element("input", { type: "text", value: "windows=2x2", size: 14, autocomplete: "off", spellcheck: "false" });
    stage.add("div", { class: "row" }, element("label", {}, "Array ", array), ...buttons);
    stage.add("details", {}, element("summary", {}, "Your own view"), element("form", { class: "row", submit: (event) => { event.preventDefault(); move(typed.value); } },
        element("label", {}, "View ", typed), element("button", { type: "submit" }, "Apply")));
    stage.add("div", { class: "row" }, element("button", { type: "button", click: () => back() }, "Undo"),
        element("button", { type: "button", click: () => begin() }, "Start over"));
    const way = stage.add("p", { class: "code way" });
    const memory = stage.add("div", { class: "array picture" });
    const numbers = stage.add("p", { class: "code way" });
    const shown = stage.add("div", { class: "array picture" });

    const list = (values) => `[${values.join(", ")}]`;
    const index = (i) => now.shape.map((size, axis) =>
        Math.floor(i / now.shape.slice(axis + 1).reduce((all, n) => all * n, 1)) % size);

    async function look(asked, what) {
        const answer = await stage.ask("strides", ...asked);
        stage.refuse(answer.refusal);
        if (answer.refusal) return false;
        const before = answer.length > 1 ? answer.at(-2) : undefined;
        words = asked;
        now = answer.at(-1);
        const copied = before && before.memory.join() !== now.memory.join();
        way.textContent = words.join(" → ");
        numbers.textContent = `shape ${list(now.shape)}  strides ${list(now.strides)}  offset ${now.offset}`;
        boxes = {
            memory: cells({
                name: "the memory", shape: [now.memory.length], pick: (slot) => light("memory", slot),
                of: (slot) => ({ lines: [["from", String(slot)], ["value", String(now.memory[slot])]],
                    called: `slot ${slot} holds ${now.memory[slot]}` }),
            }),
            view: cells({
                name: `the view, shape ${list(now.shape)}`, shape: now.shape, pick: (i) => light("view", i),
                of: (i) => ({ lines: [["value", String(now.memory[now.slots[i]])]],
                    called: `element ${list(index(i))} is ${now.memory[now.slots[i]]}` }),
            }),
        };
        const seen = new Set(now.slots);
        [...boxes.memory.children].forEach((cell, slot) => cell.classList.toggle("unseen", !seen.has(slot)));
        memory.replaceChildren(element("b", {}, !copied ? "the memory"
            : `a new memory: ${/^reshape/.test(words.at(-1)) ? "no strides can express this view, so " : ""}the elements were copied`), boxes.memory,
            element("small", {}, "small, above: the slot; below: its value"));
        shown.replaceChildren(element("b", {}, "the view of it"), boxes.view);
        const unseen = now.memory.length - seen.size;
        stage.say(`${what}: shape ${list(now.shape)}, strides ${list(now.strides)}, offset ${now.offset}. ` +
            `${copied ? "The elements were copied." : "No element has moved."}${unseen ? ` ${unseen} slot${unseen > 1 ? "s are" : " is"} not in the view.` : ""} Point at an element.`);
        return true;
    }

    function light(where, i) {
        const slot = where === "memory" ? i : now.slots[i];
        const elements = now.slots.flatMap((it, at) => (it === slot ? [at] : []));
        const lit = { memory: [slot], view: elements };
        for (const [name, box] of Object.entries(boxes)) {
            [...box.children].forEach((cell, at) => {
                cell.classList.toggle("chosen", name === where && at === i);
                cell.classList.toggle("lit", name !== where && lit[name].includes(at));
                if (name === where && where === "view") cell.classList.toggle("lit", at !== i && elements.includes(at));
            });
        }
        if (where === "view") {
            const steps = index(i).map((at, axis) => ` + ${at} · ${now.strides[axis]}`).join("");
            const again = elements.length > 1 ? ` ${elements.length} elements show this slot.` : "";
            stage.say(`Element ${list(index(i))}: ${now.offset}${steps} = slot ${slot}, which holds ${now.memory[slot]}.${again}`);
        } else {
            stage.say(elements.length === 0 ? `No element shows slot ${slot}.`
                : `Slot ${slot} is element ${elements.map((at) => list(index(at))).join(" and ")}.`);
        }
    }

    async function move(word) {
        await look([...words, word.trim()], word.trim());
    }
    async function back() {
        if (words.length > 1) await look(words.slice(0, -1), "Undone");
    }
    async function begin() {
        await look([array.value], "Row by row");
    }
    // The element of the chapter's first paragraph: [2, 1] of the transposed
    // matrix.
    await look(["2x3", "permute=1,0"], "Transposed");
    light("view", 5);
});
