// Checks a page as its reader sees it, and returns a sentence for each error.
(async () => {
    const faults = [];
    const seen = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })
        && element.getBoundingClientRect().width > 1;
    const shown = (element) => {
        const words = (element.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 40);
        const name = element.getAttribute("class") ?? "";
        return `<${element.localName}${name && ` class="${name}"`}> "${words}"`;
    };

    // Every interactive figure has started.
    for (const figure of document.querySelectorAll("figure[data-figure]")) {
        figure.scrollIntoView({ block: "center" });
        const end = performance.now() + 20000;
        while (!figure.classList.contains("live") && performance.now() < end) {
            await new Promise((next) => setTimeout(next, 20));
        }
        if (!figure.classList.contains("live")) {
            faults.push(`the figure ${figure.dataset.figure} has not begun`);
        }
    }
    window.scrollTo(0, 0);
    await new Promise((next) => setTimeout(next, 60));
    // The page marks what scrolls in the frame after its width has changed.
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));

    const kept = (find, seen = new Map()) => (key) => {
        if (!seen.has(key)) seen.set(key, find(key));
        return seen.get(key);
    };
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const color = kept((text) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = text;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    });
    const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a)];
    const light = (rgb) => rgb.map((part) => part / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
        .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);

    // Collects elements that may hide or scroll their content, and elements
    // with text.
    const frames = [...document.querySelectorAll("main, main *")]
        .filter((it) => (it.localName === "svg" || !it.closest("svg")) && it.localName !== "input")
        .filter((it) => getComputedStyle(it).overflowX !== "visible");
    const texts = new Set();
    const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (words.nextNode()) {
        const element = words.currentNode.parentElement;
        if (!words.currentNode.textContent.trim() || texts.has(element)) continue;
        if (element.closest("script, style, title, desc, noscript, option, mjx-container")) continue;
        if (element.closest("main, .nav-chapters, #mdbook-menu-bar") && seen(element)) texts.add(element);
    }

    // Checks widths and contrasts in the current theme.
    function look(say) {
        // Nothing is wider than the page, except elements that say that they
        // scroll.
        const root = document.scrollingElement;
        const wide = root.scrollWidth - root.clientWidth;
        if (wide > 1) {
            const out = [...document.querySelectorAll("main *")]
                .filter((it) => seen(it) && it.getBoundingClientRect().right > root.clientWidth + 1)
                .filter((it) => !it.closest("[data-scrolls]"));
            say(`the page is ${wide} px too wide: ${out.slice(0, 1).map(shown)}`);
        }
        for (const element of frames) {
            if (element.scrollWidth - element.clientWidth <= 1 || !seen(element)) continue;
            const way = getComputedStyle(element).overflowX;
            const says = element.tabIndex === 0 && element.dataset.scrolls
                && /scroll/i.test(element.getAttribute("aria-label") ?? "");
            if (way === "hidden" || way === "clip" || !says) {
                say(`${shown(element)} is wider than its place and does not say that it scrolls`);
            } else if (element.matches(".table-wrapper, pre > code") && !/scroll/i.test(getComputedStyle(element.closest("pre") ?? element, "::before").content)) {
                say(`${shown(element)} does not say that it scrolls to who sees it`);
            }
        }

        // The shadow of a scrolling element is below its caption.
        for (const caption of document.querySelectorAll("[data-scrolls] figcaption")) {
            if (color(getComputedStyle(caption).backgroundColor)[3] < 1) say(`a shade lies over ${shown(caption)}`);
        }

        // Markdown is not interpreted within HTML.
        for (const words of document.querySelectorAll("main :is(figcaption, summary, figure > p, details > p)")) {
            if (/`[^`]+`|(?<![\w)])\*\w+\*/.test(words.textContent)) say(`${shown(words)} shows the marks of Markdown`);
        }

        // A number and its unit stay on one line.
        for (const cell of document.querySelectorAll("main td")) {
            if (!/^[\d.,]+ [^\s\d]{1,4}$/.test(cell.textContent.trim()) || !seen(cell)) continue;
            const range = document.createRange();
            range.selectNodeContents(cell);
            const tops = [...range.getClientRects()].map((it) => it.top);
            if (Math.max(...tops) - Math.min(...tops) > 8) say(`a line ends within ${shown(cell)}`);
        }

        // All text is readable: the contrast ratio of WCAG 2.
        const behind = kept((element) => {
            const below = element.parentElement ? behind(element.parentElement) : [255, 255, 255];
            return over(color(getComputedStyle(element).backgroundColor), below);
        });
        const opacity = kept((element) => {
            const above = element.parentElement ? opacity(element.parentElement) : 1;
            return above * getComputedStyle(element).opacity;
        });
        for (const element of texts) {
            const style = getComputedStyle(element);
            const inked = element.closest("svg") ? style.fill : style.color;
            if (inked === "none") continue;
            const ink = color(inked);
            const paper = behind(element);
            const [a, b] = [light(over([...ink.slice(0, 3), ink[3] * opacity(element)], paper)), light(paper)];
            const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            const size = parseFloat(style.fontSize);
            const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
            if (ratio < (large ? 3 : 4.5) - 0.005) {
                say(`${shown(element)} has a contrast of ${ratio.toFixed(2)}`);
            }
        }
    }

    // Each kind of theme has a style sheet for the colors of code.
    const styled = async () => {
        const sheets = [...document.querySelectorAll("link[rel~=stylesheet]")];
        while (sheets.some((it) => !it.disabled && !it.sheet)) await new Promise((next) => setTimeout(next, 5));
    };

    // In every theme that the reader may pick, and last in the current one.
    const worn = document.documentElement.className;
    const still = document.createElement("style");
    still.textContent = "* { transition: none !important; }";
    document.head.append(still);
    const themes = [...document.querySelectorAll("#mdbook-theme-list .theme")];
    const [auto, ...others] = themes;
    if (auto === undefined) look((fault) => faults.push(fault));
    for (const theme of others) {
        theme.click();
        await styled();
        look((fault) => faults.push(`in ${theme.textContent.trim()}, ${fault}`));
    }
    auto?.click();
    if (document.documentElement.className !== worn) faults.push("the theme that was worn does not come back");

    // A screen reader announces the column of each cell.
    for (const header of document.querySelectorAll("main th")) {
        if (seen(header) && !header.textContent.trim()) faults.push("a column has no name");
    }

    // Everything clickable is reachable with the keyboard, has an accessible
    // name, and is large enough for a finger.
    const finger = matchMedia("(pointer: coarse)").matches;
    const controls = "input, button, select, canvas, a[href], summary, [onclick], [role=button], [role=slider]";
    for (const control of document.querySelectorAll(`main :is(${controls})`)) {
        if (!seen(control)) continue;
        // In a grid, one cell is a tab stop, and arrow keys lead to the
        // others.
        const cells = control.closest(".cells");
        const reached = cells && control !== cells ? cells.querySelectorAll("[tabindex='0']").length === 1 && control.hasAttribute("tabindex")
            : control.tabIndex >= 0;
        if (!reached) faults.push(`the keyboard does not reach ${shown(control)}`);
        const label = control.labels?.[0]?.textContent ?? "";
        const name = control.getAttribute("aria-label") ?? (label || control.textContent || control.title);
        if (!name.trim()) faults.push(`${shown(control)} ${control.type ?? ""} has no name`);
        const target = (control.closest("label") ?? control).getBoundingClientRect();
        if (finger && control.localName !== "a" && target.height < 39.5) {
            faults.push(`${shown(control)} ${control.type ?? ""} is ${target.height.toFixed(0)} px high, too low for a finger`);
        }
    }
    return faults;
})()
