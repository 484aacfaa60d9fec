// The panels of a run: what every step was like, and the reactions of a joint.

import type { FrameSource, Model, StepColumn, StepSeries } from "../data/types";
import { html } from "../ui/dom";
import { formatError, formatSeconds } from "../ui/format";
import { PlotGroup } from "./plot_group";
import { TimePlot, type Limit, type PlotSpec, type Values } from "./time_plot";

interface Panel { plot: TimePlot; update(steps: StepSeries): void }

const column = (steps: StepSeries, name: StepColumn): Values => steps.column(name).subarray(0, steps.count);
const scaled = (values: Values, factor: number): Values => Float64Array.from(values, value => value * factor);

/// A panel whose curves are columns of the steps, times a factor.
function columnPanel(spec: PlotSpec, columns: StepColumn[], factor = 1): Panel {
    const plot = new TimePlot(spec);
    return { plot, update: steps => plot.set(column(steps, "time"),
        columns.map(name => factor === 1 ? column(steps, name) : scaled(column(steps, name), factor))) };
}

function toleranceLimit(model: Model, unit: Model["tolerance_unit"]): Limit[] {
    return model.tolerance_unit === unit && model.tolerance > 0 ? [{ value: model.tolerance, label: "tolerance" }] : [];
}

const budgetLimit = (model: Model): Limit[] => model.budget_s ? [{ value: model.budget_s * 1e3, label: "budget" }] : [];

function relativeErrorPanel(model: Model): Panel {
    const plot = new TimePlot({ title: "Relative error", unit: "", log: true, limits: toleranceLimit(model, "relative"), format: formatError,
        curves: [{ label: "error", colour: "--c0" }, { label: "missed", colour: "--bad", points: true, format: () => "" }] });
    return { plot, update: steps => {
        const error = column(steps, "relative_error"), met = column(steps, "tolerance_met");
        plot.set(column(steps, "time"), [error, Float64Array.from(error, (value, k) => met[k] ? NaN : value)]);
    } };
}

function energyErrorPanel(model: Model): Panel {
    return columnPanel({ title: "Energy error", unit: "J", log: true, limits: toleranceLimit(model, "J"), format: formatError,
        note: "The energy error is zero in every step.",
        curves: [{ label: "of the step", colour: "--c0" }, { label: "worst constraint", colour: "--c1", dash: [3, 3] }] }, ["energy_error_J", "worst_error_J"]);
}

function timePanel(model: Model): Panel {
    const milliseconds = (value: number | null) => formatSeconds(value === null ? null : value * 1e-3);
    return columnPanel({ title: "Computing time of a step", unit: "ms", log: true, limits: budgetLimit(model), format: milliseconds,
        curves: [{ label: "total", colour: "--c7" }, { label: "solve", colour: "--c0" }] }, ["total_s", "solve_s"], 1e3);
}

function energyPanel(): Panel {
    const plot = new TimePlot({ title: "Energy", unit: "J", log: false,
        curves: [{ label: "kinetic", colour: "--c0" }, { label: "potential", colour: "--c2" }, { label: "sum", colour: "--c1", dash: [6, 4] }] });
    return { plot, update: steps => {
        const kinetic = column(steps, "kinetic_J"), potential = column(steps, "potential_J");
        plot.set(column(steps, "time"), [kinetic, potential, Float64Array.from(kinetic, (value, k) => value + potential[k]!)]);
    } };
}

function stepPanels(model: Model): Panel[] {
    return [
        relativeErrorPanel(model),
        energyErrorPanel(model),
        columnPanel({ title: "Contacts", unit: "", log: false, note: "Nothing touches in this run.",
            curves: [{ label: "contacts", colour: "--c0" }, { label: "rows", colour: "--c2" }] }, ["contacts", "rows"]),
        columnPanel({ title: "Solver iterations", unit: "per step", log: false, curves: [{ label: "iterations", colour: "--c6" }] }, ["iterations"]),
        timePanel(model),
        energyPanel(),
        columnPanel({ title: "Penetration and joint drift", unit: "m", log: true, least: 1e-9,
            note: "No overlap and no drift in any step.",
            curves: [{ label: "penetration", colour: "--c3" }, { label: "drift", colour: "--c4" }] }, ["max_penetration", "max_joint_drift"]),
    ];
}

/// Force and torque of one joint, with a box to choose which; watched joints first.
class JointPanels {
    readonly force: TimePlot;
    readonly torque: TimePlot;
    private readonly select: HTMLSelectElement;
    private wanted = 0;

    constructor(private readonly model: Model, private readonly source: FrameSource, order: number[]) {
        const axes = (names: string[]) => names.map((label, k) => ({ label, colour: `--c${[0, 1, 2][k]}` }));
        const note = "This joint's reaction is not in this page.";
        this.force = new TimePlot({ title: "Joint force", unit: "N", log: false, note, curves: axes(["x", "y", "z"]) });
        this.torque = new TimePlot({ title: "Joint torque", unit: "N m", log: false, note, curves: axes(["x", "y", "z"]) });
        this.select = html("select", { "aria-label": "Joint", onchange: () => this.show(Number(this.select.value)) },
            ...order.map(k => html("option", { value: k }, model.joints[k]!.name)));
        this.force.head.append(this.select);
        this.force.element.title = this.torque.element.title = "Of the joint on body b, along the axes of its joint frame";
    }

    /// Reads the joint's reaction and draws it; a later choice overtakes an earlier one.
    async show(joint: number): Promise<void> {
        this.wanted = joint;
        this.select.value = String(joint);
        this.torque.retitle(`Joint torque, ${this.model.joints[joint]!.name}`);
        const reaction = await this.source.joint(joint);
        if (this.wanted !== joint) return;
        const values = reaction?.values ?? Array.from({ length: 6 }, () => []);
        this.force.set(reaction?.time ?? [], values.slice(0, 3));
        this.torque.set(reaction?.time ?? [], values.slice(3, 6));
    }

    again(): Promise<void> {
        return this.show(this.wanted);
    }
}

/// Watched joints first, then in the model's order; only those that have a reaction.
function jointOrder(model: Model, recorded: number[]): number[] {
    const rank = (joint: number) => model.watch.includes(model.joints[joint]!.name) ? 0 : 1;
    return recorded.filter(joint => model.joints[joint]).sort((a, b) => rank(a) - rank(b) || a - b);
}

export class RunPlots {
    readonly element: HTMLElement;
    readonly group = new PlotGroup();
    private readonly panels: Panel[];
    private readonly joints: JointPanels | null;
    private readonly reset: HTMLButtonElement;

    constructor(model: Model, private readonly source: FrameSource, recordedJoints: number[]) {
        this.panels = stepPanels(model);
        const order = jointOrder(model, recordedJoints);
        this.joints = order.length > 0 ? new JointPanels(model, source, order) : null;
        const plots = [...this.panels.map(panel => panel.plot), ...(this.joints ? [this.joints.force, this.joints.torque] : [])];
        for (const plot of plots) this.group.add(plot);
        this.reset = html("button", { class: "quiet", type: "button", hidden: true, onclick: () => this.group.setZoom(null) }, "Whole run");
        this.group.onzoom = zoomed => { this.reset.hidden = !zoomed; };
        this.element = html("section", { class: "run-plots", "aria-labelledby": "plots-title" }, this.heading(),
            html("div", { class: this.joints ? "panels with-joints" : "panels" }, ...plots.map(plot => plot.element)));
        if (this.joints) void this.joints.show(order[0]!);
    }

    update(steps: StepSeries): void {
        const { source } = this;
        const ends = [steps.column("time")[steps.count - 1] ?? 0, source.count > 0 ? source.time(source.count - 1) : 0];
        const first = source.count > 0 ? source.time(0) : steps.column("time")[0] ?? 0;
        this.group.setWhole([first, Math.max(...ends)]);
        for (const panel of this.panels) panel.update(steps);
    }

    updateJoint(): void {
        void this.joints?.again();
    }

    showJoint(joint: number): void {
        void this.joints?.show(joint);
    }

    /// The tolerance or the budget is another one now.
    updateLimits(model: Model): void {
        const [relative, energy, , , time] = this.panels;
        relative!.plot.setLimits(toleranceLimit(model, "relative"));
        energy!.plot.setLimits(toleranceLimit(model, "J"));
        time!.plot.setLimits(budgetLimit(model));
    }

    private heading(): HTMLElement {
        const zoom = html("button", { class: "quiet", type: "button", "aria-pressed": "false", onclick: () => {
            this.group.dragZooms = !this.group.dragZooms;
            zoom.setAttribute("aria-pressed", String(this.group.dragZooms));
        } }, "Drag to zoom");
        return html("div", { class: "plots-head" }, html("h2", { id: "plots-title" }, "Every step"),
            html("p", { class: "note" }, "Click or drag in a plot to move in time; with the shift key, dragging zooms, and a double click shows the whole run again."),
            html("div", { class: "plots-tools" }, this.reset, zoom));
    }
}
