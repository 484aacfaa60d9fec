// The words of a run's page: header, verdict, footer.

import type { Model, RunDocument, StepSeries } from "../data/types";
import { html } from "./dom";
import { formatError, formatLevel, formatNumber, formatQuantity, plural } from "./format";

type Fact = (Node | string)[];

const strong = (text: string): HTMLElement => html("b", {}, text);

function largest(values: ArrayLike<number>, count: number): number {
    let most = 0;
    for (let k = 0; k < count; ++k) if (values[k]! > most) most = values[k]!;
    return most;
}

export function tolerance(model: Model): string {
    return model.tolerance_unit === "J" ? `${formatLevel(model.tolerance)}\u202fJ` : `${formatLevel(model.tolerance)} relative`;
}

/// Whether the tolerance was met, plainly.
export function verdict(steps: StepSeries, merged: number): { text: string; good: boolean } {
    const met = steps.column("tolerance_met");
    let missed = 0;
    for (let k = 0; k < steps.count; ++k) if (!met[k]) ++missed;
    if (steps.count === 0) return { text: "no steps yet", good: true };
    if (missed === 0) return { text: "every step met its tolerance", good: true };
    const of = merged > 1 ? `groups of ${merged} steps` : "steps";
    return { text: `${formatNumber(missed)} of ${formatNumber(steps.count)} ${of} missed it`, good: false };
}

export function runFacts(model: Model, steps: StepSeries, merged: number): HTMLElement[] {
    const { text, good } = verdict(steps, merged);
    const unitError = model.tolerance_unit === "J" ? `${formatError(largest(steps.column("energy_error_J"), steps.count), 2)}\u202fJ`
        : `${formatError(largest(steps.column("relative_error"), steps.count), 2)} relative`;
    const facts: Fact[] = [
        [strong(formatNumber(model.bodies.length)), model.bodies.length === 1 ? " body" : " bodies"],
        ...(model.joints.length > 0 ? [[strong(formatNumber(model.joints.length)), model.joints.length === 1 ? " joint" : " joints"]] : []),
        [strong(formatNumber(steps.count * merged)), ` steps of ${formatQuantity(model.step_s * 1e3, "ms")}`],
        ["solver ", strong(model.solver)],
        ["tolerance ", strong(tolerance(model))],
        [html("span", { class: good ? "status good" : "status bad" }, text)],
        ["worst error ", strong(unitError)],
    ];
    return facts.map(fact => html("li", {}, ...fact));
}

const reading = "How to read this: after every step the energy error is worked out from the step's problem alone. It says how many joules " +
    "the computed impulses are away from obeying the laws of the contacts and joints; the relative error is the square root of that against the joules " +
    "of doing nothing. No solver grades itself. The constraint with the largest share is named and ringed in the picture.";

export const howToRead = (): HTMLElement => html("p", { class: "note reading" }, reading);

function summaryList(run: RunDocument): HTMLElement[] {
    if (run.summary.length === 0) return [];
    return [html("details", { class: "summary" }, html("summary", {}, "The run in words"),
        html("dl", {}, ...run.summary.flatMap(line => [html("dt", {}, line.label), html("dd", {}, line.value)])))];
}

export function runFooter(run: RunDocument): HTMLElement {
    const { frames } = run;
    const contacts = frames.contacts.found === 0 ? "no contacts" : frames.contacts.kept === frames.contacts.found ? `all ${plural(frames.contacts.found, "contact")}`
        : `the strongest ${formatNumber(frames.contacts.kept)} of ${formatNumber(frames.contacts.found)} contacts`;
    const every = frames.every === 1 ? "every recorded frame" : `one of ${frames.every} recorded frames`;
    const merged = run.steps.merged > 1 ? ` Plots show the worst of each ${run.steps.merged} steps.` : "";
    return html("footer", {}, ...summaryList(run),
        html("p", {}, `${plural(frames.count, "frame")}, ${every}; ${contacts}. Positions in the picture are rounded to ${formatError(frames.quantum_m)}\u202fm; `
            + `forces and errors of bodies and contacts to a few percent; the plots are not rounded.${merged}`),
        html("p", {}, `${run.creator} \u00b7 ${run.recording}${run.finished ? "" : " \u00b7 this run was stopped before its end"}`),
        html("p", {}, html("code", {}, run.command)));
}
