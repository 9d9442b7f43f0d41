// A sum as a tree, round by round: sequential and interleaved addressing next
// to each other, with the warps that are active in each round.
"use strict";

live.figure("tree", async (stage) => {
    const { element } = live;
    const [items, warp, wide] = [16, 4, 24];
    const ways = { halves: "sequential addressing", neighbors: "interleaved addressing" };

    const slide = element("input", { type: "range", min: 0, max: 4, step: 1, value: 1, input: () => show() });
    const told = element("output", { class: "code" });
    stage.add("div", { class: "row" }, element("label", { class: "grow" }, "Rounds ", slide), told);
    const answer = await stage.ask("tree", String(items));
    const pictures = Object.keys(ways).map(() => element("div", { class: "picture" }));
    stage.add("div", { class: "pair" }, ...pictures);
    const table = stage.add("table", { class: "numbers" });

    const active = (warps) => warps.filter((count) => count > 0).length;
    const total = (rounds) => rounds.slice(1).reduce((sum, warps) => sum + active(warps), 0);
    const plural = (count, word) => `${count} ${word}${count > 1 ? "s" : ""}`;
    const x = (item) => 4 + item * wide;
    const y = (round) => 38 + round * 62;

    function draw(way, made) {
        const steps = answer[way].rounds;
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
            const busy = active(warps);
            const split = warps.filter((count) => count > 0 && count < warp).length;
            const words = round === 0 ? "" : later ? `round ${round}` :
                `round ${round}: ${plural(adds.length, "item")} in ${plural(busy, "warp")}${split ? `, which diverge${busy > 1 ? "" : "s"}` : ""}`;
            return [`${lines.join("")}${bands.join("")}${cells.join("")}`,
                `<text class="halo" x="${x(items)}" y="${top + 37}" text-anchor="end" opacity="${later ? 0.75 : 1}">${words}</text>`];
        });
        const { adds, warps, local } = steps[made];
        const sentence = made === 0 ? `${ways[way]}: 16 elements are in local memory.` : `${ways[way]}, round ${made}: ${plural(adds.length, "item")} in ${active(warps)} of 4 warps.` +
            `${made === 4 ? ` The sum is ${local[0]}.` : ""}`;
        return [sentence, `<svg class="slim" viewBox="0 0 392 ${y(4) + 44}" role="img" aria-label="${sentence}"><text x="196" y="18" text-anchor="middle" font-weight="600">${ways[way]}</text>
            ${[0, 1].map((part) => drawn.map((it) => it[part]).join("")).join("")}</svg>`];
    }

    function show() {
        const made = Number(slide.value);
        told.textContent = `${made} of 4`;
        const drawn = Object.keys(ways).map((way) => draw(way, made));
        drawn.forEach(([, svg], i) => { pictures[i].innerHTML = svg; });
        const row = (name, key) => element("tr", {}, element("th", { scope: "row" }, name),
            element("td", {}, String(total(answer[key].rounds.map((it) => it.warps)))), element("td", {}, String(total(answer[key].large))));
        table.replaceChildren(element("thead", {}, element("tr", {}, ...["active warps, all rounds together", "16 items, warps of 4", "256 items, warps of 32"]
            .map((word) => element("th", { scope: "col" }, word)))),
            element("tbody", {}, row(ways.halves, "halves"), row(ways.neighbors, "neighbors")));
        stage.say(drawn.map(([sentence]) => sentence).join(" "));
    }
    stage.unseen();
    show();
});
