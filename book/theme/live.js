// Interactive figures. <figure data-figure="nudge"> contains a static figure.
// When the reader scrolls near it, live/nudge.js is loaded, which replaces the
// static figure by calling
//
//     live.figure("nudge", async (stage) => { .. });
//
// The attribute data-try="Drag the slider." is shown above the controls. A
// stage has `ask(..words)`, which asks the engine in the page and returns its
// answer, `say(sentence)`, the status line, `unseen()`, which leaves the status
// line to screen readers because the figure shows the same,
// `add(tag, settings, ..children)`, `refuse(sentence)`, and the `options` of
// the figure, its data- attributes. `live.cells` makes an array of cells. The
// engine is Part 1 as WebAssembly, in live/engine.js; each figure has its own
// instance. Scripts compute no results of the engine.
"use strict";

const live = (() => {
    const figures = new Map();
    const scripts = new Map();
    const base = new URL(typeof path_to_root === "string" ? path_to_root : "", document.baseURI);

    // A page that is opened from a folder may load scripts, and nothing else.
    function load(name) {
        if (!scripts.has(name)) {
            scripts.set(name, new Promise((done, failed) => {
                const script = document.createElement("script");
                script.src = new URL(`live/${name}.js`, base).href;
                script.onload = done;
                script.onerror = () => failed(new Error(`live/${name}.js is not there`));
                document.head.append(script);
            }));
        }
        return scripts.get(name);
    }

    // Five digits to a base of 85 are four bytes.
    function unpack({ length, digits }) {
        const all = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
        const digit = Object.fromEntries([...all].map((it, value) => [it, value]));
        const bytes = new DataView(new ArrayBuffer(digits.length / 5 * 4));
        for (let at = 0; at < digits.length; at += 5) {
            let number = 0;
            for (let place = 0; place < 5; place += 1) number = number * 85 + digit[digits[at + place]];
            bytes.setUint32(at / 5 * 4, number);
        }
        return new Uint8Array(bytes.buffer, 0, length);
    }

    let compiled;
    async function compile() {
        await load("engine");
        const bytes = new Blob([unpack(window.rungradEngine)]).stream().pipeThrough(new DecompressionStream("gzip"));
        return WebAssembly.compile(await new Response(bytes).arrayBuffer());
    }

    // An engine of one's own: what it has been told, such as a network that
    // it trains, stays in it until it panics.
    function engine() {
        let instance;
        return async (...words) => {
            compiled ??= compile();
            instance ??= await WebAssembly.instantiate(await compiled, {});
            const { memory, room, ask, told, told_len } = instance.exports;
            const question = new TextEncoder().encode(words.join("\n"));
            const place = room(question.length);
            new Uint8Array(memory.buffer, place, question.length).set(question);
            let panicked = false;
            try {
                ask();
            } catch {
                panicked = true;
            }
            const text = new TextDecoder().decode(new Uint8Array(memory.buffer, told(), told_len()));
            if (!panicked) return JSON.parse(text);
            instance = undefined;
            return { refusal: text };
        };
    }

    function element(tag, settings = {}, ...children) {
        const it = document.createElement(tag);
        for (const [name, value] of Object.entries(settings)) {
            if (typeof value === "function") it.addEventListener(name, value);
            else if (name in it && typeof value === "boolean") it[name] = value;
            else it.setAttribute(name, value);
        }
        it.append(...children);
        return it;
    }

    // Cells that can be pointed at, touched, and walked by the arrows: one stop
    // of the Tab key. `of(i)` says what stands in a cell and what it is called,
    // and `pick(i)` is told which one the reader looks at.
    function cells({ name, shape, of, pick }) {
        const columns = shape.at(-1) ?? 1;
        const block = columns * (shape.at(-2) ?? 1);
        const count = shape.reduce((all, size) => all * size, 1);
        const box = element("div", { class: "cells", role: "group", "aria-label": name, style: `--columns: ${columns}` });
        if (count === 0) box.append("no elements");
        for (let i = 0; i < count; i += 1) {
            const { lines, called } = of(i);
            const look = () => {
                for (const other of box.children) other.tabIndex = other === cell ? 0 : -1;
                pick(i);
            };
            // Who says what is seen means this cell, so its name begins with it.
            const words = lines.flatMap(([kind, word]) => [element("span", { class: kind }, word), " "]);
            const cell = element("div", {
                role: "button", "aria-label": `${lines.map(([, word]) => word).join(" ")}: ${called}`, tabindex: i ? -1 : 0,
                class: i >= block && i % block < columns ? "cell block" : "cell",
                pointerenter: look, focus: look, click: () => cell.focus(),
                keydown: (event) => {
                    const way = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
                    if (!way) return;
                    event.preventDefault();
                    box.children[i + way]?.focus();
                },
            }, ...words);
            box.append(cell);
        }
        return box;
    }

    // Where somebody wants no motion, a figure goes from step to step when it
    // is asked to.
    const calm = matchMedia("(prefers-reduced-motion: reduce)");

    class Stage {
        constructor(figure) {
            this.options = figure.dataset;
            this.ask = engine();
            this.place = element("div", { class: "stage", keydown: keepArrows });
            if (figure.dataset.try) this.add("p", { class: "try" }, figure.dataset.try);
            this.words = element("p", { class: "said", role: "status" });
            this.refusal = element("p", { class: "refusal", role: "alert", hidden: true });
        }
        add(tag, settings, ...children) {
            const it = element(tag, settings, ...children);
            this.place.append(it);
            return it;
        }
        // While something is dragged, a sentence for each of its moves would
        // stand in the way of the last one. Before the figure is seen nothing
        // is dragged, and its first sentence takes its room at once.
        say(sentence) {
            clearTimeout(this.waiting);
            const tell = () => {
                this.words.textContent = sentence;
                // What has had room for a long sentence keeps it for a short one.
                this.words.style.minHeight = `${this.words.offsetHeight}px`;
            };
            if (this.place.isConnected) this.waiting = setTimeout(tell, 300);
            else this.words.textContent = sentence;
        }
        unseen() {
            this.words.classList.add("unseen");
        }
        // The sentence about the previous input is not true of a rejected one.
        refuse(sentence) {
            this.refusal.textContent = sentence ?? "";
            this.refusal.hidden = !sentence;
            if (!sentence) return;
            clearTimeout(this.waiting);
            this.words.textContent = "";
        }
    }

    // The static figure is shown until the interactive one is complete, and on
    // paper.
    async function begin(figure) {
        const stage = new Stage(figure);
        try {
            await load(figure.dataset.figure);
            await figures.get(figure.dataset.figure)(stage);
        } catch (error) {
            console.error(error);
            figure.classList.add("failed");
            return;
        }
        const still = figure.querySelector("svg, pre");
        // A refusal replaces the status line.
        const told = stage.add("div", { class: "told" }, stage.words);
        if (!stage.refusal.parentElement) told.append(stage.refusal);
        // A question or an exercise stays, and what is folded is below the form.
        if (["task", "exercise"].includes(figure.dataset.figure)) {
            figure.querySelector("details").before(stage.place);
        } else {
            still.before(stage.place);
            still.classList.add("still");
        }
        figure.classList.add("live");
        for (const frame of stage.place.querySelectorAll(".picture")) wide(frame);
        stage.started?.();
        // The static figure may have scrolled sideways.
        mark(figure);
    }

    // What is wider than its place says that it scrolls, and the keyboard
    // reaches it.
    const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => mark(target)));
    function wide(frame) {
        sizes.observe(frame);
        frame.addEventListener("scroll", () => mark(frame), { passive: true });
        frame.addEventListener("keydown", keepArrows);
        mark(frame);
    }
    function mark(frame) {
        const hidden = frame.scrollWidth - frame.clientWidth;
        const scrolls = hidden > 1;
        frame.classList.toggle("more-left", scrolls && frame.scrollLeft > 1);
        frame.classList.toggle("more-right", scrolls && frame.scrollLeft < hidden - 1);
        if (scrolls && !frame.dataset.scrolls) {
            frame.dataset.scrolls = "sideways";
            frame.tabIndex = 0;
            // A figure keeps its own role.
            if (frame.localName !== "figure") frame.setAttribute("role", "group");
            frame.setAttribute("aria-label", "Scrolls sideways");
        } else if (!scrolls && frame.dataset.scrolls) {
            delete frame.dataset.scrolls;
            for (const name of ["tabindex", "role", "aria-label"]) frame.removeAttribute(name);
        }
    }
    document.querySelectorAll("main figure, main .table-wrapper, main pre > code, main .math").forEach(wide);

    // The arrows turn pages in mdBook; in what is typed, dragged or scrolled
    // they do not.
    function keepArrows(event) {
        const inside = event.currentTarget.matches(".stage, [data-scrolls]");
        if (inside && event.key.startsWith("Arrow")) event.stopPropagation();
    }

    const near = new IntersectionObserver((entries) => {
        for (const { isIntersecting, target } of entries) {
            if (!isIntersecting) continue;
            near.unobserve(target);
            begin(target);
        }
    }, { rootMargin: "600px" });
    document.querySelectorAll("figure[data-figure]").forEach((figure) => near.observe(figure));

    return { figure: (name, start) => figures.set(name, start), load, element, engine, cells, calm };
})();
