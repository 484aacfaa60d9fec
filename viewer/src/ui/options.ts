// What is drawn and in which colours: the panel beside the 3D view.

import type { ColourBy } from "../data/types";
import type { Legend } from "../stage/colours";
import { colours, toggleNames, type ToggleName } from "./address";
import { Choices, html } from "./dom";
import { formatNumber, formatLevel } from "./format";

const colourWords: Record<ColourBy, string> = { material: "Material", speed: "Speed", error: "Energy error", load: "Contact force" };
export const toggleWords: Record<ToggleName, string> = { contacts: "Contact points", arrows: "Force arrows", chains: "Force chains", joints: "Joints",
    worst: "Worst constraint", shadows: "Shadows" };

export interface OptionState { colourBy: ColourBy; toggles: Record<ToggleName, boolean> }

export const defaultToggles: Record<ToggleName, boolean> = { contacts: false, arrows: false, chains: false, joints: true, worst: true, shadows: true };

export class Options {
    readonly element: HTMLElement;
    readonly legend = html("div", { class: "legend-box", hidden: true, role: "img" });
    onchange: ((state: OptionState) => void) | null = null;
    private readonly choices: Choices;
    private readonly boxes = new Map<ToggleName, HTMLInputElement>();

    constructor(readonly state: OptionState) {
        this.choices = new Choices("Colour by", colours.map(name => colourWords[name]), colours.indexOf(state.colourBy), k => this.setColour(colours[k]!));
        this.element = html("div", { class: "options" },
            html("h3", {}, "Colour by"), this.choices.element,
            html("h3", {}, "Show"), html("div", { class: "toggles" }, ...toggleNames.map((name, k) => this.toggleBox(name, k))));
    }

    nextColour(): void {
        this.setColour(colours[(colours.indexOf(this.state.colourBy) + 1) % colours.length]!);
    }

    setColour(colour: ColourBy): void {
        this.state.colourBy = colour;
        this.choices.press(colours.indexOf(colour));
        this.onchange?.(this.state);
    }

    toggle(name: ToggleName): void {
        this.state.toggles[name] = !this.state.toggles[name];
        this.boxes.get(name)!.checked = this.state.toggles[name];
        this.onchange?.(this.state);
    }

    /// Nothing of the kind is in this scene.
    hide(name: ToggleName): void {
        this.boxes.get(name)!.closest("label")!.hidden = true;
    }

    /// The scale of the current colours, or none.
    showLegend(legend: Legend | null): void {
        this.legend.hidden = legend === null;
        if (!legend) return;
        const format = legend.log ? formatLevel : formatNumber;
        const words = `${legend.label}${legend.unit ? ` [${legend.unit}]` : ""}`;
        this.legend.setAttribute("aria-label", `${words} from ${formatNumber(legend.lower)} to ${formatNumber(legend.upper)}`);
        const middle = legend.log && legend.lower > 0 ? Math.sqrt(legend.lower * legend.upper) : (legend.lower + legend.upper) / 2;
        const round = !legend.log || Number.isInteger(Number(Math.log10(middle).toFixed(6)));  // else the ends are enough
        this.legend.replaceChildren(html("span", { class: "legend-title" }, words),
            html("span", { class: "legend-scale", style: `background: linear-gradient(to right, ${legend.stops.join(", ")})` }),
            html("span", { class: "legend-ends" }, ...(round ? [legend.lower, middle, legend.upper] : [legend.lower, legend.upper]).map(value => html("span", {}, format(value)))));
    }

    private toggleBox(name: ToggleName, index: number): HTMLElement {
        const box = html("input", { type: "checkbox", checked: this.state.toggles[name], onchange: () => this.toggle(name) });
        this.boxes.set(name, box);
        return html("label", { class: "toggle" }, box, html("span", {}, toggleWords[name]), html("kbd", { "aria-hidden": "true" }, String(index + 1)));
    }
}
