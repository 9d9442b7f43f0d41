// What mdBook's bar lacks for those who use the keyboard or a screen reader:
// it is a banner, and what folds the table of contents is a button.
"use strict";

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
