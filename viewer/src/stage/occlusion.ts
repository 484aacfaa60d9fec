// Walls and lids that stand between the camera and what moves become a veil.
//
// Rays from the camera to a sample of the moving bodies are tried against the box of each standing shape.  A shape that
// is in the way of many fades; it stays faded until it is in the way of few, so that it does not flicker.

import { InstancedMesh, MeshStandardMaterial, Matrix4, PerspectiveCamera, Vector3 } from "three";
import type { Frame, Model } from "../data/types";
import type { Batch, Bodies } from "./bodies";

const samples = 60;
const hideShare = 0.22;      // of the sample behind a shape: it fades
const showShare = 0.12;      // fewer than these: it comes back
const veil = 0.13;           // opacity of a faded shape
const ease = 0.35;           // of the way to go in each picture

export class Occlusion {
    private readonly candidates: Batch[];
    private readonly sample: number[];
    private readonly faded = new Set<Batch>();
    private settled = false;

    constructor(model: Model, bodies: Bodies) {
        this.candidates = bodies.batches.filter((batch) => batch.standing && batch.parts.length === 1 && batch.look.opacity === 1);
        const moving = model.bodies.map((_, k) => k).filter((k) => model.bodies[k].kind === "dynamic");
        const stride = Math.max(1, Math.floor(moving.length / samples));
        this.sample = moving.filter((_, k) => k % stride === 0);
    }

    /// True while something is still on its way to be seen or not.
    update(camera: PerspectiveCamera, frame: Frame): boolean {
        let moving = false;
        for (const batch of this.candidates) {
            const share = this.hidden(batch, camera.position, frame);
            if (share > hideShare) this.faded.add(batch);
            else if (share < showShare) this.faded.delete(batch);
            if (this.approach(batch)) moving = true;
        }
        this.settled = true;
        return moving;
    }

    private approach(batch: Batch): boolean {
        const material = batch.mesh.material as MeshStandardMaterial;
        const goal = this.faded.has(batch) ? veil : 1;
        const gap = goal - material.opacity;
        const there = !this.settled || Math.abs(gap) < 0.02;
        material.opacity = there ? goal : material.opacity + ease * gap;
        const clear = material.opacity < 1;
        if (clear !== material.transparent) {
            material.transparent = clear;
            material.depthWrite = !clear;
            material.needsUpdate = true;
            batch.mesh.castShadow = !clear;
        }
        return !there;
    }

    private hidden(batch: Batch, eye: Vector3, frame: Frame): number {
        if (this.sample.length === 0) return 0;
        (batch.mesh as InstancedMesh).getMatrixAt(0, inverse);
        inverse.invert();
        start.copy(eye).applyMatrix4(inverse);
        let count = 0;
        for (const body of this.sample) {
            end.fromArray(frame.position, 3 * body).applyMatrix4(inverse);
            if (crosses(start, end, batch.box.min, batch.box.max)) ++count;
        }
        return count / this.sample.length;
    }
}

const inverse = new Matrix4();
const start = new Vector3();
const end = new Vector3();

/// Whether the way from a to b goes into the box and out of it again: what lies in it (a mesh's contents) is not behind it.
function crosses(a: Vector3, b: Vector3, low: Vector3, high: Vector3): boolean {
    let enter = 0;
    let leave = 1;
    for (let axis = 0; axis < 3; ++axis) {
        const from = a.getComponent(axis);
        const way = b.getComponent(axis) - from;
        const p = (low.getComponent(axis) - from) / way;
        const q = (high.getComponent(axis) - from) / way;
        if (way === 0 && (from < low.getComponent(axis) || from > high.getComponent(axis))) return false;
        if (way === 0) continue;
        enter = Math.max(enter, Math.min(p, q));
        leave = Math.min(leave, Math.max(p, q));
    }
    return enter < leave && enter > 0 && leave < 1;
}
