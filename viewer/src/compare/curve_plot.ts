// Curves of solvers against time, iterations or a factor, drawn by uPlot, with a tip that reads all of them at once.

import uPlot from "uplot";
import { html, svg } from "../ui/dom";
import { themeColour } from "../ui/theme";
import { valueAt } from "./data";
import { colourName, dashOf, drawMarker, marker, swatch } from "./marks";

export interface SolverCurve { solver: number; points: [number, number][] }  // ascending x

export interface Scale { low: number; high: number; log: boolean; ticks: { value: number; label: string }[] }

export interface CurveSpec {
    x: Scale & { title: string };
    y: Scale;
    curves: SolverCurve[];
    limit: number | null;           // a line "tolerance"
    steps: boolean;                 // stairs instead of straight lines; larger is better
    label: string;                  // for those who cannot see it
    name(solver: number): string;
    format(y: number): string;
    describe(x: number): string;
}

/// Curves with their own x values on one shared list of x, as uPlot wants them; undefined where a curve has no point.
function aligned(curves: SolverCurve[]): uPlot.AlignedData {
    const xs = [...new Set(curves.flatMap(curve => curve.points.map(point => point[0])))].sort((a, b) => a - b);
    const place = new Map(xs.map((x, k) => [x, k]));
    const columns = curves.map(curve => {
        const column: (number | undefined)[] = new Array(xs.length).fill(undefined);
        for (const [x, y] of curve.points) column[place.get(x)!] = y;
        return column;
    });
    return [xs, ...columns] as unknown as uPlot.AlignedData;
}

export class CurvePlot {
    private readonly plot: uPlot;
    private readonly tip = html("div", { class: "tip", hidden: true });
    private readonly line = html("div", { class: "plot-hover", hidden: true });
    private readonly dots = svg("svg", { class: "plot-dots", "aria-hidden": "true" });
    private at = NaN;

    constructor(private readonly holder: HTMLElement, private readonly spec: CurveSpec, private lit: number | null) {
        holder.replaceChildren();
        this.plot = new uPlot(this.options(), aligned(spec.curves), holder);
        this.plot.over.append(this.line, this.dots);
        this.plot.over.tabIndex = 0;
        this.plot.over.setAttribute("role", "img");
        this.plot.over.setAttribute("aria-label", spec.label);
        holder.append(this.tip);
        this.listen();
    }

    destroy(): void { this.plot.destroy(); }

    recolour(): void { this.plot.redraw(false); }

    /// One curve full, the others faint; null: all full.
    light(solver: number | null): void {
        this.lit = solver;
        this.spec.curves.forEach((curve, k) => { this.plot.series[k + 1]!.alpha = this.alpha(curve.solver); });
        this.plot.redraw(false);
    }

    fit(): void {
        const width = this.width();
        if (width !== this.plot.width) this.plot.setSize({ width, height: this.height(width) });
        this.hide();
    }

    private width(): number { return Math.max(260, this.holder.clientWidth); }
    private height(width: number): number { return Math.round(Math.min(400, Math.max(270, width * .66))); }
    private alpha(solver: number): number { return this.lit === null || this.lit === solver ? 1 : .15; }

    private options(): uPlot.Options {
        const { spec } = this, width = this.width();
        const axis = (scale: Scale) => ({ stroke: () => themeColour("--soft"), font: "12px system-ui, sans-serif", ticks: { show: false },
            grid: { stroke: () => themeColour("--grid"), width: 1 }, splits: () => scale.ticks.map(tick => tick.value), filter: (_: uPlot, values: number[]) => values,
            values: () => scale.ticks.map(tick => tick.label) });
        const range = (scale: Scale) => ({ time: false, auto: false, distr: scale.log ? 3 : 1, range: () => [scale.low, scale.high] }) as uPlot.Scale;
        return {
            width, height: this.height(width), padding: [10, 22, 0, 0], legend: { show: false }, cursor: { show: false },
            scales: { x: range(spec.x), y: range(spec.y) },
            axes: [{ ...axis(spec.x), size: 28, label: spec.x.title, labelSize: 20, labelGap: 0, labelFont: "12px system-ui, sans-serif" }, { ...axis(spec.y), size: 46 }],
            series: [{}, ...spec.curves.map(curve => ({ stroke: () => themeColour(colourName(curve.solver)), width: 2, dash: dashOf(curve.solver), alpha: this.alpha(curve.solver),
                spanGaps: true, points: { show: false }, ...(spec.steps ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}) }))],
            hooks: { drawAxes: [plot => this.drawLimit(plot)], draw: [plot => this.drawMarkers(plot)] },
        };
    }

    private drawLimit(plot: uPlot): void {
        if (this.spec.limit === null) return;
        const { ctx, bbox } = plot, r = uPlot.pxRatio;
        const y = Math.round(plot.valToPos(this.spec.limit, "y", true)) + .5;
        ctx.save();
        ctx.strokeStyle = ctx.fillStyle = themeColour("--faint");
        ctx.lineWidth = r;
        ctx.setLineDash([2 * r, 4 * r]);
        ctx.beginPath();
        ctx.moveTo(bbox.left, y);
        ctx.lineTo(bbox.left + bbox.width, y);
        ctx.stroke();
        ctx.font = `${12 * r}px system-ui, sans-serif`;
        ctx.textAlign = "left";
        ctx.textBaseline = "alphabetic";
        ctx.fillText("tolerance", bbox.left + 6 * r, y - 6 * r);
        ctx.restore();
    }

    /// A marker where each curve ends and, with room between them, along it.
    private drawMarkers(plot: uPlot): void {
        const { ctx } = plot, r = uPlot.pxRatio;
        ctx.save();
        for (const curve of this.spec.curves) {
            ctx.globalAlpha = this.alpha(curve.solver);
            const places = curve.points.map(([x, y]) => [plot.valToPos(x, "x", true), plot.valToPos(Math.max(y, this.spec.y.low), "y", true)] as const);
            const end = places.length - 1;
            let last = -Infinity;
            places.forEach(([x, y], k) => {
                if (k !== end && (x - last < 70 * r || places[end]![0] - x < 40 * r)) return;
                if (k === 0 && k !== end && places.length > 2) { last = x - 40 * r; return; }
                drawMarker(ctx, curve.solver, x, y, (k === end ? 4.5 : 3.5) * r);
                last = x;
            });
        }
        ctx.restore();
    }

    private listen(): void {
        const over = this.plot.over;
        const follow = (event: PointerEvent) => { this.at = event.clientX - over.getBoundingClientRect().left; this.show(); };
        over.addEventListener("pointermove", follow);
        over.addEventListener("pointerdown", follow);
        over.addEventListener("pointerleave", () => this.hide());
        over.addEventListener("blur", () => this.hide());
        over.addEventListener("keydown", event => {
            const step = ({ ArrowLeft: -12, ArrowRight: 12 } as Record<string, number>)[event.key];
            if (event.key === "Escape") this.hide();
            if (!step) return;
            event.preventDefault();
            this.at = (Number.isNaN(this.at) ? over.clientWidth / 2 : this.at) + step;
            this.show();
        });
    }

    private hide(): void {
        this.line.hidden = true;
        this.tip.hidden = true;
        this.dots.replaceChildren();
    }

    private show(): void {
        const { spec, plot, tip } = this, width = plot.over.clientWidth;
        this.at = Math.min(width, Math.max(0, this.at));
        const x = plot.posToVal(this.at, "x");
        const rows = spec.curves.map(curve => ({ solver: curve.solver, y: valueAt(curve.points, x) }))
            .filter((row): row is { solver: number; y: number } => row.y !== null).sort((a, b) => spec.steps ? b.y - a.y : a.y - b.y);
        tip.replaceChildren(html("div", { class: "at" }, spec.describe(x)), ...rows.map(row =>
            html("div", { class: "row" }, swatch(row.solver), spec.name(row.solver), html("b", {}, spec.format(row.y)))));
        this.dots.replaceChildren(...rows.map(row => marker(row.solver, this.at, plot.valToPos(Math.max(row.y, spec.y.low), "y"))));
        this.line.hidden = tip.hidden = false;
        this.line.style.transform = `translateX(${this.at.toFixed(1)}px)`;
        this.placeTip(plot.over.offsetLeft, width);
    }

    /// Falling curves leave the lower left free, rising ones the lower right.
    private placeTip(left: number, width: number): void {
        const { tip, at } = this;
        const fitsLeft = at - 14 - tip.offsetWidth >= 0, fitsRight = at + 14 + tip.offsetWidth <= width;
        const onLeft = fitsLeft && !(this.spec.steps && fitsRight);
        tip.style.left = `${left + (onLeft ? at - 14 - tip.offsetWidth : Math.max(-left, Math.min(at + 14, width - tip.offsetWidth)))}px`;
        tip.style.top = `${this.plot.over.offsetTop + this.plot.over.clientHeight - 8 - tip.offsetHeight}px`;
    }
}
