// A warp: the addresses that its items read in one step, the cache lines that
// contain them, and how much of the loaded data is used.
"use strict";

live.figure("warp", async (stage) => {
    const { element } = live;
    const [line, cell] = [32, 10];
    // All touched lines share this room. If they are few, the lines after them
    // are drawn as well.
    const [room, least] = [176, 8];

    const button = (words, apart, from) => element("button", { type: "button", click: () => set(apart, from) }, words);
    stage.add("div", { class: "row" },
        button("Adjacent", 1, 0), button("Rows of 100", 100, 0), button("Rows of 1024", 1024, 0), button("One element", 0, 0));
    const slider = (words, max, value, input) => {
        const it = element("input", { type: "range", min: 0, max, step: 1, value, input });
        const row = stage.add("div", { class: "row" }, element("label", { class: "grow" }, `${words} `, it));
        const told = row.appendChild(element("output", { class: "code" }));
        return { it, told, row };
    };
    const stride = slider("Stride", 40, 1, () => { typed.value = stride.it.value; draw(); });
    const typed = element("input", { type: "number", min: 0, max: 1024, step: 1, value: 1, "aria-label": "stride, up to 1024",
        input: () => { stride.it.value = typed.value; draw(); } });
    stride.told.replaceWith(typed);
    const first = slider("Item 0 reads at", 40, 0, () => draw());
    const picture = stage.add("div", { class: "picture" });
    const swatch = (style, words) => element("span", {}, element("i", { style }), ` ${words}`);
    stage.add("p", { class: "legend" }, swatch("background: var(--fig-gpu)", "read by an item"),
        swatch("background: color-mix(in srgb, var(--fig-gpu) 25%, transparent)", "a sector that is loaded"));
    const table = stage.add("table", { class: "numbers" });

    function set(apart, from) {
        for (const it of [stride.it, typed]) it.value = apart;
        first.it.value = from;
        draw();
    }

    async function draw() {
        const from = Number(first.it.value);
        const answer = await stage.ask("warp", typed.value, String(from));
        stage.refuse(answer.refusal);
        // The slider ends at 40.
        stride.it.classList.toggle("old", Number(typed.value) > 40);
        for (const it of [picture, table]) it.classList.toggle("old", Boolean(answer.refusal));
        if (answer.refusal) return;
        const { places, lines, sectors, used, fetched } = answer;
        first.told.textContent = `a[${from}]`;
        const drawn = [...lines];
        while (drawn.length < least) drawn.push(drawn.at(-1) + 1);
        const pitch = room / drawn.length;
        const thick = pitch * 0.8;
        const each = Math.ceil(14 / pitch);
        const x = (place) => 44 + (place % line) * cell;
        const y = (place) => 26 + drawn.indexOf(Math.floor(place / line)) * pitch;
        const asked = [...new Set(places)];
        const one = (place, more) => `<rect x="${x(place) + 1}" y="${y(place) + 0.6}" width="8" height="${thick - 1.2}" ${more}/>`;
        const rows = drawn.map((number, i) => {
            const top = y(number * line);
            const box = `<path d="M44 ${top}h320v${thick}h-320zM124 ${top}v${thick}M204 ${top}v${thick}M284 ${top}v${thick}" stroke="currentColor"` +
                ` stroke-opacity="${lines.includes(number) ? 0.5 : 0.2}" fill="none"/>`;
            return i % each ? box : `<text x="38" y="${top + thick / 2 + 4.5}" text-anchor="end" font-size="13">${number}</text>${box}`;
        });
        const pieces = sectors.map((number) => `<rect x="${x(number * 8)}" y="${y(number * 8)}" width="80" height="${thick}" fill="var(--fig-gpu)" fill-opacity="0.25"/>`);
        const sentence = `32 items read ${asked.length} value${asked.length === 1 ? "" : "s"} in ${lines.length} line${lines.length === 1 ? "" : "s"} of 128 bytes, ` +
            `in ${sectors.length} sector${sectors.length === 1 ? "" : "s"} of 32.`;
        picture.innerHTML = `<svg class="small slim" viewBox="0 0 372 ${26 + room}" role="img" aria-label="${sentence}">
            <text x="38" y="14" text-anchor="end">line</text><text x="44" y="14">128 bytes, in four sectors of 32</text>
            ${pieces.join("")}${rows.join("")}${asked.map((place) => one(place, 'fill="var(--fig-gpu)"')).join("")}</svg>`;
        const row = (...words) => element("tr", {}, element("th", { scope: "row" }, words[0]), element("td", {}, words[1]));
        table.replaceChildren(element("tbody", {},
            row("bytes loaded, sector by sector", String(fetched)), row("bytes used", String(used)),
            row("used", `${(100 * used / fetched).toFixed(1)} %`)));
        stage.say(`${sentence} ${fetched} bytes are loaded, and ${used} of them are used.`);
    }
    stage.unseen();
    await draw();
});
