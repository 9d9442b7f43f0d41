// The diamond: its tensors are visited in any order, and the gradients come out
// right or wrong.
"use strict";

live.figure("diamond", async (stage) => {
    const { element } = live;
    const places = { a: [6, 20], b: [6, 150], c: [122, 20], d: [238, 100], e: [354, 20] };
    const [wide, high] = [100, 64];
    const made = { a: "a = 2", b: "b = 3", c: "c = a × b", d: "d = c × b", e: "e = c + d" };
    const wires = ["ac", "bc", "cd", "bd", "de", "ce"];
    let order = "";

    const kept = element("select", { change: () => begin() },
        element("option", { value: "map" }, "in a map that is emptied (the engine)"),
        element("option", { value: "tensors" }, "at their tensors (step 4)"));
    stage.add("div", { class: "row" }, element("label", {}, "Gradients are kept ", kept));
    const picture = stage.add("div", { class: "picture" });
    stage.add("div", { class: "row" },
        element("button", { type: "button", click: () => begin() }, "Begin again"),
        element("button", { type: "button", click: () => visit("+") }, "Another backward"));
    const table = stage.add("table", { class: "ends" },
        element("thead", {}, element("tr", {}, ...["leaf", "in your order", "right", "yours is"]
            .map((word) => element("th", { scope: "col" }, word)))));
    const rows = table.appendChild(element("tbody"));

    function draw(answer) {
        const { grads } = answer.visits.at(-1);
        const last = order.split("+").at(-1);
        const given = new Set((answer.visits.at(-1).gave ?? []).map(([to]) => to));
        const middle = (name, side) => [places[name][0] + (side ? wide : 0), places[name][1] + high / 2];
        const lines = wires.map(([from, to]) => {
            const [[x, y], [u, v]] = [middle(from, true), middle(to, false)];
            const color = last.at(-1) === to && given.has(from) ? "var(--fig-grad)" : "currentColor";
            return `<path d="M${x} ${y}L${u} ${v}" stroke="${color}" stroke-width="${color === "currentColor" ? 1.2 : 3}"/>`;
        });
        const boxes = Object.entries(places).map(([name, [x, y]]) => {
            const visited = [...last].map((it, i) => (it === name ? i + 1 : "")).filter(Boolean).join(", ");
            const gone = visited && !(name in grads);
            const grad = name in grads ? `grad ${grads[name]}` : gone ? "passed on" : "";
            return `<g class="node" role="button" tabindex="0" data-node="${name}"
                aria-label="${made[name]} ${grad} ${visited}: visit it${visited && `, visited as number ${visited}`}">
                <rect x="${x}" y="${y}" width="${wide}" height="${high}" rx="10" stroke="currentColor" fill="none" pointer-events="all"
                stroke-width="${visited ? 3 : 1.5}"/><text x="${x + wide / 2}" y="${y + 25}" class="code" font-weight="600">${made[name]}</text>
                <text x="${x + wide / 2}" y="${y + 49}" class="code" fill="${gone ? "var(--muted)" : "var(--fig-grad)"}">${grad}</text>
                <text x="${x + wide - 4}" y="${y - 6}" text-anchor="end">${visited && `visit ${visited}`}</text></g>`;
        });
        const held = document.activeElement?.dataset?.node;
        picture.innerHTML = `<svg class="small" viewBox="0 0 460 224" role="group" text-anchor="middle"
            aria-label="The diamond: a tensor that is clicked passes on what it has">${lines.join("")}${boxes.join("")}</svg>`;
        for (const node of picture.querySelectorAll("[data-node]")) {
            node.addEventListener("click", () => visit(node.dataset.node));
            node.addEventListener("keydown", (event) => {
                if (event.key !== "Enter" && event.key !== " ") return;
                event.preventDefault();
                visit(node.dataset.node);
            });
        }
        if (held) picture.querySelector(`[data-node="${held}"]`).focus();
    }

    async function visit(name) {
        const answer = await stage.ask("diamond", order + name, kept.value);
        stage.refuse(answer.refusal);
        if (answer.refusal) return;
        order += name;
        show(answer);
    }

    function show(answer) {
        draw(answer);
        const { visited, gave, grads } = answer.visits.at(-1);
        rows.replaceChildren(...["a", "b"].map((leaf) => {
            const whole = new Set(order.split("+").at(-1)).size === 5;
            const word = grads[leaf] === answer.right[leaf] ? "right" : whole ? "wrong" : "";
            return element("tr", {}, ...[leaf, grads[leaf] ?? "", answer.right[leaf], word]
                .map((it) => element("td", {}, String(it))));
        }));
        const left = ["c", "d"].filter((name) => name in grads && kept.value === "map");
        const still = left.length ? ` Still to pass on: ${left.map((name) => `${grads[name]} at ${name}`).join(", ")}.` : "";
        // With the last visit the order is judged.
        const all = new Set(order.split("+").at(-1)).size === 5;
        const wrong = ["a", "b"].filter((leaf) => grads[leaf] !== answer.right[leaf]);
        const judged = !all ? "" : !wrong.length ? ` All five have been visited, and a and b are right.`
            : ` All five have been visited, and ${wrong.map((leaf) => `${leaf} is wrong: it has ${grads[leaf]}, and ${answer.right[leaf]} would be right`).join("; ")}.`;
        const rest = judged + still;
        const keeps = kept.value === "map" ? "keeps nothing" : `keeps its ${grads[visited]}`;
        if (!visited) stage.say("e has 1, its own gradient.");
        else if (visited === "+") stage.say(`Another backward begins: e has 1.${rest}`);
        else if (!gave.length) stage.say(`${visited} is a leaf and keeps ${grads[visited]}.${rest}`);
        else stage.say(`${visited} gives ${gave.map(([to, part]) => `${part} to ${to}`).join(" and ")}, and ${keeps}.${rest}`);
    }

    async function begin() {
        order = "";
        stage.refuse();
        show(await stage.ask("diamond", "", kept.value));
    }
    await begin();
});
