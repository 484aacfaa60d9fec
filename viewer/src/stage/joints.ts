// Joints as small signs at their places: a pin for a hinge, a rail for a slider, a ball, a cross, a coil for a spring.
//
// A joint has a frame on each body (the world for -1); z is the axis of hinges and rails.  Signs sit at a's frame, what
// slides on a's rail at b's point; lines and coils reach from a's point to b's.

import {
    BoxGeometry, BufferGeometry, CatmullRomCurve3, Color, CylinderGeometry, DynamicDrawUsage, Group, InstancedBufferAttribute, InstancedMesh, Matrix4,
    MeshLambertMaterial, OctahedronGeometry, Quaternion, SphereGeometry, TorusGeometry, TubeGeometry, Vector3,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Frame, Joint, Model, Vec3 } from "../data/types";
import type { Theme } from "./colours";

interface JointFrame { position: Vec3; orientation: [number, number, number, number] }
interface Axis { coordinate: string; lower: number | null; upper: number | null; motor: string; stiffness: number }

interface Sign { joint: number; stretch: boolean; onB: boolean; offset: number; scale: Vector3; driven: boolean }
interface Batch { mesh: InstancedMesh<BufferGeometry, MeshLambertMaterial>; signs: Sign[] }

export class JointView {
    readonly group = new Group();
    private readonly batches: Batch[] = [];
    private readonly accent = new Color();
    private readonly motor = new Color();
    private readonly worstColour = new Color();
    private worst = -1;

    constructor(private readonly model: Model, private readonly size: number, private readonly radius: Float32Array) {
        const signs = new Map<string, Sign[]>();
        model.joints.forEach((joint, index) => {
            for (const [form, sign] of this.signsOf(joint, index)) signs.set(form, [...(signs.get(form) ?? []), sign]);
        });
        for (const [form, list] of signs) this.addBatch(forms[form](), list);
        this.group.visible = false;
    }

    theme(theme: Theme): void {
        this.accent.set(theme.accent);
        this.motor.set(theme.motor);
        this.worstColour.set(theme.worst);
        this.colour();
    }

    show(frame: Frame): void {
        if (!this.group.visible) return;
        for (const { mesh, signs } of this.batches) {
            signs.forEach((sign, k) => mesh.setMatrixAt(k, this.matrix(sign, frame)));
            mesh.instanceMatrix.needsUpdate = true;
        }
        if (frame.worst.joint !== this.worst) {
            this.worst = frame.worst.joint;
            this.colour();
        }
    }

    /// Where the joint is: a's point, b's where it slides on a's rail, the middle of a line.
    at(index: number, frame: Frame, target: Vector3): Vector3 {
        const joint = this.model.joints[index];
        if (slides(joint)) return pointOf(joint.body_b, joint.frame_b as JointFrame, frame, target);
        pointOf(joint.body_a, joint.frame_a as JointFrame, frame, target);
        return isLine(joint) ? target.lerp(pointOf(joint.body_b, joint.frame_b as JointFrame, frame, end), 0.5) : target;
    }

    dispose(): void {
        for (const { mesh } of this.batches) { mesh.geometry.dispose(); mesh.material.dispose(); mesh.dispose(); }
    }

    private signsOf(joint: Joint, index: number): [string, Sign][] {
        const axes = (joint.axes as Axis[] | undefined) ?? [];
        const driven = axes.some((axis) => axis.motor !== "none");
        const s = this.signSize(joint);
        const sign = (form: string, scale = new Vector3(s, s, s), offset = 0, stretch = false): [string, Sign] =>
            [form, { joint: index, stretch, onB: slides(joint), offset, scale, driven }];
        const thin = new Vector3(0.16 * s, 0.16 * s, 1);
        const coil = (): [string, Sign] => sign("coil", new Vector3(0.55 * s, 0.55 * s, 1), 0, true);
        const springy = axes.some((axis) => axis.stiffness > 0 && (axis.coordinate === "distance" || axis.coordinate === "z"));
        const along = axes.find((axis) => axis.coordinate === "z");
        switch (joint.kind) {
            case "fixed": return [sign("weld")];
            case "revolute": return [sign("pin")];
            case "screw": return [sign("pin"), sign("thread")];
            case "spherical": return [sign("ball")];
            case "universal": return [sign("cross")];
            case "planar": return [sign("plate")];
            case "prismatic":
            case "cylindrical":
            case "point_on_line": return [this.rail(index, along, s, driven), sign(joint.kind === "prismatic" ? "block" : "ball"), ...(springy ? [coil()] : [])];
            case "gear":
            case "rack_pinion": return [sign("wheel", new Vector3(s, s, s))];
            case "free": return axes.length === 0 ? [] : [springy ? coil() : sign("line", thin, 0, true), ...this.ends(sign, s)];
            default: return [sign("line", thin, 0, true), ...this.ends(sign, s)];
        }
    }

    private ends(sign: (form: string, scale?: Vector3) => [string, Sign], s: number): [string, Sign][] {
        return [sign("ball", new Vector3(0.5 * s, 0.5 * s, 0.5 * s))];
    }

    /// As long as the limits let b go, else a short piece around b.
    private rail(joint: number, axis: Axis | undefined, s: number, driven: boolean): [string, Sign] {
        const bounded = axis && axis.lower !== null && axis.upper !== null && axis.upper - axis.lower < 4 * this.size;
        const lower = bounded ? axis.lower! : -4 * s;
        const upper = bounded ? axis.upper! : 4 * s;
        return ["rail", { joint, stretch: false, onB: !bounded, offset: 0.5 * (lower + upper), scale: new Vector3(s, s, Math.max(0.5 * (upper - lower), s)), driven }];
    }

    private signSize(joint: Joint): number {
        const radii = [joint.body_a, joint.body_b].filter((body) => body >= 0).map((body) => this.radius[body]).filter((r) => r > 0);
        return Math.min(0.013 * this.size, Math.max(0.004 * this.size, 0.2 * Math.min(...radii, this.size)));
    }

    private addBatch(geometry: BufferGeometry, signs: Sign[]): void {
        const mesh = new InstancedMesh(geometry, new MeshLambertMaterial(), signs.length);
        mesh.instanceMatrix.setUsage(DynamicDrawUsage);
        mesh.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * signs.length), 3);
        mesh.frustumCulled = false;
        this.group.add(mesh);
        this.batches.push({ mesh, signs });
    }

    private colour(): void {
        for (const { mesh, signs } of this.batches) {
            signs.forEach((sign, k) => mesh.setColorAt(k, sign.joint === this.worst ? this.worstColour : sign.driven ? this.motor : this.accent));
            mesh.instanceColor!.needsUpdate = true;
        }
    }

    private matrix(sign: Sign, frame: Frame): Matrix4 {
        const joint = this.model.joints[sign.joint];
        if (sign.onB && !sign.stretch) pointOf(joint.body_b, joint.frame_b as JointFrame, frame, start);
        else pointOf(joint.body_a, joint.frame_a as JointFrame, frame, start);
        if (!sign.stretch) {
            turnOf(joint.body_a, joint.frame_a as JointFrame, frame, turn);
            start.add(end.set(0, 0, sign.offset).applyQuaternion(turn));
            return matrix.compose(start, turn, sign.scale);
        }
        pointOf(joint.body_b, joint.frame_b as JointFrame, frame, end).sub(start);
        const length = Math.max(end.length(), 1e-9);
        turn.setFromUnitVectors(up, end.multiplyScalar(1 / length));
        return matrix.compose(start, turn, scale.copy(sign.scale).setZ(length));
    }
}

const start = new Vector3();
const end = new Vector3();
const scale = new Vector3();
const turn = new Quaternion();
const bodyTurn = new Quaternion();
const matrix = new Matrix4();
const up = new Vector3(0, 0, 1);

function slides(joint: Joint): boolean {
    return joint.kind === "prismatic" || joint.kind === "cylindrical" || joint.kind === "point_on_line";
}

function isLine(joint: Joint): boolean {
    return joint.kind === "distance" || joint.kind === "pulley" || joint.kind === "free";
}

function pointOf(body: number, joint: JointFrame, frame: Frame, target: Vector3): Vector3 {
    target.set(...joint.position);
    if (body < 0) return target;
    target.applyQuaternion(bodyTurn.fromArray(frame.quaternion, 4 * body));
    const p = frame.position;
    return target.set(target.x + p[3 * body], target.y + p[3 * body + 1], target.z + p[3 * body + 2]);
}

function turnOf(body: number, joint: JointFrame, frame: Frame, target: Quaternion): void {
    const [w, x, y, z] = joint.orientation;
    target.set(x, y, z, w);
    if (body >= 0) target.premultiply(bodyTurn.fromArray(frame.quaternion, 4 * body));
}

// ---- the signs' forms, of about unit size; those that stretch reach from 0 to 1 along z ------------------------------

const forms: Record<string, () => BufferGeometry> = {
    ball: () => new SphereGeometry(0.8, 20, 12),
    weld: () => new OctahedronGeometry(0.9),
    pin: () => mergeGeometries([rod(0.4, 3.2), rod(0.75, 0.35).translate(0, 0, 1.45), rod(0.75, 0.35).translate(0, 0, -1.45)])!,
    thread: () => mergeGeometries([-0.8, -0.3, 0.3, 0.8].map((z) => new TorusGeometry(0.55, 0.12, 6, 20).translate(0, 0, z)))!,
    cross: () => mergeGeometries([rod(0.3, 2.6).rotateX(Math.PI / 2), rod(0.3, 2.6).rotateY(Math.PI / 2)])!,
    plate: () => new BoxGeometry(4, 4, 0.15),
    block: () => new BoxGeometry(1.6, 1.6, 2.2),
    rail: () => mergeGeometries([new BoxGeometry(0.3, 0.3, 2).translate(0.55, 0, 0), new BoxGeometry(0.3, 0.3, 2).translate(-0.55, 0, 0)])!,
    wheel: () => mergeGeometries([new TorusGeometry(1.2, 0.22, 8, 28), rod(0.3, 1.6)])!,
    line: () => new CylinderGeometry(1, 1, 1, 8, 1).rotateX(Math.PI / 2).translate(0, 0, 0.5),
    coil: () => new TubeGeometry(helix(), 200, 0.16, 6),
};

function rod(radius: number, length: number): BufferGeometry {
    return new CylinderGeometry(radius, radius, length, 20, 1).rotateX(Math.PI / 2);
}

/// Ten turns of radius 1, straight at both ends.
function helix(): CatmullRomCurve3 {
    const points = Array.from({ length: 161 }, (_, k) => {
        const inside = Math.min(1, Math.max(0, (k / 160 - 0.1) / 0.8));
        const radius = Math.min(1, 12 * inside, 12 * (1 - inside));
        const angle = 20 * Math.PI * inside;
        return new Vector3(radius * Math.cos(angle), radius * Math.sin(angle), k / 160);
    });
    return new CatmullRomCurve3(points);
}
