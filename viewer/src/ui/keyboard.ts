// The keys and the overlay that lists them.

import { html } from "./dom";

export interface KeyAction { keys: string[]; shown: string; words: string; run(): void }

function isTyping(target: EventTarget | null): boolean {
    return target instanceof HTMLElement && target.closest("input, select, textarea, dialog") !== null;
}

/// Space and enter belong to a focused button.
function isPressing(event: KeyboardEvent): boolean {
    return (event.key === " " || event.key === "Enter") && event.target instanceof HTMLElement && event.target.closest("button, summary, a") !== null;
}

function isToggle(target: EventTarget | null): boolean {
    return target instanceof HTMLInputElement && target.type === "checkbox";
}

export function listenToKeys(actions: KeyAction[], until: AbortSignal): void {
    addEventListener("keydown", event => {
        if (event.ctrlKey || event.metaKey || event.altKey || isPressing(event)) return;
        if (isTyping(event.target) && !(isToggle(event.target) && event.key !== " ")) return;
        const action = actions.find(one => one.keys.includes(event.key));
        if (!action) return;
        event.preventDefault();
        action.run();
    }, { signal: until });
}

export function helpDialog(actions: KeyAction[]): HTMLDialogElement {
    const rows = actions.map(action => html("tr", {}, html("td", {}, ...action.shown.split(" ").map(key => html("kbd", {}, key))), html("td", {}, action.words)));
    const close = html("button", { class: "quiet", type: "button", onclick: () => dialog.close() }, "Close");
    const dialog = html("dialog", { class: "help", "aria-labelledby": "help-title", onclick: (event: Event) => { if (event.target === dialog) dialog.close(); } },
        html("div", {}, html("div", { class: "info-head" }, html("h2", { id: "help-title" }, "Keys and mouse"), close),
            html("table", {}, html("tbody", {}, ...rows,
                html("tr", {}, html("td", {}, "drag"), html("td", {}, "turn the view; with the right button or two fingers: move it; wheel or pinch: zoom")),
                html("tr", {}, html("td", {}, "click"), html("td", {}, "a body: what it is and what acts on it"))))));
    return dialog;
}
