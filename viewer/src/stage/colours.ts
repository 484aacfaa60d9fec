// Colours of the 3D view: what a material looks like, the scales that turn numbers into colours, and the two themes.

import { Color } from "three";
import type { ColourBy, Material, Model, Shape } from "../data/types";

// ---- themes ---------------------------------------------------------------------------------------------------------

export interface Theme {
    background: string;
    horizon: string;        // the background's upper end
    ground: string;
    grid: string;
    shadow: number;         // how much of the ground's light a shadow takes
    accent: string;         // selection, joints
    motor: string;          // driven joints
    worst: string;
    contact: string;
    force: string;
    neutral: string;        // of fixed bodies while colours mean a number
}

export const lightTheme: Theme = {
    background: "#f1f3f6", horizon: "#dbe2ea", ground: "#e7eaee", grid: "#aab4bf", shadow: 0.5,
    accent: "#1f6feb", motor: "#e07b00", worst: "#d6204e", contact: "#d6204e", force: "#c2255c", neutral: "#c3c9d0",
};

export const darkTheme: Theme = {
    background: "#14181d", horizon: "#232b35", ground: "#1b2027", grid: "#56616f", shadow: 0.62,
    accent: "#6cb0ff", motor: "#ffb454", worst: "#ff5c7f", contact: "#ff6b8a", force: "#ff7aa2", neutral: "#4c545d",
};

// ---- materials ------------------------------------------------------------------------------------------------------

/// How light meets a surface.
export interface Look { roughness: number; metalness: number; opacity: number }

const looks: [RegExp, Look][] = [
    [/glass|acrylic|perspex|window/, { roughness: 0.08, metalness: 0, opacity: 0.3 }],
    [/steel|chrome|iron|bearing|nickel|silver/, { roughness: 0.3, metalness: 0.75, opacity: 1 }],
    [/alumin|metal|tin\b|zinc/, { roughness: 0.42, metalness: 0.65, opacity: 1 }],
    [/brass|copper|bronze|gold/, { roughness: 0.32, metalness: 0.7, opacity: 1 }],
    [/rubber|tyre|tire|belt/, { roughness: 0.92, metalness: 0, opacity: 1 }],
    [/wood|oak|pine|card|paper|crate/, { roughness: 0.78, metalness: 0, opacity: 1 }],
    [/concrete|stone|brick|sand|pier|gravel|soil/, { roughness: 0.94, metalness: 0, opacity: 1 }],
    [/ice|ceramic|porcelain|paint|plastic/, { roughness: 0.28, metalness: 0, opacity: 1 }],
];
const plain: Look = { roughness: 0.52, metalness: 0.02, opacity: 1 };

export function lookOf(material: Material | undefined): Look {
    const name = material?.name.toLowerCase() ?? "";
    return looks.find(([pattern]) => pattern.test(name))?.[1] ?? plain;
}

export function materialOf(model: Model, shape: Shape): Material | undefined {
    return typeof shape.material === "number" ? model.materials[shape.material]
        : model.materials.find((material) => material.name === shape.material);
}

// For models that name no colours: even in lightness, told apart by most eyes.
const palette = ["#5b8db8", "#d98e4a", "#6fa86f", "#b86b77", "#8f7fb8", "#b8a24a", "#5fa8a3", "#a08069"];

export function colourOf(model: Model, shape: Shape): Color {
    const material = materialOf(model, shape);
    const index = typeof shape.material === "number" ? shape.material : model.materials.indexOf(material!);
    return new Color(shape.color || material?.color || palette[Math.max(index, 0) % palette.length]);
}

/// What does not move stays in the background: less saturated.
export function quieter(colour: Color): Color {
    const hsl = { h: 0, s: 0, l: 0 };
    colour.getHSL(hsl);
    return colour.setHSL(hsl.h, hsl.s * 0.72, hsl.l);
}

/// A few per cent lighter or darker, so that a heap of equal bodies does not melt together.
export function variation(body: number): number {
    const hash = Math.imul(body + 1, 0x9e3779b1) >>> 0;
    return 0.93 + 0.14 * (hash / 0xffffffff);
}

// ---- scales ---------------------------------------------------------------------------------------------------------

export interface Legend { label: string; unit: string; lower: number; upper: number; log: boolean; stops: string[] }

// Lightness grows evenly along each; the samples follow the well-known maps' course (viridis, inferno, and a warm one).
const speedStops = ["#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"];
const errorStops = ["#4a0c6b", "#781c6d", "#a52c60", "#cf4446", "#ed6925", "#fb9b06", "#f7d13d", "#fcffa4"];
const loadStops = ["#1d3c5c", "#2a5f86", "#3f86a6", "#6aaab0", "#a9c7a5", "#e6d08a", "#eda95a", "#dc7140", "#b9382f"];

const steps = 256;

/// From a number to a colour.  The upper end is a round number: fixed beforehand where the whole run is known, else it
/// only grows, so that colours keep their meaning while a run goes on.  A logarithmic scale spans a fixed number of
/// decades below it.
export class Scale {
    private readonly table: Float32Array;
    private logLower = 0;
    private perDecade = 1;
    private fixed = false;
    lower = 0;
    upper = 0;

    constructor(readonly label: string, readonly unit: string, readonly decades: number, readonly stops: string[]) {
        this.table = sampled(stops);
    }

    get log(): boolean { return this.decades > 0; }

    /// From here on the scale is the one that ends above this value.
    fix(value: number): void {
        this.include(value);
        this.fixed = this.upper > 0;
    }

    set(lower: number, upper: number): void {
        this.lower = lower;
        this.upper = upper;
        this.logLower = Math.log10(Math.max(lower, 1e-300));
        this.perDecade = 1 / Math.max(Math.log10(Math.max(upper, 1e-300)) - this.logLower, 1e-9);
    }

    /// True if the scale had to grow.
    include(value: number): boolean {
        if (this.fixed || !(value > this.upper) || !Number.isFinite(value)) return false;
        if (this.log) {
            const top = Math.ceil(Math.log10(value));
            this.set(10 ** (top - this.decades), 10 ** top);
        } else {
            this.set(0, roundUp(value));
        }
        return true;
    }

    /// Writes the (linear) colour of a value to target[at ...].
    write(value: number, target: Float32Array, at: number): void {
        const share = this.share(value);
        const entry = 3 * Math.min(steps - 1, Math.max(0, Math.round(share * (steps - 1))));
        target[at] = this.table[entry];
        target[at + 1] = this.table[entry + 1];
        target[at + 2] = this.table[entry + 2];
    }

    legend(): Legend {
        return { label: this.label, unit: this.unit, lower: this.lower, upper: this.upper, log: this.log, stops: this.stops };
    }

    private share(value: number): number {
        if (!(this.upper > 0) || !(value > 0)) return 0;
        return this.log ? (Math.log10(value) - this.logLower) * this.perDecade : value / this.upper;
    }
}

export function newScales(): Record<Exclude<ColourBy, "material">, Scale> {
    return {
        speed: new Scale("Speed", "m/s", 0, speedStops),
        error: new Scale("Energy error of contacts", "J", 6, errorStops),
        load: new Scale("Contact force", "N", 3, loadStops),
    };
}

/// The next of 1, 2, 5, 10 ... that is not below.
export function roundUp(value: number): number {
    const decade = 10 ** Math.floor(Math.log10(value));
    const lead = value / decade;
    return decade * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

function sampled(stops: string[]): Float32Array {
    const table = new Float32Array(3 * steps);
    const colours = stops.map((stop) => srgb(stop));
    for (let k = 0; k < steps; ++k) {
        const along = (k / (steps - 1)) * (stops.length - 1);
        const left = Math.min(Math.floor(along), stops.length - 2);
        const blend = colours[left].map((c, i) => c + (colours[left + 1][i] - c) * (along - left));
        new Color().setRGB(blend[0], blend[1], blend[2], "srgb").toArray(table, 3 * k);
    }
    return table;
}

function srgb(hex: string): number[] {
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
}
