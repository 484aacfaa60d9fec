// The steps of a live run: grows up to a bound, then two entries become one again and again.
//
// An entry that stands for several steps has the largest of errors, times and counts, the smallest of tolerance_met, the
// last of time, step and energies, and the texts of its worst step: as in the page of a recording.

import type { StepColumn, StepSeries } from "./types";

export const textNames = ["worst", "deepest", "loosest", "solver", "status", "reason"] as const;
type TextName = (typeof textNames)[number];

const mostEntries = 20000;
const lastOnes: readonly string[] = ["time", "step", "kinetic_J", "potential_J", "sleeping"];
const smallest: readonly string[] = ["tolerance_met"];

export class LiveSteps implements StepSeries {
    count = 0;
    /// Steps in an entry.
    merged = 1;
    private inLast = 0;
    private columns = new Map<string, Float64Array>();
    private texts = new Map<TextName, Int32Array>();
    private strings: string[] = [];
    private known = new Map<string, number>();

    column(name: StepColumn): Float64Array {
        return this.columns.get(name) ?? new Float64Array(this.count);
    }

    text(name: TextName, index: number): string {
        return this.strings[this.texts.get(name)?.[index] ?? -1] ?? "";
    }

    clear(): void {
        this.count = 0;
        this.merged = 1;
        this.inLast = 0;
        this.columns.clear();
        this.texts.clear();
        this.strings = [];
        this.known.clear();
    }

    add(names: string[], values: Float64Array, texts: string[]): void {
        if (this.count > 0 && this.inLast < this.merged) {
            this.mergeInto(this.count - 1, names, values, texts);
            ++this.inLast;
            return;
        }
        if (this.count === mostEntries) this.halve();
        names.forEach((name, k) => { this.numbers(name)[this.count] = values[k]!; });
        this.setTexts(this.count, texts);
        ++this.count;
        this.inLast = 1;
    }

    private numbers(name: string): Float64Array {
        let column = this.columns.get(name);
        if (!column) this.columns.set(name, column = new Float64Array(mostEntries));
        return column;
    }

    private setTexts(entry: number, texts: string[]): void {
        textNames.forEach((name, k) => {
            let column = this.texts.get(name);
            if (!column) this.texts.set(name, column = new Int32Array(mostEntries));
            column[entry] = this.stringIndex(texts[k] ?? "");
        });
    }

    private stringIndex(text: string): number {
        let index = this.known.get(text);
        if (index === undefined) {
            index = this.strings.push(text) - 1;
            this.known.set(text, index);
        }
        return index;
    }

    private mergeInto(entry: number, names: string[], values: Float64Array, texts: string[]): void {
        const worse = values[names.indexOf("relative_error")]! > this.numbers("relative_error")[entry]!;
        names.forEach((name, k) => {
            const column = this.numbers(name);
            const value = values[k]!;
            if (lastOnes.includes(name)) column[entry] = value;
            else column[entry] = smallest.includes(name) ? Math.min(column[entry]!, value) : Math.max(column[entry]!, value);
        });
        if (worse) this.setTexts(entry, texts);
    }

    /// Pairs of entries become one; texts that nobody has any more are forgotten.
    private halve(): void {
        const old = this.count;
        const before = { columns: this.columns, texts: this.texts, strings: this.strings, merged: this.merged };
        const names = [...before.columns.keys()];
        this.clear();
        this.merged = 2;  // for the time of copying
        const row = new Float64Array(names.length);
        for (let entry = 0; entry < old; ++entry) {
            names.forEach((name, k) => { row[k] = before.columns.get(name)![entry]!; });
            this.add(names, row, textNames.map(name => before.strings[before.texts.get(name)![entry]!] ?? ""));
        }
        this.merged = 2 * before.merged;
        this.inLast = this.merged;
    }
}
