// A sum as a tree, with sequential or interleaved addressing, round by round,
// and the warps that are active in each round.
"use strict";

live.figure("tree", async (stage) => {
    const { element } = live;
    const [items, warp, wide] = [16, 4, 24];
    const ways = { halves: "sequential addressing", neighbors: "interleaved addressing" };

    const way = element("select", { change: () => show() },
        ...Object.entries(ways).map(([value, words]) => element("option", { value }, words)));
    const slider = (words, min, max, value) => {
        const it = element("input", { type: "range", min, max, step: 1, value, input: () => show() });
        const told = element("output", { class: "code" });
        stage.add("div", { class: "row" }, element("label", { class: "grow" }, `${words} `, it), told);
        return { it, told };
    };
    stage.add("div", { class: "row" }, element("label", {}, "Tree with ", way));
    const numbers = slider("Elements", 1, items, items);
    const rounds = slider("Rounds", 0, 4, 4);
    const picture = stage.add("div", { class: "picture" });
    const table = stage.add("table", { class: "numbers" });

    const of = (warps) => [warps.filter((count) => count > 0).length, warps.length];
    const total = (rounds) => rounds.slice(1).reduce((sum, warps) => sum + of(warps)[0], 0);

    async function show() {
        const answer = await stage.ask("tree", numbers.it.value);
        stage.refuse(answer.refusal);
        if (answer.refusal) return;
        const made = Number(rounds.it.value);
        const steps = answer[way.value].rounds;
        numbers.told.textContent = numbers.it.value;
        rounds.told.textContent = `${made} of 4`;
        const x = (item) => 4 + item * wide;
        const y = (round) => 18 + round * 62;
        const drawn = steps.map(({ local, adds, warps }, round) => {
            const top = y(round);
            const later = round > made;
            const working = new Set(round ? adds.map(([item]) => item) : local.map((_, item) => item));
            const bands = warps.map((count, at) => (count === 0 || later ? "" :
                `<rect x="${x(at * warp) + 1}" y="${top - 2}" width="${warp * wide - 2}" height="26" rx="4" fill="var(--fig-gpu)" fill-opacity="0.22"/>`));
            const cells = local.map((value, item) => (later ? "" :
                `<rect x="${x(item) + 2}" y="${top}" width="${wide - 4}" height="22" fill="none" stroke="${working.has(item) ? "var(--fig-gpu)" : "currentColor"}"` +
                ` stroke-opacity="${working.has(item) ? 1 : 0.35}" stroke-width="${working.has(item) ? 1.8 : 1}"/>` +
                (working.has(item) ? `<text class="code" x="${x(item) + wide / 2}" y="${top + 15}" text-anchor="middle"${value > 99 ? ' font-size="10"' : ""}>${value}</text>` : "")));
            const lines = later ? [] : adds.flatMap(([item, cell]) => [item, cell].map((from) =>
                `<path d="M${x(from) + wide / 2} ${top - 40}L${x(item) + wide / 2} ${top}" stroke="currentColor" stroke-opacity="0.55"/>`));
            const [busy] = of(warps);
            const split = warps.filter((count) => count > 0 && count < warp).length;
            const words = round === 0 ? "" : later ? `round ${round}` :
                `round ${round}: ${adds.length} item${adds.length > 1 ? "s" : ""} in ${busy} warp${busy > 1 ? "s" : ""}${split ? `, which diverge${busy > 1 ? "" : "s"}` : ""}`;
            return [`${lines.join("")}${bands.join("")}${cells.join("")}`,
                `<text class="halo" x="${x(items)}" y="${top + 37}" text-anchor="end" opacity="${later ? 0.75 : 1}">${words}</text>`];
        });
        const now = steps[made];
        const sentence = made === 0 ? `${numbers.it.value} element${numbers.it.value === "1" ? " is" : "s are"} in local memory; items without one contributed 0.` :
            `Round ${made}: ${now.adds.length} item${now.adds.length > 1 ? "s add" : " adds"}, in ${of(now.warps)[0]} of 4 warps.` +
            `${made === 4 ? ` The sum is ${now.local[0]}.` : ""}`;
        picture.innerHTML = `<svg class="small slim" viewBox="0 0 392 ${y(4) + 44}" role="img" aria-label="${sentence}">${[0, 1].map((part) => drawn.map((it) => it[part]).join("")).join("")}</svg>`;
        const row = (name, key) => element("tr", {}, element("th", { scope: "row" }, name),
            element("td", {}, String(total(answer[key].rounds.map((it) => it.warps)))), element("td", {}, String(total(answer[key].large))));
        table.replaceChildren(element("thead", {}, element("tr", {}, ...["active warps, all rounds together", "16 items, warps of 4", "256 items, warps of 32"]
            .map((word) => element("th", { scope: "col" }, word)))),
            element("tbody", {}, row(ways.halves, "halves"), row(ways.neighbors, "neighbors")));
        stage.say(`${sentence} In a group of 256, all rounds together have ` +
            `${total(answer[way.value].large)} active warps, with ${ways[way.value]}.`);
    }
    await show();
});
