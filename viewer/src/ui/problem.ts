// What went wrong, as a sentence on the page: never a blank one.

import { html } from "./dom";

const reason = (error: unknown): string => error instanceof Error ? error.message : String(error);

export function sentence(what: string, error: unknown): string {
    const why = reason(error).replace(/[.\s]+$/, "");
    return why ? `${what}: ${why}.` : `${what}.`;
}

/// Above everything else; further problems join the first.
export function tell(text: string): void {
    const app = document.getElementById("app") ?? document.body;
    const notes = [...app.querySelectorAll(".problem")];
    if (notes.some(note => note.textContent === text) || notes.length > 4) return;
    app.prepend(html("p", { class: "problem", role: "alert" }, text));
}
