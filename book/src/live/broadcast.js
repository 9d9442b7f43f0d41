// Two shapes that meet in a product: an element, its copies, and where its
// gradient is summed.
"use strict";

live.figure("broadcast", async (stage) => {
    const { element, cells } = live;
    const pairs = {
        "2,1 1,3": "a column and a row", "2,3 3": "a matrix and a row", "2,3": "a matrix and a single number",
        "2,2,3 2,1": "three axes and a column", "2,3 2": "two that do not fit",
    };
    const typed = ["2,1", "1,3"].map((shape, side) => element("input", {
        type: "text", value: shape, size: 7, autocomplete: "off", spellcheck: "false",
        "aria-label": `shape of ${"ab"[side]}`, input: () => begin(),
    }));
    const choice = element("select", { "aria-label": "two shapes", change: () => {
        const [a, b = ""] = choice.value.split(" ");
        [typed[0].value, typed[1].value] = [a, b];
        begin();
    } }, ...Object.entries(pairs).map(([value, words]) => element("option", { value }, words)),
    element("option", { value: "", hidden: true }, "your own shapes"));
    stage.add("div", { class: "row" }, choice, element("label", {}, "a (", typed[0], ")"), element("label", {}, "b (", typed[1], ")"));
    const place = stage.add("div", { class: "arrays picture" });

    const index = (i, shape) => `[${shape.map((size, axis) =>
        Math.floor(i / shape.slice(axis + 1).reduce((all, n) => all * n, 1)) % size).join(", ")}]`;
    let now;
    let boxes;

    function array(name, shape, axes, of) {
        const box = cells({ name: `${name}, shape (${shape.join(", ")})`, shape, of, pick: (i) => pick(name, i) });
        const note = axes?.length ? `copied along ${axes.length > 1 ? "axes" : "axis"} ${axes.join(" and ")}` : "";
        return [box, element("div", { class: "array" }, element("b", { class: "code" }, `${name} (${shape.join(", ")})`),
            box, element("small", {}, note))];
    }

    async function begin() {
        const answer = await stage.ask("broadcast", typed[0].value, typed[1].value);
        stage.refuse(answer.refusal);
        typed.forEach((it) => it.setAttribute("aria-invalid", Boolean(answer.refusal)));
        place.classList.toggle("old", Boolean(answer.refusal));
        const pair = typed.map((it) => it.value).join(" ").trim();
        choice.value = pair in pairs ? pair : "";
        if (answer.refusal) return;
        now = answer;
        const side = (name) => ({ shape, axes, values, grad }) => array(name, shape, axes, (i) => ({
            lines: [["value", String(values[i])], ["grad", `∇ ${grad[i]}`]],
            called: `${name}${index(i, shape)} is ${values[i]}, gradient ${grad[i]}`,
        }));
        const made = [side("a")(answer.a), side("b")(answer.b), array("c", answer.shape, [], (i) => ({
            lines: [["from", factors(i).join(" × ")], ["value", String(answer.values[i])], ["grad", `∇ ${answer.back[i]}`]],
            called: `c${index(i, answer.shape)} is ${answer.values[i]}, gradient ${answer.back[i]}`,
        }))];
        boxes = Object.fromEntries(["a", "b", "c"].map((name, i) => [name, made[i][0]]));
        const [a, b, c] = made.map(([, whole]) => whole);
        place.replaceChildren(a, element("span", {}, "×"), b, element("span", {}, "="), c);
        pick("a", 0, " Point at another one, in a, b or c.");
    }

    const factors = (i) => [now.a, now.b].map((it) => it.values[it.places[i]]);

    // Highlights an element and the elements connected with it.
    function pick(name, i, hint = "") {
        const copies = name === "c" ? [i] : now[name].places.flatMap((from, at) => (from === i ? [at] : []));
        const lit = name === "c" ? { a: [now.a.places[i]], b: [now.b.places[i]], c: [] } : { a: [], b: [], c: copies };
        for (const [array, box] of Object.entries(boxes)) {
            [...box.children].forEach((cell, at) => {
                cell.classList.toggle("chosen", array === name && at === i);
                cell.classList.toggle("lit", lit[array].includes(at));
            });
        }
        if (now.values.length === 0) {
            stage.say("The product has no elements: no element is copied, and a sum of no elements is 0.");
            return;
        }
        const places = (list) => list.map((at) => `c${index(at, now.shape)}`).join(", ");
        if (name === "c") {
            const [x, y] = factors(i);
            const gives = (side, factor) => `${now.back[i]} × ${factor} = ${now[side].parts[i]} to ${side}${index(now[side].places[i], now[side].shape)}`;
            stage.say(`${places([i])} = ${x} × ${y} = ${now.values[i]}. Its gradient ${now.back[i]} gives ${gives("a", y)} and ${gives("b", x)}.`);
            return;
        }
        const { shape, values, grad, parts } = now[name];
        const other = (at) => factors(at)[name === "a" ? 1 : 0];
        const sum = copies.map((at) => `${now.back[at]} × ${other(at)}`).join(" + ");
        const total = copies.length > 1 ? `${sum} = ${copies.map((at) => parts[at]).join(" + ")} = ${grad[i]}` : `${sum} = ${grad[i]}`;
        stage.say(`${name}${index(i, shape)} = ${values[i]} is used ${copies.length === 1 ? "once" : `${copies.length} times`} ` +
            `in c: ${places(copies)}. Its gradient: ${total}.${hint}`);
    }

    await begin();
});
