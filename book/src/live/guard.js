// A kernel without its guard, item by item: ten items run on eight numbers,
// and the last two write into a different array.
"use strict";

live.figure("guard", async (stage) => {
    const { element } = live;
    let order = ["0", "1", "2", "3", "4", "5", "6", "7", "8"];
    const guard = element("input", { type: "checkbox", change: () => begin() });
    const items = element("select", { change: () => begin() }, ...[8, 9, 10].map((n) => element("option", { value: n }, String(n))));
    items.value = "10";
    const button = (words, click) => element("button", { type: "button", click }, words);
    stage.add("div", { class: "row" }, element("label", {}, guard, " guard: if (i < n)"), element("label", {}, "Items launched ", items),
        button("Run all", () => { order = [...new Set([...order, ...Array.from({ length: items.value }, (_, i) => String(i))])]; show(); }),
        button("Start again", () => begin()));
    const kernel = stage.add("pre", { class: "kernel" }, element("span"));
    const buttons = stage.add("div", { class: "items", role: "group", "aria-label": "items" });
    const picture = stage.add("div", { class: "picture" });
    const table = stage.add("table", { class: "numbers" });
    const [cell, left, top] = [36, 8, 26];
    stage.unseen();

    function begin() {
        order = [];
        return show();
    }
    function press(item) {
        if (!order.includes(String(item))) order.push(String(item));
        return show();
    }

    async function show() {
        // An empty last line would not be sent.
        const answer = await stage.ask("guard", guard.checked ? "guard" : "", items.value, order.join(" ") || " ");
        stage.refuse(answer.refusal);
        if (answer.refusal) return;
        const { n, memory, last } = answer;
        kernel.firstChild.textContent = `uint i = get_global_id(0);\n${guard.checked ? "if (i < n)\n    " : ""}out[i] = 2.0f * a[i];`;
        const focused = [...buttons.children].indexOf(document.activeElement);
        buttons.replaceChildren(...answer.items.map(({ has_run, accesses }, item) => {
            const strays = accesses.some((it) => it.outside);
            const it = button(String(item), () => press(item));
            it.setAttribute("aria-label", `item ${item}${has_run ? ", has run" : ""}`);
            it.setAttribute("aria-disabled", has_run);
            it.className = has_run && strays ? "races" : "";
            return it;
        }));
        if (focused >= 0) buttons.children[focused]?.focus();
        const wild = answer.items.flatMap((it, item) => (it.has_run ? it.accesses.filter((access) => access.writes && access.outside).map((access) => ({ ...access, item })) : []));
        // Three consecutive arrays in one memory.
        const starts = [[0, n, "a", "gpu"], [n, 2 * n, "out", "gpu"], [2 * n, memory.length, "another array", "cpu"]];
        const owner = (i) => (i < 2 * n ? `out[${i - n}]` : "in another array");
        const at = (i) => [left + (i % 8) * cell, top + Math.floor(i / 8) * 58];
        const lit = last === null ? [] : answer.items[last].accesses;
        const cells = memory.map((value, i) => {
            const [x, y] = at(i);
            const stray = wild.some((it) => it.cell === i);
            const access = lit.find((it) => it.cell === i);
            const color = starts.find(([from, to]) => i >= from && i < to)[3];
            return `<rect x="${x}" y="${y}" width="${cell}" height="32" fill="${stray ? "var(--fig-grad)" : access ? "var(--fig-value)" : "none"}" fill-opacity="0.22" stroke="var(--fig-${color})" stroke-width="${access ? 3 : 1.5}"/>` +
                `<text class="code" x="${x + cell / 2}" y="${y + 21}" text-anchor="middle" ${stray ? 'fill="var(--fig-grad)" font-weight="700"' : ""}>${value}</text>`;
        });
        const names = starts.map(([from, , name, color]) => `<text x="${at(from)[0]}" y="${at(from)[1] - 6}" font-size="14" fill="var(--fig-${color})">${name}</text>`);
        const sentence = wild.length ? `${wild.map((it) => `Item ${it.item} wrote ${it.value} to out[${it.index}]`).join(". ")}: outside of out, over a value of another array.` : "No item has written outside of out.";
        picture.innerHTML = `<svg class="small slim" viewBox="0 0 304 178" role="img" aria-label="the memory: ${memory.join(", ")}. ${sentence}">${names.join("")}${cells.join("")}</svg>`;
        const row = (head, words) => element("tr", {}, element("th", { scope: "row" }, head), element("td", { class: "reason" }, words));
        const did = last === null ? "none" : lit.length === 0 ? `item ${last} does nothing, because the guard is false`
            : `item ${last} ${lit.map((it) => `${it.writes ? "writes" : "reads"} ${it.array}[${it.index}]${it.outside ? `, which is ${owner(it.cell)}` : ""}`).join("; ")}`;
        table.replaceChildren(element("tbody", {}, row("last item", did), row("written outside of out", wild.length ? wild.map((it) => `out[${it.index}] = ${it.value}`).join(", ") : "nothing"),
            row("reported by the device", "nothing")));
        stage.say(`${last === null ? "No item has run." : `${did}.`} ${sentence} The device reports nothing.`);
    }
    await show();
});
