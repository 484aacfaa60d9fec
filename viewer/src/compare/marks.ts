// Colour, dash and marker of each solver: curves stay apart without colour.

import { svg } from "../ui/dom";
import { themeColour } from "../ui/theme";

const dashes: number[][] = [[], [7, 4], [2, 4], [9, 3, 2, 3], [12, 4], [4, 3], [1, 5], [9, 3, 2, 3, 2, 3]];

/// Corners of the markers, for a radius of one; the first is a circle.
const shapes: [number, number][][] = [
    [],
    [[-.9, -.9], [.9, -.9], [.9, .9], [-.9, .9]],
    [[0, -1.2], [1.1, .8], [-1.1, .8]],
    [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]],
    [[0, 1.2], [1.1, -.8], [-1.1, -.8]],
    [[-.4, -1.2], [.4, -1.2], [.4, -.4], [1.2, -.4], [1.2, .4], [.4, .4], [.4, 1.2], [-.4, 1.2], [-.4, .4], [-1.2, .4], [-1.2, -.4], [-.4, -.4]],
    [[-1.2, 0], [.8, -1.1], [.8, 1.1]],
    [[0, -1.3], [.4, -.4], [1.3, 0], [.4, .4], [0, 1.3], [-.4, .4], [-1.3, 0], [-.4, -.4]],
];

export const colourName = (solver: number): string => `--c${solver % 8}`;
export const dashOf = (solver: number): number[] => dashes[(solver + Math.floor(solver / 8)) % 8]!;

/// The outline of a solver's marker around (x, y).
export function markerPath(solver: number, x: number, y: number, r: number): Path2D {
    const path = new Path2D(), corners = shapes[solver % 8]!;
    if (corners.length === 0) path.arc(x, y, r, 0, 2 * Math.PI);
    corners.forEach(([dx, dy], k) => { if (k === 0) path.moveTo(x + r * dx, y + r * dy); else path.lineTo(x + r * dx, y + r * dy); });
    path.closePath();
    return path;
}

export function drawMarker(context: CanvasRenderingContext2D, solver: number, x: number, y: number, r: number): void {
    context.fillStyle = themeColour(colourName(solver));
    context.fill(markerPath(solver, x, y, r));
}

/// The marker as an element.
export function marker(solver: number, x: number, y: number, r = 4): SVGElement {
    const fill = `var(${colourName(solver)})`, corners = shapes[solver % 8]!;
    if (corners.length === 0) return svg("circle", { cx: x, cy: y, r, fill });
    return svg("polygon", { points: corners.map(([dx, dy]) => `${(x + r * dx).toFixed(2)},${(y + r * dy).toFixed(2)}`).join(" "), fill });
}

/// A piece of the curve with its marker, for legends and tables.
export function swatch(solver: number): SVGElement {
    const colour = `var(${colourName(solver)})`;
    return svg("svg", { width: 30, height: 12, viewBox: "0 0 30 12", "aria-hidden": "true" },
        svg("line", { x1: 1, y1: 6, x2: 29, y2: 6, stroke: colour, "stroke-width": 2, "stroke-dasharray": dashOf(solver).join(" ") }), marker(solver, 15, 6));
}
