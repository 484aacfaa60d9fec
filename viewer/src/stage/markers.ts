// What points at something: the ring at the worst constraint, the outline of the selected body, the line one pulls by.

import {
    AlwaysStencilFunc, BufferAttribute, BufferGeometry, CanvasTexture, Color, CylinderGeometry, DoubleSide, GLSL3, Group, InstancedBufferAttribute,
    InstancedBufferGeometry, KeepStencilOp, Matrix4, Mesh, MeshBasicMaterial, NotEqualStencilFunc, PerspectiveCamera, Quaternion, ReplaceStencilOp,
    ShaderMaterial, SphereGeometry, Sprite, SpriteMaterial, SRGBColorSpace, Vector2, Vector3,
} from "three";
import type { Frame } from "../data/types";
import type { Bodies } from "./bodies";
import { Bars } from "./contacts";

// ---- worst constraint -----------------------------------------------------------------------------------------------

const ringPixels = 44;

export class Ring {
    readonly sprite: Sprite;
    private readonly canvas = document.createElement("canvas");
    private readonly texture: CanvasTexture;

    constructor() {
        this.canvas.width = this.canvas.height = 128;
        this.texture = new CanvasTexture(this.canvas);
        this.texture.colorSpace = SRGBColorSpace;
        this.sprite = new Sprite(new SpriteMaterial({ map: this.texture, sizeAttenuation: false, depthTest: false, depthWrite: false, toneMapped: false }));
        this.sprite.visible = false;
        this.sprite.renderOrder = 30;
    }

    /// On a white rim, so that it is seen before anything.
    set colour(colour: string) {
        const pen = this.canvas.getContext("2d")!;
        pen.clearRect(0, 0, 128, 128);
        drawRing(pen, "#ffffff", 18);
        drawRing(pen, colour, 9);
        this.texture.needsUpdate = true;
    }

    fit(camera: PerspectiveCamera, height: number): void {
        this.sprite.scale.setScalar((2 * Math.tan((camera.fov * Math.PI) / 360) * ringPixels) / height);
    }

    dispose(): void {
        this.texture.dispose();
        this.sprite.material.dispose();
    }
}

/// A ring with four ticks.
function drawRing(pen: CanvasRenderingContext2D, colour: string, width: number): void {
    pen.save();
    pen.translate(64, 64);
    pen.strokeStyle = colour;
    pen.lineCap = "round";
    pen.lineWidth = width;
    pen.beginPath();
    pen.arc(0, 0, 36, 0, 2 * Math.PI);
    for (let k = 0; k < 4; ++k) {
        pen.rotate(Math.PI / 2);
        pen.moveTo(36, 0);
        pen.lineTo(52, 0);
    }
    pen.stroke();
    pen.restore();
}

// ---- selection ------------------------------------------------------------------------------------------------------

const outlinePixels = 2.5;
const ways = 12;

/// The body's silhouette shifted a few pixels each way, but for the silhouette itself (by stencil): a line of even width
/// around any shape.
export class Outline {
    readonly group = new Group();
    private readonly mask: ShaderMaterial;
    private readonly line: ShaderMaterial;
    private readonly shift = { value: new Vector2() };
    private body = -1;

    constructor() {
        this.group.matrixAutoUpdate = false;
        this.mask = outlineMaterial(this.shift, { value: new Color() }, false);
        this.line = outlineMaterial(this.shift, { value: new Color() }, true);
    }

    set colour(colour: string) { (this.line.uniforms.colour.value as Color).set(colour); }

    resize(width: number, height: number): void {
        this.shift.value.set((2 * outlinePixels) / width, (2 * outlinePixels) / height);
    }

    select(body: number, bodies: Bodies): void {
        this.clear();
        this.body = body;
        if (body < 0) return;
        for (const { geometry, local } of bodies.partsOf(body)) {
            this.group.add(outlineMesh(geometry, local, this.mask, [[0, 0]], 20), outlineMesh(geometry, local, this.line, circle, 21));
        }
    }

    place(frame: Frame): void {
        if (this.body < 0) return;
        this.group.matrix.compose(
            new Vector3().fromArray(frame.position, 3 * this.body), new Quaternion().fromArray(frame.quaternion, 4 * this.body), new Vector3(1, 1, 1));
        this.group.matrixWorldNeedsUpdate = true;
    }

    dispose(): void {
        this.clear();
        this.mask.dispose();
        this.line.dispose();
    }

    private clear(): void {
        for (const mesh of [...this.group.children] as Mesh[]) mesh.geometry.dispose();
        this.group.clear();
    }
}

const circle = Array.from({ length: ways }, (_, k) => [Math.cos((2 * Math.PI * k) / ways), Math.sin((2 * Math.PI * k) / ways)]);

function outlineMesh(geometry: BufferGeometry, local: Matrix4, material: ShaderMaterial, shifts: number[][], order: number): Mesh {
    const copies = new InstancedBufferGeometry();
    // a copy of the positions: disposing of shared attributes would take them from the bodies too
    copies.setAttribute("position", (geometry.getAttribute("position") as BufferAttribute).clone());
    if (geometry.index) copies.setIndex(geometry.index.clone());
    copies.setAttribute("way", new InstancedBufferAttribute(new Float32Array(shifts.flat()), 2));
    copies.instanceCount = shifts.length;
    const mesh = new Mesh(copies, material);
    mesh.matrixAutoUpdate = false;
    mesh.matrix.copy(local);
    mesh.frustumCulled = false;
    mesh.renderOrder = order;
    return mesh;
}

function outlineMaterial(shift: { value: Vector2 }, colour: { value: Color }, visible: boolean): ShaderMaterial {
    return new ShaderMaterial({
        glslVersion: GLSL3,
        uniforms: { shift, colour },
        vertexShader: `
            in vec2 way;
            uniform vec2 shift;
            void main() {
                gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
                gl_Position.xy += way * shift * gl_Position.w;
            }`,
        fragmentShader: `
            uniform vec3 colour;
            out vec4 result;
            void main() {
                result = vec4(colour, 1.0);
                result = linearToOutputTexel(result);
            }`,
        depthTest: false, depthWrite: false, colorWrite: visible,
        stencilWrite: true, stencilRef: 1,
        stencilFunc: visible ? NotEqualStencilFunc : AlwaysStencilFunc,
        stencilZPass: visible ? KeepStencilOp : ReplaceStencilOp,
        side: DoubleSide,
    });
}

// ---- pulling --------------------------------------------------------------------------------------------------------

/// From the point one holds to where one pulls it, with a knob at the hand's end.
export class PullLine {
    readonly group = new Group();
    private readonly bar = new Bars(new CylinderGeometry(1, 1, 1, 8, 1).rotateX(Math.PI / 2).translate(0, 0, 0.5));
    private readonly knob = new Mesh(new SphereGeometry(1, 16, 10), new MeshBasicMaterial({ toneMapped: false }));

    constructor() {
        this.group.add(this.bar.group, this.knob);
        this.hide();
    }

    set colour(colour: string) {
        this.bar.colour.set(colour);
        this.knob.material.color.set(colour);
    }

    /// `pixel`: the size of one at the hand's distance [m].
    show(from: Vector3, to: Vector3, pixel: number): void {
        this.bar.begin(1);
        this.bar.add(from, to, 1.6 * pixel);
        this.bar.end();
        this.knob.position.copy(to);
        this.knob.scale.setScalar(6 * pixel);
        this.group.visible = true;
    }

    hide(): void { this.group.visible = false; }

    dispose(): void {
        this.bar.dispose();
        this.knob.geometry.dispose();
        this.knob.material.dispose();
    }
}
