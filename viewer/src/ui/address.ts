// The page's state as its address gives it: #t=1.2&colour=speed&contacts=1&theme=dark&show=scene ...
// Meant for pictures, tests and links to a moment of a run.

import type { ColourBy } from "../data/types";

export type Show = "page" | "scene" | "plots";
export const toggleNames = ["contacts", "arrows", "chains", "joints", "worst", "shadows"] as const;
export type ToggleName = (typeof toggleNames)[number];
export const colours: readonly ColourBy[] = ["material", "speed", "error", "load"];

export interface Address {
    time: number | null;  // [s]; infinity for the end
    colour: ColourBy | null;
    toggles: Partial<Record<ToggleName, boolean>>;
    theme: "light" | "dark" | null;
    show: Show;
    play: boolean | null;
    follow: string | null;
    problem: number;  // of a comparison
}

function oneOf<T extends string>(text: string | null, values: readonly T[]): T | null {
    return values.find(value => value === text) ?? null;
}

function moment(text: string | null): number | null {
    if (text === "end") return Infinity;
    const time = text === null || text === "" ? NaN : Number(text);
    return Number.isFinite(time) ? time : null;
}

export function readAddress(hash: string): Address {
    const fields = new URLSearchParams(hash.replace(/^#/, ""));
    const toggles: Address["toggles"] = {};
    for (const name of toggleNames) if (fields.has(name)) toggles[name] = fields.get(name) !== "0";
    return {
        time: moment(fields.get("t")),
        colour: oneOf(fields.get("colour") ?? fields.get("color"), colours),
        toggles,
        theme: oneOf(fields.get("theme"), ["light", "dark"] as const),
        show: oneOf(fields.get("show"), ["page", "scene", "plots"] as const) ?? "page",
        play: fields.has("play") ? fields.get("play") !== "0" : null,
        follow: fields.get("follow"),
        problem: Math.max(0, Math.trunc(Number(fields.get("problem")) || 0)),
    };
}
