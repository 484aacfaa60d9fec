// All bodies' shapes as instanced meshes: one per geometry and finish.  Many free spheres are a mesh of their own kind.
// Shapes of fixed and kinematic bodies have a mesh of their own while there are few, so that each can fade (occlusion.ts).

import {
    Box3, Color, DynamicDrawUsage, Group, InstancedBufferAttribute, InstancedMesh, Intersection, Matrix4, Quaternion, Raycaster,
    BufferGeometry, MeshStandardMaterial, Vector3,
} from "three";
import type { Body, ColourBy, Frame, Model, Shape } from "../data/types";
import { bodyMaterial, type Surroundings } from "./body_material";
import { Look, Scale, colourOf, lookOf, materialOf, quieter, variation } from "./colours";
import { SphereMesh, sphereColour, sphereFloats } from "./sphere_discs";
import { Sight } from "./sight";
import { Solid, segmentsFor, solidOf } from "./shapes";

const discsFrom = 150;  // as many free spheres are drawn as discs
const ownMeshes = 300;  // as many shapes of standing bodies are drawn one by one

export interface Part { body: number; offset: Vector3; turn: Quaternion; scale: Vector3; colour: Color }

export interface Batch {
    mesh: InstancedMesh | SphereMesh;
    parts: Part[];
    look: Look;
    standing: boolean;      // of fixed or kinematic bodies
    outline: BufferGeometry;
    box: Box3;              // of the outline
}

export class Bodies {
    readonly group = new Group();
    readonly batches: Batch[] = [];
    /// From its centre to its farthest point [m]; 0 without shapes.
    readonly radius: Float32Array;
    /// Finds the spheres that are seen; only those it found are drawn.
    readonly sight: Sight;
    private readonly geometries = new Map<string, BufferGeometry>();
    private neutral = new Color("#c3c9d0");

    constructor(private readonly model: Model, private readonly around: Surroundings) {
        this.radius = new Float32Array(model.bodies.length);
        const pending = this.collect();
        for (const [key, entry] of pending) this.addBatch(key, entry);
        this.sight = new Sight(this.batches.flatMap(({ mesh }) => mesh instanceof SphereMesh ? [mesh] : []));
        this.colourByMaterial();
        this.group.visible = false;  // until they have places
    }

    /// Moves every instance to its body's place.
    place(frame: Frame): void {
        this.group.visible = true;
        for (const { mesh, parts } of this.batches) {
            if (mesh instanceof SphereMesh) placeSpheres(mesh, parts, frame);
            else placeInstances(mesh, parts, frame);
        }
    }

    colourByMaterial(): void {
        for (const { mesh, parts } of this.batches) colourParts(mesh, parts, (part, target, at) => part.colour.toArray(target, at));
    }

    colourByValue(values: Float32Array, scale: Scale): void {
        for (const { mesh, parts, standing } of this.batches) {
            if (standing) colourParts(mesh, parts, (_, target, at) => this.neutral.toArray(target, at));
            else colourParts(mesh, parts, (part, target, at) => scale.write(values[part.body], target, at));
        }
    }

    /// Metals mirror the sky; a colour that means a number must not.
    finishFor(colourBy: ColourBy): void {
        for (const { mesh, look } of this.batches) {
            const { roughness, metalness } = colourBy === "material" ? look : { roughness: 0.6, metalness: 0 };
            if (mesh instanceof SphereMesh) mesh.setFinish(roughness, metalness);
            else Object.assign(mesh.material, { roughness, metalness });
        }
    }

    /// Spheres are lit by shorter formulas.
    setQuick(quick: boolean): void {
        for (const { mesh } of this.batches) if (mesh instanceof SphereMesh) mesh.setQuick(quick);
    }

    setNeutral(colour: string): void { this.neutral.set(colour); }

    pick(ray: Raycaster): { body: number; point: Vector3 } | null {
        const hits: Intersection[] = [];
        for (const { mesh } of this.batches) {
            if ((mesh.material as MeshStandardMaterial).opacity < 0.3) continue;  // one clicks through what one sees through
            if (mesh instanceof InstancedMesh) mesh.computeBoundingSphere();
            mesh.raycast(ray, hits);
        }
        hits.sort((a, b) => a.distance - b.distance);
        const hit = hits[0];
        const batch = hit && this.batches.find(({ mesh }) => mesh === hit.object);
        return batch ? { body: batch.parts[hit.instanceId ?? 0].body, point: hit.point.clone() } : null;
    }

    /// The shapes of one body: geometry, and where it is on the body.
    partsOf(body: number): { geometry: BufferGeometry; local: Matrix4 }[] {
        return this.batches.flatMap(({ outline, parts }) => parts.filter((part) => part.body === body).map((part) => (
            { geometry: outline, local: new Matrix4().compose(part.offset, part.turn, part.scale) })));
    }

    /// z of the lowest point, as placed; 0 without shapes.
    lowest(): number {
        const all = new Box3();
        const matrix = new Matrix4();
        for (const { mesh, box } of this.batches)
            for (let k = 0; k < mesh.count; ++k) {
                matrixOf(mesh, k, matrix);
                all.union(box.clone().applyMatrix4(matrix));
            }
        return all.isEmpty() ? 0 : all.min.z;
    }

    dispose(): void {
        for (const { mesh } of this.batches) {
            (mesh.material as MeshStandardMaterial).dispose();
            for (const back of mesh.children) ((back as InstancedMesh).material as MeshStandardMaterial).dispose();
            mesh.dispose();
        }
        for (const geometry of this.geometries.values()) geometry.dispose();
    }

    private collect(): Map<string, Pending> {
        const bodies = this.model.bodies;
        const count = bodies.reduce((sum, body) => sum + body.shapes.length, 0);
        const standing = bodies.reduce((sum, body) => sum + (body.kind === "dynamic" ? 0 : body.shapes.length), 0);
        const crowd = new Map<number | string, number>();
        for (const body of bodies) for (const shape of body.shapes) crowd.set(shape.material, (crowd.get(shape.material) ?? 0) + 1);
        const segments = segmentsFor(count);
        const jointed = new Set(this.model.joints.flatMap((joint) => [joint.body_a, joint.body_b]));
        const discs = bodies.reduce((sum, body) => sum + (body.kind === "dynamic" && body.shapes[0]?.geometry === "sphere" ? 1 : 0), 0) >= discsFrom;
        const pending = new Map<string, Pending>();
        bodies.forEach((body, index) => body.shapes.forEach((shape, place) => {
            const solid = solidOf(this.model, shape, segments);
            if (!solid) return;
            const look = lookOf(materialOf(this.model, shape));
            const alone = body.kind !== "dynamic" && standing <= ownMeshes ? `${index}.${place}` : body.kind;
            const disc = discs && shape.geometry === "sphere" && body.kind === "dynamic" && body.shapes.length === 1 && look.opacity === 1 && !jointed.has(index);
            const key = `${disc ? "disc" : solid.key}|${look.roughness},${look.metalness},${look.opacity}|${alone}`;
            const entry = pending.get(key) ?? { solid, look, standing: body.kind !== "dynamic", disc, parts: [] };
            entry.parts.push(this.part(body, index, shape, solid, (crowd.get(shape.material) ?? 0) > 8));
            pending.set(key, entry);
        }));
        return pending;
    }

    private part(body: Body, index: number, shape: Shape, solid: Solid, varied: boolean): Part {
        const colour = colourOf(this.model, shape);
        if (body.kind !== "dynamic") quieter(colour);
        else if (varied) colour.multiplyScalar(variation(index));
        const [w, x, y, z] = shape.orientation ?? [1, 0, 0, 0];
        return { body: index, offset: new Vector3(...(shape.position ?? [0, 0, 0])), turn: new Quaternion(x, y, z, w), scale: solid.scale, colour };
    }

    private addBatch(key: string, { solid, look, standing, disc, parts }: Pending): void {
        const outline = this.geometry(solid);
        const finish = { look, creases: !disc && outline.hasAttribute("crease"), twoTone: solid.round && !standing, around: this.around, back: false };
        const mesh = disc ? new SphereMesh(() => bodyMaterial(finish), parts.length, this.around.shadow) : instances(outline, bodyMaterial(finish), parts.length);
        mesh.name = key;
        mesh.castShadow = look.opacity === 1;
        mesh.receiveShadow = true;
        mesh.frustumCulled = false;
        if (solid.open && mesh instanceof InstancedMesh) mesh.add(backOf(mesh, bodyMaterial({ ...finish, back: true })));
        this.group.add(mesh);
        outline.computeBoundingBox();
        const box = outline.boundingBox!;
        this.batches.push({ mesh, parts, look, standing, outline, box });
        for (const part of parts) this.radius[part.body] = Math.max(this.radius[part.body], disc || solid.key === "sphere" ? part.scale.x + part.offset.length() : reach(part, box));
    }

    private geometry(solid: Solid): BufferGeometry {
        const known = this.geometries.get(solid.key);
        if (known) return known;
        const made = solid.make();
        this.geometries.set(solid.key, made);
        return made;
    }
}

interface Pending { solid: Solid; look: Look; standing: boolean; disc: boolean; parts: Part[] }

/// The same instances seen from behind: a one-sided container shows its near wall as a veil, its far wall as a wall.
function backOf(front: InstancedMesh, material: MeshStandardMaterial): InstancedMesh {
    const back = new InstancedMesh(front.geometry, material, front.count);
    back.instanceMatrix = front.instanceMatrix;
    back.instanceColor = front.instanceColor;
    back.frustumCulled = false;
    back.raycast = () => {};
    return back;
}

function reach(part: Part, box: Box3): number {
    const far = new Vector3(Math.max(-box.min.x, box.max.x), Math.max(-box.min.y, box.max.y), Math.max(-box.min.z, box.max.z));
    return far.multiply(part.scale).length() + part.offset.length();
}

function instances(geometry: BufferGeometry, material: MeshStandardMaterial, count: number): InstancedMesh {
    const mesh = new InstancedMesh(geometry, material, count);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * count), 3);
    return mesh;
}

function colourParts(mesh: InstancedMesh | SphereMesh, parts: Part[], write: (part: Part, target: Float32Array, at: number) => void): void {
    if (mesh instanceof SphereMesh) {
        for (let k = 0; k < parts.length; ++k) write(parts[k], mesh.values, sphereFloats * k + sphereColour);
        mesh.changed();
    } else {
        const target = mesh.instanceColor!.array as Float32Array;
        for (let k = 0; k < parts.length; ++k) write(parts[k], target, 3 * k);
        mesh.instanceColor!.needsUpdate = true;
    }
}

function placeInstances(mesh: InstancedMesh, parts: Part[], frame: Frame): void {
    const target = mesh.instanceMatrix.array as Float32Array;
    for (let k = 0; k < parts.length; ++k) writeMatrix(parts[k], frame, target, 16 * k);
    mesh.instanceMatrix.needsUpdate = true;
    mesh.boundingSphere = null;
}

function placeSpheres(mesh: SphereMesh, parts: Part[], frame: Frame): void {
    for (let k = 0; k < parts.length; ++k) writeSphere(parts[k], frame, mesh.values, sphereFloats * k);
    mesh.changed();
}

function matrixOf(mesh: InstancedMesh | SphereMesh, k: number, matrix: Matrix4): void {
    if (mesh instanceof InstancedMesh) {
        mesh.getMatrixAt(k, matrix);
        return;
    }
    const [x, y, z, radius] = mesh.values.subarray(sphereFloats * k);
    matrix.makeScale(radius, radius, radius).setPosition(x, y, z);
}

const turned = new Quaternion();
const moved = new Vector3();

/// Column-major: the axes of the turned and scaled shape, then its place.
function writeMatrix(part: Part, frame: Frame, target: Float32Array, at: number): void {
    const q = frame.quaternion;
    const p = frame.position;
    const b4 = 4 * part.body;
    const b3 = 3 * part.body;
    turned.set(q[b4], q[b4 + 1], q[b4 + 2], q[b4 + 3]);
    moved.copy(part.offset).applyQuaternion(turned);
    turned.multiply(part.turn);
    const { x, y, z, w } = turned;
    const { x: sx, y: sy, z: sz } = part.scale;
    target[at] = (1 - 2 * (y * y + z * z)) * sx;
    target[at + 1] = 2 * (x * y + w * z) * sx;
    target[at + 2] = 2 * (x * z - w * y) * sx;
    target[at + 4] = 2 * (x * y - w * z) * sy;
    target[at + 5] = (1 - 2 * (x * x + z * z)) * sy;
    target[at + 6] = 2 * (y * z + w * x) * sy;
    target[at + 8] = 2 * (x * z + w * y) * sz;
    target[at + 9] = 2 * (y * z - w * x) * sz;
    target[at + 10] = (1 - 2 * (x * x + y * y)) * sz;
    target[at + 12] = p[b3] + moved.x;
    target[at + 13] = p[b3 + 1] + moved.y;
    target[at + 14] = p[b3 + 2] + moved.z;
    target[at + 15] = 1;
}

function writeSphere(part: Part, frame: Frame, target: Float32Array, at: number): void {
    const b3 = 3 * part.body;
    turned.fromArray(frame.quaternion, 4 * part.body);
    moved.copy(part.offset).applyQuaternion(turned);
    target[at] = frame.position[b3] + moved.x;
    target[at + 1] = frame.position[b3 + 1] + moved.y;
    target[at + 2] = frame.position[b3 + 2] + moved.z;
    target[at + 3] = part.scale.x;
    turned.multiply(part.turn).toArray(target, at + 4);
}
