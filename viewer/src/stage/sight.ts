// Which of many spheres can be seen from the eye, or from the light: in a heap most are wholly behind others, and what
// is not drawn costs nothing.
//
// Spheres are taken from near to far.  In a grid of cells, about a pixel each, every one marks the cells that lie wholly
// within its outline; one whose outline touches only cells that nearer spheres marked is hidden.  With a margin for the
// outline's soft edge the picture is the same as if all were drawn.

import { Matrix4, OrthographicCamera, PerspectiveCamera } from "three";
import { SphereMesh, Squares, sphereFloats } from "./sphere_discs";

const softEdge = 0.75;          // [pixels] on both sides of an outline
const rounding = 0.02;          // [pixels]
const mostCells = 1 << 20;      // of the grid: with more pixels than these a cell is larger than one
const slots = 8192;             // of the sorting by distance

export class Sight {
    private readonly total: number;
    private readonly owner: Uint16Array;    // of each sphere: which mesh,
    private readonly first: number[] = [];  // and the number of that mesh's first sphere
    // the middle of each sphere's outline [cells], radii within and around the outline, how near and how far it is
    private readonly x: Float64Array;
    private readonly y: Float64Array;
    private readonly inner: Float64Array;
    private readonly outer: Float64Array;
    private readonly near: Float64Array;
    private readonly far: Float64Array;
    private readonly order: Uint32Array;
    private readonly starts = new Uint32Array(slots + 1);
    private columns = 0;
    private rows = 0;
    private covered = new Float32Array();   // how far at most that is which covers a cell

    constructor(private readonly meshes: SphereMesh[]) {
        this.total = meshes.reduce((sum, mesh) => sum + mesh.count, 0);
        this.owner = new Uint16Array(this.total);
        let first = 0;
        meshes.forEach((mesh, m) => {
            this.first.push(first);
            this.owner.fill(m, first, first += mesh.count);
        });
        const numbers = (): Float64Array => new Float64Array(this.total);
        this.x = numbers();
        this.y = numbers();
        this.inner = numbers();
        this.outer = numbers();
        this.near = numbers();
        this.far = numbers();
        this.order = new Uint32Array(this.total);
    }

    /// Leaves each mesh with what is seen in a picture of so many pixels, nearest first.  Not `exact`: without what peeps
    /// out by less than a pixel.
    fromEye(camera: PerspectiveCamera, width: number, height: number, exact: boolean): void {
        this.look(camera.matrixWorldInverse, perspective(camera, width, height), width, height, exact ? softEdge : 0, (mesh) => mesh.forEye);
    }

    /// The same for a square shadow map; its edges are hard.
    fromLight(camera: OrthographicCamera, pixels: number): void {
        this.look(camera.matrixWorldInverse, parallel(camera, pixels), pixels, pixels, rounding, (mesh) => mesh.forLight);
    }

    private look(toCamera: Matrix4, project: Projection, width: number, height: number, margin: number, squaresOf: (mesh: SphereMesh) => Squares): void {
        if (this.total === 0) return;
        const cell = Math.max(1, Math.sqrt(width * height / mostCells));
        this.clear(Math.ceil(width / cell), Math.ceil(height / cell));
        this.projectAll(toCamera, project, cell, margin);
        this.sort();
        const squares = this.meshes.map(squaresOf);
        for (const list of squares) list.clear();
        for (const k of this.order) {
            if (this.isHidden(k)) continue;
            if (this.inner[k] > 0) this.cover(k);
            squares[this.owner[k]].add(k - this.first[this.owner[k]]);
        }
        for (const list of squares) list.done();
    }

    private clear(columns: number, rows: number): void {
        this.columns = columns;
        this.rows = rows;
        if (this.covered.length < columns * rows) this.covered = new Float32Array(columns * rows);
        this.covered.fill(Infinity, 0, columns * rows);
    }

    private projectAll({ elements: m }: Matrix4, project: Projection, cell: number, margin: number): void {
        let k = 0;
        for (const { values, count } of this.meshes)
            for (let at = 0; at < count * sphereFloats; at += sphereFloats, ++k) {
                const x = values[at], y = values[at + 1], z = values[at + 2];
                project(m[0] * x + m[4] * y + m[8] * z + m[12], m[1] * x + m[5] * y + m[9] * z + m[13], -(m[2] * x + m[6] * y + m[10] * z + m[14]), values[at + 3], outline);
                this.x[k] = outline.x / cell;
                this.y[k] = outline.y / cell;
                this.inner[k] = (outline.inner - margin) / cell;
                this.outer[k] = (outline.outer + margin) / cell;
                this.near[k] = outline.near;
                this.far[k] = outline.far;
            }
    }

    /// Nearest first, but for those in the same slot: the order helps, what hides what is asked again in each cell.
    private sort(): void {
        const { near, starts, total } = this;
        let least = Infinity, most = -Infinity;
        for (let k = 0; k < total; ++k) {
            if (near[k] < least) least = near[k];
            if (near[k] > most) most = near[k];
        }
        const scale = (slots - 1) / Math.max(most - least, 1e-30);
        starts.fill(0);
        for (let k = 0; k < total; ++k) ++starts[1 + Math.floor((near[k] - least) * scale)];
        for (let slot = 1; slot <= slots; ++slot) starts[slot] += starts[slot - 1];
        for (let k = 0; k < total; ++k) this.order[starts[Math.floor((near[k] - least) * scale)]++] = k;
    }

    private isHidden(k: number): boolean {
        const { columns, rows, covered } = this;
        const x = this.x[k], y = this.y[k], reach = this.outer[k], near = this.near[k];
        const bottom = Math.max(0, Math.floor(y - reach)), top = Math.min(rows - 1, Math.floor(y + reach));
        for (let row = bottom; row <= top; ++row) {
            const gap = Math.max(row - y, y - row - 1, 0);      // to the row's nearer edge
            const half = Math.sqrt(Math.max(0, reach * reach - gap * gap));
            const last = row * columns + Math.min(columns - 1, Math.floor(x + half));
            for (let cell = row * columns + Math.max(0, Math.floor(x - half)); cell <= last; ++cell)
                if (covered[cell] > near) return false;
        }
        return true;    // also if it is beside the picture
    }

    private cover(k: number): void {
        const { columns, rows, covered } = this;
        const x = this.x[k], y = this.y[k], reach = this.inner[k], far = this.far[k];
        const bottom = Math.max(0, Math.ceil(y - reach)), top = Math.min(rows, Math.floor(y + reach)) - 1;
        for (let row = bottom; row <= top; ++row) {
            const gap = Math.max(row + 1 - y, y - row);         // to the row's farther edge
            const half = Math.sqrt(Math.max(0, reach * reach - gap * gap));
            const last = row * columns + Math.min(columns, Math.floor(x + half)) - 1;
            for (let cell = row * columns + Math.max(0, Math.ceil(x - half)); cell <= last; ++cell)
                if (covered[cell] > far) covered[cell] = far;
        }
    }
}

interface Outline { x: number; y: number; inner: number; outer: number; near: number; far: number }

/// From a sphere in a camera's axes (z forward) to its outline [pixels].
type Projection = (x: number, y: number, z: number, radius: number, outline: Outline) => void;

const outline: Outline = { x: 0, y: 0, inner: 0, outer: 0, near: 0, far: 0 };

/// The outline is an ellipse; its long axis points at the picture's middle.  Along any ray the disc that is drawn is at
/// least as far as its centre, and at most as far as on its rim.
function perspective(camera: PerspectiveCamera, width: number, height: number): Projection {
    const scale = 0.5 * height * camera.projectionMatrix.elements[5];
    return (x, y, z, radius, outline) => {
        const square = x * x + y * y + z * z;
        const inside = z * z - radius * radius;
        const near = z <= radius + camera.near;         // it may be around the eye: it hides nothing, and is drawn
        outline.x = 0.5 * width + (near ? 0 : scale * x * z / inside);
        outline.y = 0.5 * height + (near ? 0 : scale * y * z / inside);
        outline.inner = near ? 0 : scale * radius / Math.sqrt(inside);
        outline.outer = near ? width + height : scale * radius * Math.sqrt(square - radius * radius) / inside;
        outline.near = near ? 0 : Math.sqrt(square);
        outline.far = near ? 0 : square / Math.sqrt(square - radius * radius);
    };
}

function parallel(camera: OrthographicCamera, pixels: number): Projection {
    const scale = pixels / (camera.right - camera.left);
    return (x, y, z, radius, outline) => {
        outline.x = scale * (x - camera.left);
        outline.y = scale * (y - camera.bottom);
        outline.inner = outline.outer = scale * radius;
        outline.near = outline.far = z;
    };
}
