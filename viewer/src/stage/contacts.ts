// Contacts: points, force arrows, and force chains as granular mechanics draws them: a bar from centre to centre whose
// thickness is the normal force.  Lengths and thicknesses are proportional to force; the largest force seen so far
// (without the few largest) sets the scale.

import {
    BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedBufferAttribute, InstancedMesh,
    Matrix4, MeshLambertMaterial, Points, PointsMaterial, Quaternion, Vector3,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Contacts, Frame, Model } from "../data/types";
import { Scale, type Theme } from "./colours";

const arrowLength = 0.09;  // of the reference force, in scene sizes
const longest = 2.5;    // arrows: times the length of the reference force
const thickest = 2.2;   // chains: likewise
const faintest = 0.02;  // of the reference: not drawn

export class ContactView {
    readonly group = new Group();
    private readonly points: Points<BufferGeometry, PointsMaterial>;
    private readonly arrows: Bars;
    private readonly chains: Bars;
    private readonly chainColours = new Scale("Normal force", "N", 0, ["#3b6fb6", "#5d9fc4", "#a8c4a0", "#e6c36a", "#e58a42", "#cf3f35"]);
    private reference = 0;

    constructor(private readonly model: Model, private readonly size: number, private readonly radius: Float32Array) {
        this.points = new Points(new BufferGeometry(), new PointsMaterial({ size: 6, sizeAttenuation: false, transparent: true, alphaTest: 0.4 }));
        this.points.material.onBeforeCompile = roundPoints;
        this.points.frustumCulled = false;
        this.arrows = new Bars(arrowGeometry());
        this.chains = new Bars(new CylinderGeometry(1, 1, 1, 8, 1).rotateX(Math.PI / 2).translate(0, 0, 0.5));
        this.group.add(this.points, this.arrows.group, this.chains.group);
        this.set({ contacts: false, arrows: false, chains: false });
    }

    set(options: { contacts?: boolean; arrows?: boolean; chains?: boolean }): void {
        if (options.contacts !== undefined) this.points.visible = options.contacts;
        if (options.arrows !== undefined) this.arrows.group.visible = options.arrows;
        if (options.chains !== undefined) this.chains.group.visible = options.chains;
    }

    get chainsShown(): boolean { return this.chains.group.visible; }

    theme(theme: Theme): void {
        this.points.material.color.set(theme.contact);
        this.arrows.colour.set(theme.force);
    }

    pixelRatio(ratio: number): void { this.points.material.size = 6 * ratio; }

    show(frame: Frame): void {
        const contacts = frame.contacts;
        if (this.arrows.group.visible || this.chains.group.visible) this.reference = Math.max(this.reference, largeForce(contacts));
        if (this.points.visible) this.showPoints(contacts);
        if (this.arrows.group.visible) this.showArrows(contacts);
        if (this.chains.group.visible) this.showChains(frame);
    }

    dispose(): void {
        this.points.geometry.dispose();
        this.points.material.dispose();
        this.arrows.dispose();
        this.chains.dispose();
    }

    private showPoints(contacts: Contacts): void {
        const old = this.points.geometry.getAttribute("position") as BufferAttribute | undefined;
        if (!old || old.count < contacts.count) {
            this.points.geometry.dispose();
            this.points.geometry = new BufferGeometry();
            const roomy = new Float32Array(3 * Math.max(64, Math.ceil(1.5 * contacts.count)));
            this.points.geometry.setAttribute("position", new BufferAttribute(roomy, 3).setUsage(DynamicDrawUsage));
        }
        const attribute = this.points.geometry.getAttribute("position") as BufferAttribute;
        (attribute.array as Float32Array).set(contacts.point.subarray(0, 3 * contacts.count));
        attribute.needsUpdate = true;
        this.points.geometry.setDrawRange(0, contacts.count);
    }

    /// From the contact point along the force on a, or on b where a stands still.
    private showArrows(contacts: Contacts): void {
        this.arrows.begin(contacts.count);
        const unit = this.reference > 0 ? (arrowLength * this.size) / this.reference : 0;
        for (let k = 0; k < contacts.count; ++k) {
            force.fromArray(contacts.force, 3 * k);
            const strength = force.length();
            if (strength < faintest * this.reference || strength === 0) continue;
            from.fromArray(contacts.point, 3 * k);
            const length = Math.min(strength * unit, longest * arrowLength * this.size);
            force.multiplyScalar((this.moves(contacts.body[2 * k]) ? 1 : -1) * length / strength);
            this.arrows.add(from, to.copy(from).add(force), 0.0042 * this.size * Math.min(1, 0.35 + length / (arrowLength * this.size)));
        }
        this.arrows.end();
    }

    /// Between the centres of bodies that move, else from the centre to the contact point.
    private showChains(frame: Frame): void {
        const contacts = frame.contacts;
        this.chains.begin(contacts.count);
        this.chainColours.set(0, this.reference);
        for (let k = 0; k < contacts.count; ++k) {
            const a = contacts.body[2 * k];
            const b = contacts.body[2 * k + 1];
            this.chainEnd(frame, a, k, from);
            this.chainEnd(frame, b, k, to);
            way.copy(to).sub(from);
            const length = way.length();
            if (length < 1e-9) continue;
            const normal = Math.abs(way.dot(force.fromArray(contacts.force, 3 * k))) / length;
            if (normal < faintest * this.reference || normal === 0) continue;
            const share = Math.min(normal / this.reference, thickest);
            this.chainColours.write(normal, rgb, 0);
            this.chains.add(from, to, this.chainWidth(a, b) * share, rgb);
        }
        this.chains.end();
    }

    private chainEnd(frame: Frame, body: number, contact: number, target: Vector3): void {
        if (this.moves(body)) target.fromArray(frame.position, 3 * body);
        else target.fromArray(frame.contacts.point, 3 * contact);
    }

    /// The reference force is a bar a third as thick as the smaller body.
    private chainWidth(a: number, b: number): number {
        const radii = [a, b].filter((body) => this.moves(body)).map((body) => this.radius[body]);
        return 0.3 * Math.min(0.08 * this.size, ...radii);
    }

    private moves(body: number): boolean {
        return body >= 0 && this.model.bodies[body]?.kind === "dynamic";
    }
}

const force = new Vector3();
const from = new Vector3();
const to = new Vector3();
const way = new Vector3();
const rgb = new Float32Array(3);

/// The force that only two in a hundred exceed (the largest if there are few).
function largeForce(contacts: Contacts): number {
    const strengths = new Float32Array(contacts.count);
    for (let k = 0; k < contacts.count; ++k) strengths[k] = Math.hypot(contacts.force[3 * k], contacts.force[3 * k + 1], contacts.force[3 * k + 2]);
    strengths.sort();
    return contacts.count ? strengths[Math.floor(0.98 * (contacts.count - 1))] : 0;
}

function roundPoints(shader: { fragmentShader: string }): void {
    shader.fragmentShader = shader.fragmentShader.replace("#include <alphatest_fragment>",
        "float rim = length(gl_PointCoord - 0.5);\ndiffuseColor.a *= 1.0 - smoothstep(0.38, 0.5, rim);\ndiffuseColor.rgb = mix(diffuseColor.rgb, vec3(1.0), 0.75 * (1.0 - smoothstep(0.1, 0.22, rim)));\n#include <alphatest_fragment>");
}

/// From 0 to 1 along z; the head takes the last third.  Radius 1 stands for the shaft.
function arrowGeometry(): BufferGeometry {
    const shaft = new CylinderGeometry(1, 1, 0.7, 8, 1).rotateX(Math.PI / 2).translate(0, 0, 0.35);
    const head = new ConeGeometry(3, 0.32, 12).rotateX(Math.PI / 2).translate(0, 0, 0.84);
    return mergeGeometries([shaft, head])!;
}

/// Many copies of a geometry that reaches from 0 to 1 along z, each stretched between two points.
export class Bars {
    readonly group = new Group();
    readonly colour = new Color("#ffffff");
    private mesh: InstancedMesh<BufferGeometry, MeshLambertMaterial>;
    private count = 0;

    constructor(geometry: BufferGeometry) {
        this.mesh = this.allocate(geometry, new MeshLambertMaterial(), 64);
    }

    begin(most: number): void {
        this.count = 0;
        if (most <= this.mesh.instanceMatrix.count) return;
        const { geometry, material } = this.mesh;
        this.group.remove(this.mesh);
        this.mesh.dispose();
        this.mesh = this.allocate(geometry, material, Math.ceil(1.5 * most));
    }

    add(start: Vector3, end: Vector3, radius: number, colour?: Float32Array): void {
        along.copy(end).sub(start);
        const length = along.length();
        if (length === 0) return;
        turn.setFromUnitVectors(up, along.multiplyScalar(1 / length));
        matrix.compose(start, turn, size.set(radius, radius, length));
        this.mesh.setMatrixAt(this.count, matrix);
        if (colour) (this.mesh.instanceColor!.array as Float32Array).set(colour, 3 * this.count);
        else this.colour.toArray(this.mesh.instanceColor!.array, 3 * this.count);
        ++this.count;
    }

    end(): void {
        this.mesh.count = this.count;
        this.mesh.instanceMatrix.needsUpdate = true;
        this.mesh.instanceColor!.needsUpdate = true;
    }

    dispose(): void {
        this.mesh.geometry.dispose();
        this.mesh.material.dispose();
        this.mesh.dispose();
    }

    private allocate(geometry: BufferGeometry, material: MeshLambertMaterial, room: number): InstancedMesh<BufferGeometry, MeshLambertMaterial> {
        const mesh = new InstancedMesh(geometry, material, room);
        mesh.instanceMatrix.setUsage(DynamicDrawUsage);
        mesh.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * room), 3).setUsage(DynamicDrawUsage);
        mesh.frustumCulled = false;
        mesh.count = 0;
        this.group.add(mesh);
        return mesh;
    }
}

const along = new Vector3();
const up = new Vector3(0, 0, 1);
const turn = new Quaternion();
const size = new Vector3();
const matrix = new Matrix4();
