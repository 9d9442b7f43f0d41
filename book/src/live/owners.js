// Who owns the graph: handles are cloned and dropped, and the counts say who
// is freed.
"use strict";

live.figure("owners", async (stage) => {
    const { element } = live;
    const names = ["a", "b", "c"];
    let steps = "";

    const rule = element("select", { change: () => begin() },
        element("option", { value: "captures" }, "captures its output (micrograd)"),
        element("option", { value: "told" }, "receives grad_out (the engine)"));
    stage.add("div", { class: "row" }, element("label", {}, "The rule of c = a * b ", rule));
    const picture = stage.add("div", { class: "picture" });
    const button = (words, asked) => element("button", { type: "button", click: () => step(asked) }, words);
    const pairs = names.map((name) => [button(`clone ${name}`, `+${name}`), button(`drop ${name}`, `-${name}`)]);
    stage.add("div", { class: "row" }, ...pairs.map((pair) => element("span", { class: "row" }, ...pair)));
    stage.add("div", { class: "row" }, element("button", { type: "button", click: () => letGo() }, "Let go of all"),
        button("Another product, dropped at once", "*"),
        element("button", { type: "button", click: () => begin() }, "Begin again"));
    const told = stage.add("p", { class: "code way" });

    const places = { a: [20, 216], b: [150, 216], c: [20, 106], rule: [220, 106] };
    const size = [100, 50];
    const another = "Another product came and went.";
    let now;

    function draw() {
        const captures = rule.value === "captures";
        const alive = Object.fromEntries(names.map((name, i) => [name, now.counts[i] > 0]));
        const high = size[1];
        const box = (name, lines, lives, ring) => {
            const [x, y] = places[name];
            const wide = name === "rule" ? 128 : size[0];
            const rows = lines.map((line, i) => `<text x="${x + wide / 2}" y="${y + 21 + 19 * i}"${i ? "" : ' font-weight="600"'}>${line}</text>`);
            const edge = ring ? "var(--fig-grad)" : lives ? "currentColor" : "var(--muted)";
            return `<g fill="${lives ? "currentColor" : "var(--muted)"}"><rect x="${x}" y="${y}" width="${wide}" height="${high}" rx="${name === "rule" ? 0 : 8}"
                fill="none" stroke="${edge}" stroke-width="${ring ? 3 : 1.5}"${lives ? "" : ' stroke-dasharray="3 4"'}/>${rows.join("")}</g>`;
        };
        const arrow = (path, { ring = false, program = false } = {}) => `<path d="${path}" fill="none" stroke="${ring ? "var(--fig-grad)" : "currentColor"}"
            stroke-width="${ring ? 3 : 1.3}"${program ? ' stroke-dasharray="2 4"' : ""} marker-end="url(#owners-live-${ring ? "ring" : "head"})"/>`;
        const leaks = captures && alive.c && now.handles[2] === 0;
        const drawn = [];
        const starts = { a: "M8 44V241H16", b: "M262 44V84H356V241H254", c: "M70 44V102" };
        names.forEach((name, i) => {
            if (now.handles[i]) drawn.push(arrow(starts[name], { program: true }));
        });
        if (alive.c) {
            drawn.push(arrow("M60 156V212"), arrow("M100 156L166 213"), arrow("M120 124H216", { ring: captures }));
            if (captures) {
                drawn.push(arrow("M216 142H124", { ring: true }), arrow("M240 156L106 213"), arrow("M270 156L220 212"));
            }
        }
        const count = (i) => (now.counts[i] ? `${now.counts[i]} owner${now.counts[i] > 1 ? "s" : ""}` : "freed");
        const words = names.map((name, i) => `${name} ${count(i)}`).join(", ");
        const handles = names.flatMap((name, i) => (now.handles[i] ? [now.handles[i] > 1 ? `${name} × ${now.handles[i]}` : name] : [])).join(", ") || "nothing";
        picture.innerHTML = `<svg class="small" viewBox="0 0 368 276" role="img" text-anchor="middle" aria-label="${words}">
            <defs>${["head", "ring"].map((id) => `<marker id="owners-live-${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="${id === "ring" ? 4 : 7}"
            markerHeight="${id === "ring" ? 4 : 7}" orient="auto"><path d="M0 0 8 4 0 8z" fill="${id === "ring" ? "var(--fig-grad)" : "currentColor"}"/></marker>`).join("")}</defs>
            <rect x="4" y="6" width="360" height="38" rx="4" fill="none" stroke="currentColor" stroke-dasharray="2 5"/>
            <text x="184" y="30">your program holds ${handles}</text>${drawn.join("")}
            ${names.map((name, i) => box(name, [name, count(i)], alive[name], name === "c" && leaks)).join("")}
            ${box("rule", ["rule of c", !alive.c ? "freed" : captures ? "owns a, b, c" : "owns two arrays"], alive.c, leaks)}</svg>`;
        told.textContent = `tensors alive: ${now.alive}`;
    }

    async function look(asked, what) {
        const answer = await stage.ask("owners", asked, rule.value);
        stage.refuse(answer.refusal);
        if (answer.refusal) return;
        steps = asked;
        const stay = now ? answer.alive - now.alive : 0;
        now = answer;
        pairs.forEach((pair, i) => pair.forEach((it) => it.setAttribute("aria-disabled", now.handles[i] === 0)));
        draw();
        const counts = names.map((name, i) => `${name} ${now.counts[i] || "is freed"}`).join(", ");
        const held = now.handles.some((it) => it > 0);
        const lost = now.counts.filter((it) => it > 0).length;
        const end = held ? "" : lost ? ` Your program holds nothing, and ${lost} tensors stay: c owns its rule, and its rule owns c.`
            : " Your program holds nothing, and nothing is left.";
        if (what === another && stay > 0) what = `Another product came, and its ${stay} tensors stay: c owns its rule, its rule owns them, and nobody else can reach them.`;
        stage.say(`${what} Owners: ${counts}. Alive: ${now.alive}.${end}`);
    }

    const step = (asked) => look(steps + asked, asked === "*" ? another
        : `You ${asked[0] === "+" ? "clone" : "drop"} a handle of ${asked[1]}.`);
    const letGo = () => look(steps + names.map((name, i) => `-${name}`.repeat(now.handles[i])).join(""), "You let go of all.");
    function begin() {
        return look("", rule.value === "told" ? "The rule owns two arrays and no tensor." : "The rule owns a, b and c.");
    }
    await begin();
});
