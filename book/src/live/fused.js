// The kernel that the compiler of the lazy device writes for a typed
// expression, and the bytes that it moves, compared with one kernel per operation.
"use strict";

live.figure("fused", async (stage) => {
    const { element } = live;
    const typed = element("input", { type: "text", value: "relu(X + b)", spellcheck: "false", autocapitalize: "off", autocomplete: "off", input: () => show() });
    stage.add("label", { class: "typed" }, "Expression ", typed);
    stage.add("p", { class: "note" }, "A name that begins with a capital letter, such as X, is a matrix of 512 × 256; any other name, such as b, is a row of 256. Functions: relu, exp, log, sqrt, tanh, sigmoid; sum, max, mean and softmax of each row.");
    stage.place.append(stage.refusal);
    stage.add("div", { class: "row" }, ...["relu(X + b)", "X * sigmoid(X)", "sum(X * X)", "softmax(X)", "X - mean(X)"].map((text) =>
        element("button", { type: "button", click: () => { typed.value = text; show(); } }, text)));
    const bars = stage.add("div", { class: "bars" });
    const texts = stage.add("div", { class: "kernels picture" });
    stage.unseen();

    async function show() {
        const answer = await stage.ask("fused", typed.value);
        stage.refuse(answer.refusal);
        typed.setAttribute("aria-invalid", Boolean(answer.refusal));
        for (const it of [bars, texts]) it.classList.toggle("old", Boolean(answer.refusal));
        if (answer.refusal) return;
        const { kernels, fused, separate } = answer;
        const kernelCount = (n) => `${n} kernel${n === 1 ? "" : "s"}`;
        const kilobytes = (bytes) => `${(bytes / 1000).toLocaleString("en", { maximumFractionDigits: 0 })} KB`;
        const most = Math.max(fused.bytes, separate.bytes);
        const bar = (name, { launches, bytes }, wins) => element("div", { class: wins ? "bar wins" : "bar" },
            element("span", {}, `${name.padEnd(11)}${kernelCount(launches).padStart(10)}${kilobytes(bytes).padStart(10)}`),
            element("i", { style: `--share: ${bytes / most}` }));
        bars.replaceChildren(bar("one by one", separate, false), bar("fused", fused, true));
        texts.replaceChildren(...kernels.map(({ text }) => {
            const body = text.replace(/^#pragma.*\n\n/, "");
            return element("pre", { class: "kernel" }, element("span", {}, body));
        }));
        stage.say(`${typed.value}: ${kernelCount(separate.launches)} one by one move ${kilobytes(separate.bytes)}; fused, ${kernelCount(fused.launches)} ${fused.launches === 1 ? "moves" : "move"} ${kilobytes(fused.bytes)}.`);
    }
    await show();
});
