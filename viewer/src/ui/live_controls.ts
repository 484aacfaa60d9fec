// The controls of a live run: pause, step, reset, speed, the scene's parameters, the solver and how well it is to solve.

import type { LiveRun } from "../data/live";
import type { Parameter } from "../data/types";
import type { Stage } from "../stage/stage";
import { html } from "./dom";
import { formatLevel, formatNumber, formatQuantity } from "./format";
import { icon } from "./icons";

const speeds = [0.1, 0.25, 0.5, 1, 2, 5, 10];
const sliderSteps = 1000;
/// A machine that reaches this share of the speed asked for keeps up.
const keepsUp = 0.9;

/// From where on the slider to which value, and back.
interface Scale { value(at: number): number; at(value: number): number }

function linearScale(lower: number, upper: number): Scale {
    return { value: at => lower + (upper - lower) * at, at: value => (value - lower) / (upper - lower) };
}

function logScale(lower: number, upper: number): Scale {
    const range = Math.log(upper / lower);
    return { value: at => lower * Math.exp(range * at), at: value => Math.log(value / lower) / range };
}

/// Does the parameter count something?  Whole numbers without a unit whose name or description says so.
function counts({ name, value, lower, upper, description }: Parameter): boolean {
    const whole = [value, lower ?? 0, upper ?? 0].every(Number.isInteger);
    return whole && !description.includes("[") && (/\b(number|how many|rows?|columns?|layers?|count|pieces)\b/i.test(description) || /(s|count)$/.test(name));
}

/// A scene that says no range gets one around its value.
function rangeOf({ value, lower, upper }: Parameter): [number, number] {
    const size = Math.abs(value) || 1;
    const low = lower ?? (value > 0 ? 0.25 * size : value < 0 ? -4 * size : -size);
    const high = upper ?? (value > 0 ? 4 * size : value < 0 ? -0.25 * size : size);
    return [Math.min(low, value), Math.max(high, value)];
}

interface SliderSpec { label: string; title: string; scale: Scale; value: number; shown: (value: number) => string; round: (value: number) => number; choose: (value: number) => void }

/// Arrow keys move a slider many times in a row; what it is moved to counts [ms].
const settleTime = 350;

/// A slider with its value beside the name; tells only when it is let go and has come to rest.
class Slider {
    readonly element: HTMLElement;
    private readonly input: HTMLInputElement;
    private readonly output = html("output", {});
    private held = false;
    private timer = 0;

    constructor(private readonly spec: SliderSpec) {
        this.input = html("input", { type: "range", class: "scrub", min: 0, max: sliderSteps, step: 1, "aria-label": spec.label,
            oninput: () => { this.held = true; clearTimeout(this.timer); this.show(this.value()); },
            onchange: () => { clearTimeout(this.timer); this.timer = window.setTimeout(() => { this.held = false; spec.choose(this.value()); }, settleTime); } });
        this.element = html("label", { class: "live-slider", title: spec.title },
            html("span", { class: "live-name" }, html("span", {}, spec.label), this.output), this.input);
        this.set(spec.value);
    }

    /// Not while somebody holds it.
    set(value: number): void {
        if (this.held) return;
        this.input.value = String(Math.round(sliderSteps * Math.min(1, Math.max(0, this.spec.scale.at(value)))));
        this.show(value);
    }

    private value(): number {
        return this.spec.round(this.spec.scale.value(Number(this.input.value) / sliderSteps));
    }

    private show(value: number): void {
        const text = this.spec.shown(value);
        this.output.textContent = text;
        this.input.setAttribute("aria-valuetext", text);
        this.input.style.setProperty("--share", `${Number(this.input.value) / sliderSteps * 100}%`);
    }
}

/// "of the rod [m]" -> "m".
const unitOf = (description: string): string => /\[([^\]]+)\]/.exec(description)?.[1] ?? "";

function parameterSlider(run: LiveRun, parameter: Parameter): Slider {
    const [lower, upper] = rangeOf(parameter);
    const whole = counts(parameter);
    const scale = lower > 0 && upper / lower >= 100 ? logScale(lower, upper) : linearScale(lower, upper);
    return new Slider({
        label: parameter.name, title: parameter.description, scale, value: parameter.value, shown: value => formatQuantity(value, unitOf(parameter.description)),
        round: value => whole ? Math.round(value) : Number(value.toPrecision(3)),
        choose: value => run.send({ do: "parameters", values: { [parameter.name]: value } }),
    });
}

/// Those with a range are meant to be played with; the others mostly follow from them.
function parameterSection(run: LiveRun): HTMLElement[] {
    const parameters = run.model.parameters.filter(({ value }) => Number.isFinite(value));
    const main = parameters.filter(({ lower, upper }) => lower !== null && upper !== null);
    const rest = parameters.filter(parameter => !main.includes(parameter));
    const elements = (list: Parameter[]): HTMLElement[] => list.map(parameter => parameterSlider(run, parameter).element);
    return [
        ...(main.length ? [html("h3", {}, "Scene (starts again)"), ...elements(main)] : []),
        ...(rest.length ? [html("details", { class: "live-more" }, html("summary", {}, main.length ? "More of the scene" : "Scene (starts again)"), ...elements(rest))] : []),
    ];
}

/// Pause, step, reset; speed and how much of it the machine reaches.
class RunSection {
    readonly elements: HTMLElement[];
    private readonly play: HTMLButtonElement;
    private readonly speed: HTMLSelectElement;
    private readonly factor = html("p", { class: "live-factor", "aria-live": "off" });

    constructor(private readonly run: LiveRun) {
        this.play = html("button", { class: "quiet live-play", type: "button", onclick: () => run.send({ do: run.paused ? "play" : "pause" }) });
        const step = html("button", { class: "quiet", type: "button", title: "One step of the simulation", onclick: () => run.send({ do: "step" }) }, "Step");
        const reset = html("button", { class: "quiet", type: "button", title: "Back to the scene's start", onclick: () => run.send({ do: "reset" }) }, "Reset");
        this.speed = html("select", { "aria-label": "Speed limit", title: "At most so many times real time", onchange: () => run.send({ do: "speed", factor: Number(this.speed.value) }) },
            ...speeds.map(speed => html("option", { value: speed }, `${speed}\u00d7 real time`)));
        this.elements = [html("h3", {}, "Simulation"), html("div", { class: "live-buttons" }, this.play, step, reset), this.speed, this.factor];
    }

    update(): void {
        const { run } = this;
        if (this.play.dataset.paused !== String(run.paused)) {
            this.play.dataset.paused = String(run.paused);
            this.play.replaceChildren(icon(run.paused ? "play" : "pause"), run.paused ? "Run" : "Pause");
        }
        if (document.activeElement !== this.speed) this.speed.value = String(speeds.find(speed => speed === run.state.speed) ?? "");
        this.factor.textContent = this.words();
        this.factor.classList.toggle("slow", !run.paused && run.factor > 0 && run.factor < keepsUp * run.state.speed);
    }

    private words(): string {
        const { paused, factor, state } = this.run;
        if (paused) return "paused";
        if (factor === 0) return "";
        const reached = `${formatNumber(Number(factor.toPrecision(2)))}\u00d7 real time`;
        return factor < keepsUp * state.speed ? `${reached}: the machine cannot keep up` : reached;
    }
}

/// Which solver, to which error, in which time.
class SolverSection {
    readonly elements: HTMLElement[];
    private readonly solver: HTMLSelectElement;
    private readonly tolerance: Slider;
    private readonly budget: Slider;
    private readonly limited: HTMLInputElement;
    private budgetMs = 5;

    constructor(private readonly run: LiveRun) {
        this.solver = html("select", { class: "live-solver", "aria-label": "Solver", onchange: () => run.send({ do: "solver", name: this.solver.value }) },
            ...run.solvers.map(({ name, summary }) => html("option", { value: name, title: summary }, name)));
        this.tolerance = new Slider({
            label: "Tolerance", title: "Error to reach in every step, by the certificate", scale: logScale(1e-10, 1e-1), value: run.state.tolerance,
            shown: value => `${formatLevel(value)}${run.state.toleranceUnit === "J" ? " J" : ""}`, round: value => 10 ** (Math.round(2 * Math.log10(value)) / 2),
            choose: value => run.send({ do: "tolerance", value, unit: run.state.toleranceUnit }),
        });
        this.budget = new Slider({
            label: "Time for a solve", title: "Wall-clock limit of each step's solve; what it cuts depends on the machine", scale: logScale(0.05, 100), value: this.budgetMs,
            shown: value => `${formatNumber(value)} ms`, round: value => Number(value.toPrecision(2)),
            choose: value => { this.budgetMs = value; run.send({ do: "budget", ms: value }); },
        });
        this.limited = html("input", { type: "checkbox", onchange: () => run.send({ do: "budget", ms: this.limited.checked ? this.budgetMs : null }) });
        this.elements = [html("h3", {}, "Solver"), this.solver, this.tolerance.element,
            html("label", { class: "toggle" }, this.limited, html("span", {}, "Time limit")), this.budget.element];
    }

    update(): void {
        const { state, solvers } = this.run;
        this.solver.value = state.solver;
        this.solver.title = solvers.find(({ name }) => name === state.solver)?.summary ?? "";
        this.tolerance.set(state.tolerance);
        this.limited.checked = state.budgetMs !== null;
        this.budget.element.hidden = state.budgetMs === null;
        if (state.budgetMs !== null) this.budget.set(this.budgetMs = state.budgetMs);
    }
}

/// The control that was last changed: where controls are made again because of that, the keyboard goes on there.
let lastUsed: string | null = null;

function keepFocus(element: HTMLElement): void {
    element.addEventListener("change", event => { lastUsed = (event.target as Element).getAttribute("aria-label"); });
    requestAnimationFrame(() => {
        const same = [...element.querySelectorAll<HTMLElement>("[aria-label]")].find(one => one.getAttribute("aria-label") === lastUsed);
        if (lastUsed !== null && document.activeElement === document.body) same?.focus({ preventScroll: true });
    });
}

/// To be made again for another model.  Takes the run's `onstate` and `onerror`, and the stage's `ondrag`.
export function liveControls(run: LiveRun, stage: Stage | null): HTMLElement {
    const runs = new RunSection(run);
    const solver = new SolverSection(run);
    const trouble = html("p", { class: "live-trouble", role: "alert", hidden: true });
    const element = html("div", { class: "live-controls" }, ...runs.elements, trouble, ...parameterSection(run), ...solver.elements);
    run.onstate = () => { runs.update(); solver.update(); };
    run.onerror = text => {
        trouble.textContent = text;
        trouble.hidden = false;
    };
    element.addEventListener("change", () => { trouble.hidden = true; });
    element.addEventListener("click", () => { trouble.hidden = true; });
    keepFocus(element);
    if (stage) stage.ondrag = (phase, body, point, target) => run.drag(phase, body, point, target);
    run.onstate();
    const clock = setInterval(() => {
        if (element.isConnected) runs.update();
        else clearInterval(clock);
    }, 500);
    return element;
}
