// The bits of a number in f16, bf16 and f32: a click flips a bit of one of the
// two small types, and every type shows the neighboring values.
"use strict";

live.figure("sizes", async (stage) => {
    const { element } = live;
    const typed = element("input", { type: "text", inputmode: "decimal", value: "2049", size: 14, autocomplete: "off", spellcheck: "false",
        input: () => ask("number", typed.value) });
    const button = (number) => element("button", { type: "button", click: () => { typed.value = number; ask("number", number); } }, number);
    stage.add("div", { class: "row" }, element("label", {}, "Number ", typed), ...["2049", "1.005", "70000", "1e-5", "1e-8"].map(button));
    stage.place.append(stage.refusal);
    const rows = stage.add("div", { class: "sizes" });
    const table = stage.add("table", { class: "numbers" });
    stage.unseen();
    const parts = ["sign", "exponent", "fraction"];

    // The Tab key stops once at the bits of a type, and the arrow keys move
    // from bit to bit.
    function press(format, place) {
        const { name, bits } = format;
        const flipped = [...bits].map((bit, at) => (at === place ? String(1 - bit) : bit)).join("");
        return ask(`bits`, name, flipped, place);
    }
    function move(event, place) {
        const cells = [...event.currentTarget.closest(".bits").querySelectorAll("button")];
        const next = cells[place + ({ ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? NaN)];
        if (!next) return;
        event.preventDefault();
        for (const it of cells) it.tabIndex = it === next ? 0 : -1;
        next.focus();
    }
    function bit(format, place, part) {
        const value = format.bits[place];
        const first = { sign: 0, exponent: 1, fraction: 1 + format.exponent_bits }[part];
        const called = part === "sign" ? "sign" : `${part} bit ${place - first + 1}`;
        if (format.name === "f32") return element("span", { class: part }, value);
        return element("button", { type: "button", class: part, tabindex: place ? -1 : 0, "aria-pressed": value === "1",
            "aria-label": `${value}: ${called} of ${format.name}`, click: () => press(format, place), keydown: (event) => move(event, place) }, value);
    }
    function line(format) {
        const cuts = [0, 1, 1 + format.exponent_bits, format.bits.length];
        const groups = parts.map((part, i) => element("span", { class: "bit-group" },
            ...Array.from({ length: cuts[i + 1] - cuts[i] }, (_, at) => bit(format, cuts[i] + at, part))));
        const role = format.name === "f32" ? { role: "img", "aria-label": `the bits of f32: ${format.bits}` } : { role: "group", "aria-label": `the bits of ${format.name}` };
        return element("div", { class: "bits" }, element("b", {}, format.name), element("span", { class: "cells bit-row", ...role }, ...groups), element("small", {}, ...formula(format)));
    }
    function formula({ bits, kind, exponent, bias, leading, fraction, of, power, value }) {
        if (["infinite", "not a number", "zero"].includes(kind)) return [`${kind}: ${value}`];
        const sign = bits[0] === "1" ? "−" : "";
        const small = kind === "subnormal" ? " (subnormal)" : "";
        return [`${sign}(${leading} + ${fraction.toLocaleString("en")}/${of.toLocaleString("en")}) · 2`, element("sup", {}, `${power}`), ` (exponent ${exponent}, minus ${bias})${small}`];
    }

    async function ask(what, ...words) {
        const place = words[2];
        const answer = await stage.ask(`sizes ${what}`, ...words.slice(0, 2));
        stage.refuse(answer.refusal);
        typed.setAttribute("aria-invalid", Boolean(answer.refusal));
        for (const it of [rows, table]) it.classList.toggle("old", Boolean(answer.refusal));
        if (answer.refusal) return;
        const { number, formats } = answer;
        if (what === "bits") typed.value = number;
        rows.replaceChildren(...formats.map(line));
        if (what === "bits") {
            const cells = [...rows.children[formats.findIndex((it) => it.name === words[0])].querySelectorAll("button")];
            for (const it of cells) it.tabIndex = it === cells[place] ? 0 : -1;
            cells[place].focus();
        }
        const row = (head, key) => element("tr", {}, element("th", { scope: "row" }, head), ...formats.map((it) => element("td", {}, key(it))));
        table.replaceChildren(
            element("thead", {}, element("tr", {}, element("td"), ...formats.map((it) => element("th", { scope: "col" }, it.name)))),
            element("tbody", {}, row("stores", (it) => it.value), row("next below", (it) => it.below), row("next above", (it) => it.above), row("gap above", (it) => it.gap)));
        stage.say(`${formats.map((it) => `${it.name} stores ${it.value}, and the next value is ${it.above}`).join("; ")}.`);
    }
    await ask("number", typed.value);
});
