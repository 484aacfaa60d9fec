// One panel: a title, the values at the cursor, and curves over time drawn by uPlot.
//
// The cursor, the hover line and the zoom's selection are plain elements above the canvas, so that playing a run moves
// elements and redraws nothing.  All panels of a page share one PlotGroup (plot_group.ts).

import uPlot from "uplot";
import { html } from "../ui/dom";
import { formatNumber } from "../ui/format";
import { themeColour } from "../ui/theme";
import { logRange, logSplits, logTicks, timeTicks } from "./axes";

export interface Curve {
    label: string;
    colour: string;             // a variable of the theme: "--c0"
    dash?: number[];
    points?: boolean;           // marks only, no line
    /// The value a reader sees; default: the curve's.
    format?: (value: number | null) => string;
}

export interface Limit { value: number; label: string }

export interface PlotSpec {
    title: string;
    unit: string;
    log: boolean;
    curves: Curve[];
    limits?: Limit[];
    least?: number;             // a logarithmic axis need not go below this
    note?: string;              // said when there is nothing to draw
    format?: (value: number | null) => string;
}

export type Values = ArrayLike<number>;
const height = 168;

export class TimePlot {
    readonly element: HTMLElement;
    readonly head: HTMLElement;
    onscrub: ((time: number, phase: "start" | "move" | "end") => void) | null = null;
    onhover: ((time: number | null) => void) | null = null;
    onzoom: ((range: [number, number] | null) => void) | null = null;
    /// Whether dragging zooms instead of scrubbing.
    dragZooms: (event: PointerEvent) => boolean = event => event.shiftKey;

    private readonly plot: uPlot;
    private readonly holder = html("div", { class: "plot-area" });
    private readonly values: HTMLElement[];
    private readonly keys: HTMLElement[];
    private readonly now = html("div", { class: "plot-now" });
    private readonly hover = html("div", { class: "plot-hover", hidden: true });
    private readonly selection = html("div", { class: "plot-zoom", hidden: true });
    private readonly empty: HTMLElement;
    private readonly title = html("h3", {});
    private time: ArrayLike<number> = [];
    private raw: Values[] = [];
    private span: [number, number] = [0, 1];
    private shownNow = NaN;
    private shownHover: number | null = null;

    constructor(private readonly spec: PlotSpec) {
        this.values = spec.curves.map(() => html("b", {}, ""));
        this.keys = spec.curves.map((curve, k) => html("span", { class: "plot-key" },
            html("i", { style: `--key: var(${curve.colour})`, class: curve.points ? "dot" : curve.dash ? "dashed" : "" }), curve.label + " ", this.values[k]!));
        this.head = html("div", { class: "plot-title" }, this.title);
        this.empty = html("p", { class: "plot-empty", hidden: true }, spec.note ?? "Nothing to draw yet.");
        this.element = html("div", { class: "card panel" }, this.head, html("div", { class: "plot-keys" }, ...this.keys), this.holder, this.empty);
        this.retitle(spec.title);
        this.plot = new uPlot(this.options(), [[], ...spec.curves.map(() => [])] as unknown as uPlot.AlignedData, this.holder);
        this.plot.over.append(this.selection, this.hover, this.now);
        this.listen();
        new ResizeObserver(() => this.resize()).observe(this.holder);
    }

    retitle(title: string): void {
        this.title.replaceChildren(title, html("small", {}, this.spec.unit ? ` ${this.spec.unit}` : ""));
        this.holder.setAttribute("role", "img");
        this.holder.setAttribute("aria-label", `${title}${this.spec.unit ? ` in ${this.spec.unit}` : ""} over time`);
    }

    /// New data: the times and the values of each curve.
    set(time: ArrayLike<number>, values: Values[]): void {
        this.time = time;
        this.raw = values;
        const drawable = values.map(column => this.drawable(column));
        this.plot.setData([time, ...drawable] as unknown as uPlot.AlignedData, false);
        this.spec.curves.forEach((curve, k) => { if (curve.points) this.keys[k]!.hidden = !drawable[k]!.some(value => value !== null); });
        const drawn = drawable.some(column => column.some(value => value !== null));
        this.empty.hidden = drawn;
        this.element.classList.toggle("bare", !drawn);
        this.rescale();
        this.cursor(this.shownNow, this.shownHover);
    }

    setLimits(limits: Limit[]): void {
        if (JSON.stringify(limits) === JSON.stringify(this.spec.limits ?? [])) return;
        this.spec.limits = limits;
        this.rescale();
    }

    /// From which to which time it draws.
    setSpan(span: [number, number]): void {
        this.span = span;
        this.rescale();
        this.cursor(this.shownNow, this.shownHover);
    }

    /// Moves the cursor and says the values there, or where the pointer is.
    cursor(now: number, hover: number | null): void {
        this.shownNow = now;
        this.shownHover = hover;
        this.place(this.now, now);
        this.place(this.hover, hover);
        const index = this.indexAt(hover ?? now);
        this.spec.curves.forEach((curve, k) => {
            const value = index < 0 || !this.raw[k] ? null : this.raw[k]![index] ?? null;
            const format = curve.format ?? this.spec.format ?? formatNumber;
            const text = value === null || Number.isNaN(value) ? "" : format(value);
            if (this.values[k]!.textContent !== text) this.values[k]!.textContent = text;
        });
    }

    recolour(): void {
        this.plot.redraw(false);
    }

    /// On a logarithmic axis what is not above zero is a gap.
    private drawable(column: Values): (number | null)[] {
        const log = this.spec.log;
        return Array.from(column, value => Number.isFinite(value) && (!log || value > 0) ? value : null);
    }

    private rescale(): void {
        const [min, max] = this.span;
        this.plot.setScale("x", { min, max: max > min ? max : min + 1e-3 });
    }

    private indexAt(time: number): number {
        let low = 0, high = this.time.length - 1;
        if (high < 0 || Number.isNaN(time)) return -1;
        const edge = time - 1e-9 * Math.max(1, Math.abs(time));
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.time[middle]! < edge) low = middle + 1; else high = middle;
        }
        return low;
    }

    private place(line: HTMLElement, time: number | null): void {
        const x = time === null || Number.isNaN(time) ? -1 : this.plot.valToPos(time, "x");
        line.hidden = !(x >= -1 && x <= this.plot.bbox.width / uPlot.pxRatio + 1);  // not clientWidth: that would lay the page out anew for each plot
        line.style.transform = `translateX(${x.toFixed(1)}px)`;
    }

    private resize(): void {
        const width = this.holder.clientWidth;
        if (width < 40 || width === this.plot.width) return;
        this.plot.setSize({ width, height });
        this.cursor(this.shownNow, this.shownHover);
    }

    private listen(): void {
        const over = this.plot.over;
        let start: { x: number; zooms: boolean } | null = null;
        const at = (event: PointerEvent) => Math.min(over.clientWidth, Math.max(0, event.clientX - over.getBoundingClientRect().left));
        const timeAt = (x: number) => this.plot.posToVal(x, "x");
        over.addEventListener("pointerdown", event => {
            if (event.button !== 0 || this.time.length === 0) return;
            over.setPointerCapture(event.pointerId);
            start = { x: at(event), zooms: this.dragZooms(event) };
            if (!start.zooms) this.onscrub?.(timeAt(start.x), "start");
        });
        over.addEventListener("pointermove", event => {
            const x = at(event);
            if (event.pointerType === "mouse") this.onhover?.(start && !start.zooms ? null : timeAt(x));
            if (!start) return;
            if (start.zooms) this.drawSelection(start.x, x); else this.onscrub?.(timeAt(x), "move");
        });
        const end = (event: PointerEvent) => {
            if (!start) return;
            const x = at(event);
            this.selection.hidden = true;
            if (!start.zooms) this.onscrub?.(timeAt(x), "end");
            else if (Math.abs(x - start.x) > 6) this.onzoom?.([timeAt(Math.min(x, start.x)), timeAt(Math.max(x, start.x))]);
            start = null;
        };
        over.addEventListener("pointerup", end);
        over.addEventListener("pointercancel", end);
        over.addEventListener("pointerleave", () => this.onhover?.(null));
        over.addEventListener("dblclick", () => this.onzoom?.(null));
    }

    private drawSelection(from: number, to: number): void {
        this.selection.hidden = false;
        this.selection.style.left = `${Math.min(from, to)}px`;
        this.selection.style.width = `${Math.abs(to - from)}px`;
    }

    private options(): uPlot.Options {
        const { spec } = this;
        const axis = { stroke: () => themeColour("--soft"), font: "11px system-ui, sans-serif",
            grid: { stroke: () => themeColour("--grid"), width: 1 }, ticks: { show: false } };
        return {
            width: 400, height, padding: [8, 20, 0, 0], legend: { show: false }, cursor: { show: false },
            scales: { x: { time: false, auto: false, range: (_, min, max) => [min, max] },
                y: { distr: spec.log ? 3 : 1, range: (_, low, high) => this.rangeOf(low, high) } },
            axes: [{ ...axis, size: 26, space: 64, values: (_, splits) => timeTicks(splits) },
                { ...axis, size: 54, space: 30, ...(spec.log ? { splits: (_u, _a, low, high) => logSplits(low, high), filter: (_u, splits) => splits,
                    values: (_u: uPlot, splits: number[]) => logTicks(splits) } : { values: (_u: uPlot, splits: number[]) => splits.map(formatNumber) }) } as uPlot.Axis],
            series: [{}, ...spec.curves.map(curve => this.seriesOf(curve))],
            hooks: { draw: [plot => this.drawLimits(plot)] },
        };
    }

    private seriesOf(curve: Curve): uPlot.Series {
        const colour = () => themeColour(curve.colour);
        if (curve.points) return { scale: "y", stroke: colour, paths: () => null, points: { show: true, size: 4, width: 0, fill: colour, stroke: colour } };
        return { scale: "y", stroke: colour, width: 1.5, dash: curve.dash, points: { show: false } };
    }

    private rangeOf(low: number | null, high: number | null): [number, number] {
        const limits = (this.spec.limits ?? []).map(limit => limit.value).filter(value => value > 0);
        if (this.spec.log) return logRange(low, high, limits, this.spec.least);
        const top = Math.max(high ?? 1, ...limits), bottom = Math.min(low ?? 0, top);
        const pad = (top - bottom || Math.abs(top) || 1) * .08;
        return [bottom >= 0 && bottom < .6 * top ? 0 : bottom - pad, top + pad];
    }

    private drawLimits(plot: uPlot): void {
        const { ctx, bbox } = plot;
        ctx.save();
        ctx.strokeStyle = ctx.fillStyle = themeColour("--warn");
        ctx.lineWidth = uPlot.pxRatio;
        ctx.setLineDash([4 * uPlot.pxRatio, 4 * uPlot.pxRatio]);
        ctx.font = `${11 * uPlot.pxRatio}px system-ui, sans-serif`;
        ctx.textAlign = "right";
        ctx.textBaseline = "alphabetic";
        for (const limit of this.spec.limits ?? []) {
            const y = Math.round(plot.valToPos(limit.value, "y", true)) + .5;
            if (!(y >= bbox.top - 1 && y <= bbox.top + bbox.height + 1)) continue;
            ctx.beginPath();
            ctx.moveTo(bbox.left, y);
            ctx.lineTo(bbox.left + bbox.width, y);
            ctx.stroke();
            const below = y - bbox.top < 16 * uPlot.pxRatio;
            this.drawLabel(ctx, limit.label, bbox.left + bbox.width - 4 * uPlot.pxRatio, y + (below ? 13 : -5) * uPlot.pxRatio);
        }
        ctx.restore();
    }

    /// Text that ends at x, on a piece of the card so that curves do not run through it.
    private drawLabel(ctx: CanvasRenderingContext2D, text: string, x: number, y: number): void {
        const r = uPlot.pxRatio, width = ctx.measureText(text).width, ink = ctx.fillStyle;
        ctx.globalAlpha = .85;
        ctx.fillStyle = themeColour("--card");
        ctx.fillRect(x - width - 3 * r, y - 10 * r, width + 6 * r, 13 * r);
        ctx.globalAlpha = 1;
        ctx.fillStyle = ink;
        ctx.fillText(text, x, y);
    }
}
