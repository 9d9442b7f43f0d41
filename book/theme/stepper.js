// Walks through a figure: an SVG in it whose parts carry data-step="1", "2", ...
// A part's first <title> says what the step does; what has data-until="3" is
// seen from its own step to that one. Without this script the whole figure is
// there, and prints whole.
"use strict";

// Adds the controls behind `place`, and returns what reads the figure again
// after its picture was drawn anew: the step stays, or where it is another
// picture, none is made.
function stepper(figure, place) {
    let parts = [];
    let last = 0;
    // 0 is the whole figure, as it stands before the first step.
    let step = 0;
    const stepOf = (part) => Number(part.dataset.step);

    const words = (k) => parts
        .filter((part) => stepOf(part) === k)
        .map((part) => part.querySelector(":scope > title")?.textContent.trim())
        .filter(Boolean)
        .join(" ");

    const bar = document.createElement("div");
    bar.className = "steps";
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", "Steps of the figure");
    const button = (text, go) => {
        const element = document.createElement("button");
        element.type = "button";
        element.textContent = text;
        element.addEventListener("click", () => show(go()));
        bar.append(element);
        return element;
    };
    const back = button("Back", () => Math.max(1, step - 1));
    const next = button("Step through it", () => step + 1);
    const all = button("Show all", () => 0);
    const say = document.createElement("output");
    bar.append(say);
    place.after(bar);

    function show(k) {
        step = Math.min(Math.max(k, 0), last);
        for (const part of parts) {
            part.classList.toggle("later", step > 0 && stepOf(part) > step);
            part.classList.toggle("now", step > 0 && stepOf(part) === step);
            for (const passing of part.querySelectorAll("[data-until]")) {
                const stays = step < Number(passing.dataset.until);
                passing.classList.toggle("passing", step >= stepOf(part) && stays);
            }
        }
        // A button that has the focus keeps it: `disabled` would drop it.
        back.setAttribute("aria-disabled", step <= 1);
        next.setAttribute("aria-disabled", step === last);
        next.textContent = step === 0 ? "Step through it" : "Next";
        back.hidden = all.hidden = step === 0;
        say.textContent = step === 0 ? "" : `${step} of ${last}. ${words(step)}`;
        bring(parts.find((part) => step > 0 && stepOf(part) === step));
    }

    // A picture that is wider than the page scrolls to what happens.
    function bring(part) {
        const frame = part?.closest("svg").parentElement;
        if (!frame || frame.scrollWidth <= frame.clientWidth) return;
        const [there, here] = [part, frame].map((it) => it.getBoundingClientRect());
        const middle = (there.left + there.right - here.left - here.right) / 2;
        frame.scrollBy({ left: middle });
    }

    // The arrows turn pages in mdBook; inside the controls they turn steps.
    bar.addEventListener("keydown", (event) => {
        const to = {
            ArrowRight: step + 1,
            ArrowLeft: Math.max(1, step - 1),
            Home: 1,
            End: last,
        }[event.key];
        if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        event.stopPropagation();
        show(to);
    });

    function read(another = false) {
        if (another) step = 0;
        parts = [...figure.querySelectorAll("[data-step]")];
        last = Math.max(0, ...parts.map(stepOf));
        bar.hidden = last === 0;
        show(step);
    }
    read();
    return read;
}

for (const figure of document.querySelectorAll("figure.stepper")) {
    stepper(figure, figure.querySelector("svg"));
}
