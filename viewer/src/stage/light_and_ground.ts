// Light, background and ground: a soft sky, a key light with shadows fitted to what is there, and floors that fade out.

import {
    Box3, CanvasTexture, Color, CustomBlending, DirectionalLight, Group, HemisphereLight, Mesh,
    OneFactor, OneMinusSrcAlphaFactor, PlaneGeometry, Quaternion, ShadowMaterial, SRGBColorSpace, SrcAlphaFactor, Vector3,
} from "three";
import type { Frame, Model, Shape } from "../data/types";
import { colourOf, roundUp, type Theme } from "./colours";

// ---- light ----------------------------------------------------------------------------------------------------------

export class Light {
    readonly group = new Group();
    readonly key = new DirectionalLight(0xffffff, 2.5);
    private readonly sky = new HemisphereLight(0xffffff, 0xb4aea6, 1);
    private readonly toLight: Vector3;
    private readonly fitted = new Box3();

    /// The key light comes over the left shoulder of one who looks from the home camera.
    constructor(model: Model, shadowPixels: number) {
        const view = new Vector3(...model.camera.eye).sub(new Vector3(...model.camera.target)).setZ(0);
        if (view.lengthSq() === 0) view.set(0, -1, 0);
        view.normalize();
        const right = new Vector3(-view.y, view.x, 0);
        this.toLight = new Vector3(0, 0, 1.15).addScaledVector(view, 0.8).addScaledVector(right, -0.6).normalize();
        this.sky.position.set(0, 0, 1);
        this.key.castShadow = true;
        this.key.shadow.mapSize.set(shadowPixels, shadowPixels);
        this.key.shadow.radius = shadowPixels / 500;  // the same softness whatever the size
        this.key.shadow.autoUpdate = false;
        this.group.add(this.sky, this.key, this.key.target);
    }

    get direction(): Vector3 { return this.toLight; }

    theme(dark: boolean): void {
        this.sky.intensity = dark ? 1.6 : 1.7;
        this.key.intensity = dark ? 2.4 : 2.2;
    }

    /// Fits the shadow camera to the box.  It changes only when the box left what it saw or became much smaller, so that
    /// shadows' edges do not crawl.
    fit(box: Box3): void {
        const size = box.getSize(new Vector3()).length();
        if (this.fitted.containsBox(box) && this.fitted.getSize(new Vector3()).length() < 2.2 * size) return;
        this.fitted.copy(box).expandByScalar(0.12 * size);
        const centre = this.fitted.getCenter(new Vector3());
        const reach = 0.5 * this.fitted.getSize(new Vector3()).length();
        this.key.target.position.copy(centre);
        this.key.position.copy(centre).addScaledVector(this.toLight, 2 * reach);
        const camera = this.key.shadow.camera;
        camera.left = camera.bottom = -reach;
        camera.right = camera.top = reach;
        camera.near = 0.5 * reach;
        camera.far = 4 * reach;
        camera.updateProjectionMatrix();
        const texel = (2 * reach) / this.key.shadow.mapSize.x;
        this.key.shadow.normalBias = 2.5 * texel;
        this.key.shadow.bias = -0.0008;
    }
}

export function backdrop(theme: Theme): CanvasTexture {
    const canvas = document.createElement("canvas");
    canvas.width = 4;
    canvas.height = 256;
    const context = canvas.getContext("2d")!;
    const gradient = context.createLinearGradient(0, 0, 0, 256);
    gradient.addColorStop(0, theme.horizon);
    gradient.addColorStop(0.65, theme.background);
    context.fillStyle = gradient;
    context.fillRect(0, 0, 4, 256);
    const texture = new CanvasTexture(canvas);
    texture.colorSpace = SRGBColorSpace;
    return texture;
}

// ---- ground ---------------------------------------------------------------------------------------------------------

interface Floor { mesh: Mesh<PlaneGeometry, ShadowMaterial>; uniforms: FloorUniforms; body: number; shape: Shape | null; level: boolean }

interface FloorUniforms {
    [name: string]: { value: unknown };
    base: { value: Color }; lines: { value: Color }; shade: { value: number }; centre: { value: Vector3 };
    spacing: { value: number }; reach: { value: number }; tint: { value: Color }; tinted: { value: number }; grid: { value: number };
}

/// Half spaces; where a model has none, a floor that only catches shadows, below all that is there at the start.
export class Ground {
    readonly group = new Group();
    readonly spacing: number;
    private readonly floors: Floor[] = [];
    private theme_: Theme | null = null;
    private placed = false;

    constructor(private readonly model: Model, private readonly size: number, private readonly toLight: Vector3) {
        this.spacing = roundUp(size / 16);
        model.bodies.forEach((body, index) => {
            for (const shape of body.shapes) if (shape.geometry === "half_space") this.add(index, shape);
        });
        if (this.floors.length === 0) this.add(-1, null);
    }

    /// `lowest`: z of the lowest point at the start, asked for once.
    place(frame: Frame, lowest: () => number): void {
        const centre = new Vector3(...this.model.camera.target);
        for (const floor of this.floors) {
            if (floor.shape) this.placeHalfSpace(floor, frame, floor.shape, centre);
            else if (!this.placed) floor.mesh.position.set(centre.x, centre.y, lowest() - 0.001 * this.size);
            floor.uniforms.centre.value.copy(centre).setZ(floor.mesh.position.z);
            this.shade(floor);
        }
        this.placed = true;
    }

    theme(theme: Theme): void {
        this.theme_ = theme;
        for (const { uniforms } of this.floors) {
            uniforms.base.value.set(theme.ground);
            uniforms.lines.value.set(theme.grid);
            uniforms.shade.value = theme.shadow;
        }
        for (const floor of this.floors) this.shade(floor);
    }

    dispose(): void {
        for (const { mesh } of this.floors) { mesh.geometry.dispose(); mesh.material.dispose(); }
    }

    private add(body: number, shape: Shape | null): void {
        const uniforms: FloorUniforms = {
            base: { value: new Color() }, lines: { value: new Color() }, shade: { value: 0.5 }, centre: { value: new Vector3() },
            spacing: { value: this.spacing }, reach: { value: 3.2 * this.size }, tint: { value: shape ? colourOf(this.model, shape) : new Color(1, 1, 1) },
            tinted: { value: 0 }, grid: { value: 1 },
        };
        const mesh = new Mesh(new PlaneGeometry(1, 1), floorMaterial(uniforms, shape !== null));
        mesh.scale.setScalar(7 * this.size);
        mesh.receiveShadow = true;
        mesh.renderOrder = -10;
        this.group.add(mesh);
        this.floors.push({ mesh, uniforms, body, shape, level: true });
    }

    private placeHalfSpace(floor: Floor, frame: Frame, shape: Shape, centre: Vector3): void {
        const q = new Quaternion().fromArray(frame.quaternion, 4 * floor.body);
        const origin = new Vector3(...(shape.position ?? [0, 0, 0])).applyQuaternion(q).add(new Vector3().fromArray(frame.position, 3 * floor.body));
        const [w, x, y, z] = shape.orientation ?? [1, 0, 0, 0];
        const turn = q.multiply(new Quaternion(x, y, z, w));
        const normal = new Vector3(0, 0, 1).applyQuaternion(turn);
        // the plane has no edges: the drawn piece lies around the point nearest to what one looks at
        const nearest = centre.clone().addScaledVector(normal, -normal.dot(centre.clone().sub(origin)));
        floor.mesh.position.copy(nearest);
        floor.mesh.quaternion.copy(turn);
        floor.level = normal.z > 0.999;
        const reach = floor.level ? 3.2 : 1.6;
        floor.uniforms.reach.value = reach * this.size;
    }

    /// A tilted plane keeps more of its own colour and takes its light by its angle; level ground stays quiet.
    private shade(floor: Floor): void {
        if (!this.theme_ || !floor.shape) return;
        const normal = new Vector3(0, 0, 1).applyQuaternion(floor.mesh.quaternion);
        const light = 0.55 + 0.45 * Math.max(0, normal.dot(this.toLight)) / this.toLight.z;
        floor.uniforms.base.value.set(this.theme_.ground).multiplyScalar(light);
        floor.uniforms.tinted.value = floor.level ? 0 : 0.35;
    }
}

/// Unlit: the theme's colour, less where shadow falls, with grid lines, fading out by distance.  It is drawn first, with
/// blending, so that only the background is behind it.  A floor that is not really there hides nothing.
function floorMaterial(uniforms: FloorUniforms, solid: boolean): ShadowMaterial {
    const material = new ShadowMaterial({ toneMapped: false, depthWrite: solid });
    material.transparent = false;
    material.blending = CustomBlending;
    material.blendSrc = SrcAlphaFactor;
    material.blendDst = OneMinusSrcAlphaFactor;
    material.blendSrcAlpha = OneFactor;  // the canvas stays opaque
    material.polygonOffset = true;
    material.polygonOffsetFactor = 1;
    material.polygonOffsetUnits = 1;
    material.onBeforeCompile = (shader) => {
        Object.assign(shader.uniforms, uniforms);
        shader.vertexShader = shader.vertexShader
            .replace("#include <common>", "#include <common>\nvarying vec3 vWorld;\nvarying vec2 vPlane;")
            .replace("#include <worldpos_vertex>", "vec4 worldPosition = modelMatrix * vec4(transformed, 1.0);\nvWorld = worldPosition.xyz;\nvPlane = position.xy * length(modelMatrix[0].xyz) + planeOrigin();")
            .replace("void main() {", planeOrigin);
        shader.fragmentShader = shader.fragmentShader
            .replace("#include <common>", `#include <common>\n${floorNames}`)
            .replace("gl_FragColor = vec4( color, opacity * ( 1.0 - getShadowMask() ) );", floorColour);
    };
    return material;
}

// Where the drawn piece's middle is in the plane's own axes, so that grid lines stay when the piece moves.
const planeOrigin = `
vec2 planeOrigin() {
    return vec2(dot(modelMatrix[3].xyz, normalize(modelMatrix[0].xyz)), dot(modelMatrix[3].xyz, normalize(modelMatrix[1].xyz)));
}
void main() {`;

const floorNames = `
varying vec3 vWorld;
varying vec2 vPlane;
uniform vec3 base, lines, tint, centre;
uniform float shade, spacing, reach, tinted, grid;
float gridLine(float size, float width) {
    vec2 at = vPlane / size;
    vec2 slope = max(fwidth(at), vec2(1e-6));
    vec2 near = abs(fract(at - 0.5) - 0.5) / slope;
    vec2 line = (1.0 - smoothstep(width - 0.5, width + 0.5, near)) * (1.0 - smoothstep(0.1, 0.45, slope));
    return max(line.x, line.y);
}`;

const floorColour = `
float away = distance(vWorld, centre) / reach;
float alpha = 1.0 - smoothstep(0.25, 1.0, away);
float lined = grid * max(0.3 * gridLine(spacing, 0.5), 0.6 * gridLine(5.0 * spacing, 0.7)) * (1.0 - smoothstep(0.15, 0.75, away));
vec3 hue = tint / max(max(tint.r, tint.g), max(tint.b, 1e-3));
vec3 floor_ = mix(mix(base * mix(vec3(1.0), hue, 0.1), tint, tinted), lines, lined);
gl_FragColor = vec4(floor_ * (1.0 - shade * (1.0 - getShadowMask())), alpha);`;
