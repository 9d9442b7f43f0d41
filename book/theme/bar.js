// What mdBook lacks: the minutes that a chapter takes, line breaks in long
// names of code, and a bar that works with the keyboard and a screen reader. It
// is a banner, and the control that folds the table of contents is a button.
"use strict";

(() => {
    const [heading, ...others] = document.querySelectorAll("main h1");
    if (!heading || others.length > 0) return;
    // Pages to look something up in, not to read from start to end.
    if (/\/(glossary|reference)\.html$/.test(location.pathname)) return;
    const copy = document.querySelector("main").cloneNode(true);
    const remove = (words) =>
        [...copy.querySelectorAll(words)].map((it) => {
            it.remove();
            return it.textContent.trim().split("\n").length;
        });
    remove("details pre, svg, script");
    const lines = remove("pre").reduce((sum, it) => sum + it, 0);
    const words = copy.textContent.split(/\s+/).length;
    // People read about 200 words of a technical text in a minute. A line of
    // code takes as long as six words.
    const minutes = Math.round((words + 6 * lines) / 200);
    if (minutes < 4) return;
    const note = document.createElement("p");
    note.className = "minutes";
    note.textContent = `${minutes} minutes to read`;
    heading.after(note);
})();

// A line may end after a slash of a long path, but not after the hyphens of an
// option.
for (const code of document.querySelectorAll("main :not(pre) > code")) {
    if (code.children.length > 0 || !/[-/]/.test(code.textContent)) continue;
    const long = code.textContent.length > 36 || code.closest("td");
    const pieces = code.textContent.split(/(?<=\/)|(?<= )|(?= )/);
    code.replaceChildren(...pieces.flatMap((piece) => {
        const word = document.createElement("span");
        word.textContent = piece;
        // A word of this length fits a phone.
        if (piece.includes("-") && piece.length < 25) word.style.whiteSpace = "nowrap";
        return long && piece.endsWith("/") ? [word, document.createElement("wbr")] : [word];
    }));
}

(() => {
    document.getElementById("mdbook-menu-bar")?.setAttribute("role", "banner");
    const label = document.getElementById("mdbook-sidebar-toggle");
    const box = document.getElementById(label?.getAttribute("for"));
    if (!box) return;
    const button = document.createElement("button");
    for (const { name, value } of label.attributes) {
        if (name !== "for") button.setAttribute(name, value);
    }
    button.type = "button";
    button.append(...label.childNodes);
    label.replaceWith(button);
    button.addEventListener("click", () => {
        // mdBook listens to its label before it folds.
        label.click();
        box.click();
    });
    const tell = () => button.setAttribute("aria-expanded", box.checked);
    box.addEventListener("change", tell);
    tell();
})();
