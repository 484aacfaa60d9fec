// Panels that share one time: cursor, hover line, zoom.

import type { TimePlot } from "./time_plot";

export class PlotGroup {
    onscrub: ((time: number, phase: "start" | "move" | "end") => void) | null = null;
    onzoom: ((zoomed: boolean) => void) | null = null;
    /// Dragging zooms, as it does with the shift key held.
    dragZooms = false;

    private readonly plots: TimePlot[] = [];
    private now = NaN;
    private hover: number | null = null;
    private zoom: [number, number] | null = null;
    private whole: [number, number] = [0, 1];

    add(plot: TimePlot): void {
        plot.onscrub = (time, phase) => this.onscrub?.(time, phase);
        plot.onhover = time => { this.hover = time; this.moveCursors(); };
        plot.onzoom = range => this.setZoom(range);
        plot.dragZooms = event => event.shiftKey || this.dragZooms;
        plot.setSpan(this.zoom ?? this.whole);
        plot.cursor(this.now, null);
        this.plots.push(plot);
    }

    setTime(time: number): void {
        if (time === this.now) return;
        this.now = time;
        this.moveCursors();
    }

    /// The whole run's beginning and end [s].
    setWhole(whole: [number, number]): void {
        if (whole[0] === this.whole[0] && whole[1] === this.whole[1]) return;
        this.whole = whole;
        if (!this.zoom) this.setZoom(null);
    }

    /// A part of the run, or null: all of it.
    setZoom(range: [number, number] | null): void {
        this.zoom = range;
        for (const plot of this.plots) plot.setSpan(range ?? this.whole);
        this.onzoom?.(range !== null);
    }

    recolour(): void {
        for (const plot of this.plots) plot.recolour();
    }

    private moveCursors(): void {
        for (const plot of this.plots) plot.cursor(this.now, this.hover);
    }
}
