// Light and dark: as the system wants it until the user or the page's address says otherwise.

import { html } from "./dom";
import { icon } from "./icons";

export class Theme {
    readonly button: HTMLButtonElement;
    private chosen: "light" | "dark" | null;
    private readonly system = matchMedia("(prefers-color-scheme: dark)");
    private readonly listeners = new Set<(dark: boolean) => void>();

    constructor(chosen: "light" | "dark" | null) {
        this.chosen = chosen;
        this.button = html("button", { class: "icon-button", type: "button", id: "theme", onclick: () => this.toggle() });
        this.system.addEventListener("change", () => this.apply());
        this.apply();
    }

    get dark(): boolean {
        return this.chosen ? this.chosen === "dark" : this.system.matches;
    }

    toggle(): void {
        this.chosen = this.dark ? "light" : "dark";
        this.apply();
    }

    onchange(listener: (dark: boolean) => void, until?: AbortSignal): void {
        this.listeners.add(listener);
        until?.addEventListener("abort", () => this.listeners.delete(listener));
    }

    private apply(): void {
        document.documentElement.dataset.theme = this.dark ? "dark" : "light";
        this.button.replaceChildren(icon(this.dark ? "sun" : "moon"));
        const words = this.dark ? "Switch to light colours" : "Switch to dark colours";
        this.button.setAttribute("aria-label", words);
        this.button.title = words;
        for (const listener of this.listeners) listener(this.dark);
    }
}

/// A colour of the current theme, for what is drawn on a canvas.
export const themeColour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
