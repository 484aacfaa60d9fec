// The geometry of each kind of shape, in the shape's own frame.
//
// Equal geometry is shared: a sphere, box, cylinder or cone is a unit solid that the instance scales.  Surfaces with
// edges carry an attribute `crease` by which the shader draws them (body_material.ts).

import { BufferAttribute, BufferGeometry, CapsuleGeometry, SphereGeometry, Vector3 } from "three";
import type { Model, Shape } from "../data/types";

export interface Solid {
    key: string;                // equal for shapes that can share the geometry
    scale: Vector3;
    open: boolean;              // a surface that may be seen from behind
    round: boolean;             // turning about an axis shows only by its two tones
    make(): BufferGeometry;
}

const creaseAngle = 33;  // [deg]; faces that meet flatter are shaded as one smooth surface

/// How fine round things are: by how many there are.
export function segmentsFor(count: number): number {
    return count > 2000 ? 12 : count > 500 ? 16 : count > 60 ? 24 : 48;
}

/// Nothing for a half space: the ground draws it.
export function solidOf(model: Model, shape: Shape, segments: number): Solid | null {
    const radius = shape.radius ?? 0;
    const half = shape.half_length ?? 0;
    const turned = (key: string, make: () => BufferGeometry): Solid =>
        ({ key, scale: new Vector3(radius, radius, half), open: false, round: true, make });
    switch (shape.geometry) {
        case "half_space":
            return null;
        case "sphere":
            return { key: "sphere", scale: uniform(radius), open: false, round: true, make: () => ball(segments) };
        case "box":
            return { key: "box", scale: new Vector3(...(shape.half_size ?? [0, 0, 0])), open: false, round: false, make: cube };
        case "capsule": {
            const ratio = Number((half / radius).toPrecision(5));
            return { key: `capsule ${ratio}`, scale: uniform(radius), open: false, round: true, make: () => pill(ratio, segments) };
        }
        case "cylinder":
            return turned("cylinder", () => frustum(1, segments));
        case "cone":
            return turned("cone", () => frustum(0, segments));
        case "hull":
            return { ...faceted(model, shape.mesh ?? 0), open: false };
        case "mesh":
            return { ...faceted(model, shape.mesh ?? 0), open: true };
        case "height_field":
            return { key: `field ${JSON.stringify([shape.columns, shape.spacing, shape.heights])}`, scale: uniform(1), open: true, round: false, make: () => field(shape) };
    }
}

function uniform(size: number): Vector3 {
    return new Vector3(size, size, size);
}

function ball(segments: number): BufferGeometry {
    const geometry = new SphereGeometry(1, segments, Math.ceil(segments * 0.6));
    geometry.deleteAttribute("uv");
    return geometry;
}

function pill(ratio: number, segments: number): BufferGeometry {
    const geometry = new CapsuleGeometry(1, 2 * ratio, Math.ceil(segments / 4), segments);
    geometry.deleteAttribute("uv");
    return geometry.rotateX(Math.PI / 2);
}

const cubeFaces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

function cube(): BufferGeometry {
    const corners: number[] = [];
    for (let k = 0; k < 8; ++k) corners.push(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
    return surface(corners, cubeFaces);
}

/// A cylinder (top 1) or a cone (top 0) around z, from -1 to 1.
function frustum(top: number, segments: number): BufferGeometry {
    const corners: number[] = [];
    for (let k = 0; k < segments; ++k) {
        const angle = (2 * Math.PI * k) / segments;
        corners.push(Math.cos(angle), Math.sin(angle), -1);
    }
    if (top === 0) corners.push(0, 0, 1);
    else for (let k = 0; k < segments; ++k) corners.push(corners[3 * k], corners[3 * k + 1], 1);
    const around = Array.from({ length: segments }, (_, k) => k);
    const faces = around.map((k) => {
        const next = (k + 1) % segments;
        return top === 0 ? [k, next, segments] : [k, next, segments + next, segments + k];
    });
    faces.push([...around].reverse());
    if (top !== 0) faces.push(around.map((k) => segments + k));
    return surface(corners, faces, top === 0 ? 75 : creaseAngle);
}

function faceted(model: Model, index: number): Omit<Solid, "open"> {
    const mesh = model.meshes[index];
    const corners = (mesh.vertices as unknown[]).flat() as number[];
    return { key: `mesh ${index}`, scale: uniform(1), round: false, make: () => surface(corners, mesh.faces) };
}

function field(shape: Shape): BufferGeometry {
    const { columns = 2, rows = 2, heights = [] } = shape;
    const [dx, dy] = Array.isArray(shape.spacing) ? shape.spacing : [shape.spacing ?? 1, shape.spacing ?? 1];
    const corners: number[] = [];
    for (let row = 0; row < rows; ++row)
        for (let column = 0; column < columns; ++column) corners.push(column * dx, row * dy, heights[row * columns + column] ?? 0);
    const faces: number[][] = [];
    for (let row = 0; row + 1 < rows; ++row)
        for (let column = 0; column + 1 < columns; ++column) {
            const k = row * columns + column;
            faces.push([k, k + 1, k + columns + 1], [k, k + columns + 1, k + columns]);
        }
    return surface(corners, faces, 60);
}

// ---- surfaces with creases ------------------------------------------------------------------------------------------

/// Triangles of convex faces, with normals that are smooth across flat edges only.  `crease` has, for each corner of a
/// triangle, 1 at this corner and 0 at the others if the opposite edge is a crease, so that it falls to 0 there; 2
/// everywhere if it is not.
export function surface(corners: number[], faces: number[][], angle = creaseAngle): BufferGeometry {
    const welded = weld(corners);
    const normals = faces.map((face) => faceNormal(corners, face));
    const limit = Math.cos((angle * Math.PI) / 180);
    const edges = facesAtEdges(welded, faces);
    const around = facesAtCorners(welded, faces);

    const isCrease = (a: number, b: number): boolean => {
        const sides = edges.get(edgeKey(welded[a], welded[b])) ?? [];
        return sides.length !== 2 || direction(normals[sides[0]]).dot(direction(normals[sides[1]])) < limit;
    };
    const smooth = (corner: number, face: number): Vector3 => {
        const sum = new Vector3();
        const own = direction(normals[face]);
        for (const other of around.get(welded[corner]) ?? [])
            if (direction(normals[other]).dot(own) >= limit) sum.add(normals[other]);
        return sum.lengthSq() > 0 ? sum.normalize() : own;
    };

    const position: number[] = [];
    const normal: number[] = [];
    const crease: number[] = [];
    faces.forEach((face, index) => {
        const last = face.length - 1;
        const normalsHere = face.map((corner) => smooth(corner, index));
        for (let k = 1; k < last; ++k) {
            const triangle = [0, k, k + 1];
            for (const at of triangle) {
                const corner = face[at];
                position.push(corners[3 * corner], corners[3 * corner + 1], corners[3 * corner + 2]);
                normal.push(...normalsHere[at].toArray());
            }
            // the edges opposite to corners 0, k, k + 1; those inside the face are none
            const drawn = [isCrease(face[k], face[k + 1]), k + 1 === last && isCrease(face[last], face[0]), k === 1 && isCrease(face[0], face[1])];
            for (let row = 0; row < 3; ++row)
                for (let edge = 0; edge < 3; ++edge) crease.push(drawn[edge] ? (row === edge ? 1 : 0) : 2);
        }
    });
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(position), 3));
    geometry.setAttribute("normal", new BufferAttribute(new Float32Array(normal), 3));
    geometry.setAttribute("crease", new BufferAttribute(new Float32Array(crease), 3));
    return geometry;
}

/// Corners at the same place get the same number: files of loose triangles have none in common.
function weld(corners: number[]): Int32Array {
    const seen = new Map<string, number>();
    const welded = new Int32Array(corners.length / 3);
    for (let k = 0; k < welded.length; ++k) {
        const place = `${corners[3 * k].toPrecision(7)} ${corners[3 * k + 1].toPrecision(7)} ${corners[3 * k + 2].toPrecision(7)}`;
        const first = seen.get(place);
        welded[k] = first ?? k;
        if (first === undefined) seen.set(place, k);
    }
    return welded;
}

function edgeKey(a: number, b: number): number {
    return Math.min(a, b) * 0x4000000 + Math.max(a, b);
}

function facesAtEdges(welded: Int32Array, faces: number[][]): Map<number, number[]> {
    const edges = new Map<number, number[]>();
    faces.forEach((face, index) => face.forEach((corner, k) => {
        append(edges, edgeKey(welded[corner], welded[face[(k + 1) % face.length]]), index);
    }));
    return edges;
}

function facesAtCorners(welded: Int32Array, faces: number[][]): Map<number, number[]> {
    const around = new Map<number, number[]>();
    faces.forEach((face, index) => face.forEach((corner) => append(around, welded[corner], index)));
    return around;
}

function append(lists: Map<number, number[]>, key: number, value: number): void {
    const list = lists.get(key);
    if (list) list.push(value);
    else lists.set(key, [value]);
}

/// Its length is twice the face's area (Newell).
function faceNormal(corners: number[], face: number[]): Vector3 {
    const sum = new Vector3();
    const origin = new Vector3().fromArray(corners, 3 * face[0]);
    const left = new Vector3();
    const right = new Vector3();
    for (let k = 1; k + 1 < face.length; ++k) {
        left.fromArray(corners, 3 * face[k]).sub(origin);
        right.fromArray(corners, 3 * face[k + 1]).sub(origin);
        sum.add(left.cross(right));
    }
    return sum;
}

function direction(normal: Vector3): Vector3 {
    return normal.clone().normalize();
}
