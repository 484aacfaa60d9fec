// The 3D view of a model: given a frame it shows it; it draws only when something changed.
//
// Two layers: the scene, and over it what must not be hidden by bodies (contacts, chains, joints, marks).

import {
    AmbientLight, Box3, Color, DirectionalLight, Matrix4, NeutralToneMapping, PCFShadowMap, Scene, SRGBColorSpace, Texture, Vector2, Vector3, WebGLRenderer,
} from "three";
import type { ColourBy, Frame, Model, Vec3 } from "../data/types";
import { Bodies } from "./bodies";
import type { Surroundings } from "./body_material";
import { View } from "./camera";
import { darkTheme, lightTheme, newScales, type Legend, type Theme } from "./colours";
import { ContactView } from "./contacts";
import { JointView } from "./joints";
import { Ground, Light, backdrop } from "./light_and_ground";
import { Outline, PullLine, Ring } from "./markers";
import { Occlusion } from "./occlusion";
import { Pace } from "./pace";
import { Picking, type DragHandler } from "./picking";

export type { Legend } from "./colours";

export interface StageOptions {
    colourBy: ColourBy;
    contacts: boolean;
    arrows: boolean;
    chains: boolean;
    joints: boolean;
    worst: boolean;
    shadows: boolean;
    follow: number;         // a body, or -1
}

const mostPixelRatio = 2;
const shadowPixels = { card: 2048, software: 1024 };
const heavyFrom = 150;      // shapes
const quickPixels = 0.5;    // of the pixels' number across, while a heavy scene moves without a graphics card
const chainHaze = 0.72;     // how far bodies step back behind force chains

export class Stage {
    onlegend: (() => void) | null = null;
    /// After each picture: marks in the page that sit on points of the scene move now.
    onview: (() => void) | null = null;
    /// Of the ground's finer lines [m].
    readonly gridSpacing: number;
    readonly canvas: HTMLCanvasElement;

    private readonly renderer: WebGLRenderer;
    private readonly software: boolean;     // no graphics card: fewer pixels
    private readonly heavy: boolean;        // so many bodies that without a card no motion would be seen in full quality
    private readonly scene = new Scene();
    private readonly overlay = new Scene();
    private readonly view: View;
    private readonly light: Light;
    private readonly ground: Ground;
    private readonly bodies: Bodies;
    private readonly occlusion: Occlusion;
    private readonly contacts: ContactView;
    private readonly joints: JointView;
    private readonly picking: Picking;
    private readonly ring = new Ring();
    private readonly outline = new Outline();
    private readonly pullLine = new PullLine();
    private readonly around: Surroundings;
    private readonly scales = newScales();
    private readonly watcher: ResizeObserver;
    private readonly pace = new Pace(() => this.invalidate());
    private readonly options: StageOptions = {
        colourBy: "material", contacts: false, arrows: false, chains: false, joints: false, worst: false, shadows: true, follow: -1,
    };
    private frame: Frame | null = null;
    private shownTime = NaN;
    private speeds: Float32Array = new Float32Array();
    private background: Texture | null = null;
    private request = 0;
    private shadowsStale = true;
    private materialColours = true;
    private quick = false;                  // the picture is a quick one; at rest it never is
    private readonly seenFrom = new Matrix4();

    constructor(private readonly container: HTMLElement, private readonly model: Model) {
        this.renderer = newRenderer();
        this.software = drawnInSoftware(this.renderer);
        this.canvas = this.renderer.domElement;
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute("aria-label", "3D view: drag or arrow keys to turn, wheel or + and - to zoom");
        Object.assign(this.canvas.style, { display: "block", width: "100%", height: "100%", touchAction: "none", outlineOffset: "-2px" });
        container.append(this.canvas);
        this.canvas.addEventListener("webglcontextrestored", this.refresh);

        this.view = new View(model, this.canvas, () => this.invalidate());
        this.light = new Light(model, this.software ? shadowPixels.software : shadowPixels.card);
        this.around = {
            hazeColour: { value: new Color() }, hazeAmount: { value: 0 }, skyBright: { value: 1 },
            lamp: { value: this.light.direction }, shadow: this.light.key.shadow.matrix,
        };
        this.bodies = new Bodies(model, this.around);
        this.heavy = this.software && model.bodies.reduce((sum, body) => sum + body.shapes.length, 0) >= heavyFrom;
        this.ground = new Ground(model, this.view.size, this.light.direction);
        this.gridSpacing = this.ground.spacing;
        this.occlusion = new Occlusion(model, this.bodies);
        this.contacts = new ContactView(model, this.view.size, this.bodies.radius);
        this.joints = new JointView(model, this.view.size, this.bodies.radius);
        this.picking = new Picking(model, this.canvas, this.bodies, this.view, this.pullLine, () => this.invalidate());
        this.scene.add(this.light.group, this.ground.group, this.bodies.group);
        this.buildOverlay();

        this.theme(false);
        this.watcher = new ResizeObserver(() => this.resize());
        this.watcher.observe(container);
        this.resize();
    }

    get onpick(): ((body: number) => void) | null { return this.picking.onpick; }
    set onpick(handler: ((body: number) => void) | null) { this.picking.onpick = handler; }
    get ondrag(): DragHandler | null { return this.picking.ondrag; }
    set ondrag(handler: DragHandler | null) { this.picking.ondrag = handler; }

    show(frame: Frame, speeds: Float32Array): void {
        if (frame.time !== this.shownTime) this.pace.changed();
        this.shownTime = frame.time;
        this.frame = frame;
        this.speeds = speeds;
        this.refresh();
    }

    set(options: Partial<StageOptions>): void {
        const before = this.options.colourBy;
        Object.assign(this.options, options);
        this.view.follow = this.options.follow;
        this.contacts.set(this.options);
        this.light.key.castShadow = this.options.shadows;
        this.around.hazeAmount.value = this.options.chains ? chainHaze : 0;
        if (before !== this.options.colourBy) this.bodies.finishFor(this.options.colourBy);
        this.refresh();
        if (before !== this.options.colourBy) this.onlegend?.();
    }

    select(body: number): void {
        this.outline.select(body, this.bodies);
        if (this.frame) this.outline.place(this.frame);
        this.invalidate();
    }

    home(): void {
        this.view.home();
        if (this.frame) this.view.track(this.frame);
    }

    theme(dark: boolean): void {
        const theme: Theme = dark ? darkTheme : lightTheme;
        this.background?.dispose();
        this.background = backdrop(theme);
        this.scene.background = this.background;
        this.around.skyBright.value = dark ? 0.7 : 0.95;
        this.around.hazeColour.value.set(theme.background);
        this.light.theme(dark);
        this.ground.theme(theme);
        this.contacts.theme(theme);
        this.joints.theme(theme);
        this.bodies.setNeutral(theme.neutral);
        this.ring.colour = theme.worst;
        this.outline.colour = theme.accent;
        this.pullLine.colour = theme.accent;
        this.refresh();
    }

    legend(): Legend | null {
        const by = this.options.colourBy;
        return by === "material" ? null : this.scales[by].legend();
    }

    /// Fixes a scale where the largest value of the run is known beforehand; else it grows with what is shown.
    largest(by: Exclude<ColourBy, "material">, value: number): void {
        this.scales[by].fix(value);
        this.refresh();
        this.onlegend?.();
    }

    /// Where a point of the scene is on the canvas [CSS pixels], null if it is behind the camera.
    project(point: Vec3): { x: number; y: number } | null {
        const at = new Vector3(...point).project(this.view.camera);
        if (Math.abs(at.z) > 1) return null;
        return { x: (0.5 + 0.5 * at.x) * this.container.clientWidth, y: (0.5 - 0.5 * at.y) * this.container.clientHeight };
    }

    /// The mark of the worst constraint on the canvas; null while there is none or it is not shown.
    worstAt(): { x: number; y: number } | null {
        return this.ring.sprite.visible ? this.project(this.ring.sprite.position.toArray()) : null;
    }

    /// Draws at once, for pictures.
    draw(): void {
        cancelAnimationFrame(this.request);
        this.request = 0;
        this.render(false);
    }

    dispose(): void {
        cancelAnimationFrame(this.request);
        this.request = -1;
        this.watcher.disconnect();
        this.pace.dispose();
        this.canvas.removeEventListener("webglcontextrestored", this.refresh);
        for (const part of [this.picking, this.view, this.bodies, this.ground, this.contacts, this.joints, this.ring, this.outline, this.pullLine]) part.dispose();
        this.background?.dispose();
        this.light.key.dispose();
        this.renderer.dispose();
        if (!this.renderer.getContext().isContextLost()) this.renderer.forceContextLoss();
        this.canvas.remove();
    }

    // ---- inside -----------------------------------------------------------------------------------------------------

    private buildOverlay(): void {
        const lamp = new DirectionalLight(0xffffff, 1.6);
        lamp.position.copy(this.light.direction);
        this.overlay.add(new AmbientLight(0xffffff, 1.9), lamp, this.contacts.group, this.joints.group, this.ring.sprite, this.outline.group, this.pullLine.group);
    }

    /// Brings everything to the frame and the options.
    private readonly refresh = (): void => {
        if (!this.frame) return;
        this.bodies.place(this.frame);
        this.colour(this.frame);
        const content = this.content(this.frame);
        this.light.fit(this.shadowBox(this.frame, content));
        this.ground.place(this.frame, () => this.bodies.lowest());
        this.contacts.show(this.frame);
        this.joints.group.visible = this.options.joints;
        this.joints.show(this.frame);
        this.outline.place(this.frame);
        this.picking.show(this.frame);
        this.placeRing(this.frame);
        this.view.track(this.frame);
        this.shadowsStale = true;
        this.invalidate();
    };

    private colour(frame: Frame): void {
        const by = this.options.colourBy;
        if (by === "material") {
            if (!this.materialColours) this.bodies.colourByMaterial();
            this.materialColours = true;
            return;
        }
        this.materialColours = false;
        const values = by === "speed" ? this.speeds : by === "load" ? frame.load : frame.error;
        const grew = this.scales[by].include(this.large(values));
        this.bodies.colourByValue(values, this.scales[by]);
        if (grew) this.onlegend?.();
    }

    /// What only one moving body in a hundred exceeds: a single one thrown out must not make all others dark.
    private large(values: Float32Array): number {
        const moving = Float32Array.from(values.filter((_, k) => this.model.bodies[k].kind === "dynamic")).sort();
        return moving.length ? moving[Math.floor(0.99 * (moving.length - 1))] : 0;
    }

    private placeRing({ worst }: Frame): void {
        const joint = worst.joint >= 0 && worst.joint < this.model.joints.length;
        this.ring.sprite.visible = this.options.worst && (joint || worst.body_a > -2);
        if (!this.ring.sprite.visible) return;
        if (joint) this.joints.at(worst.joint, this.frame!, this.ring.sprite.position);
        else this.ring.sprite.position.set(...worst.point);
    }

    /// The box around all that has an extent, within a few times what the home camera sees.
    private content(frame: Frame): Box3 {
        const moving = this.boxAround(frame, true);
        const limit = new Box3().setFromCenterAndSize(new Vector3(...this.model.camera.target), new Vector3().setScalar(5 * this.view.size));
        return moving.union(this.boxAround(frame, false)).intersect(limit);
    }

    /// What casts shadows one looks at: moving bodies, and what stands close to them.
    private shadowBox(frame: Frame, content: Box3): Box3 {
        if (content.isEmpty()) return new Box3().setFromCenterAndSize(new Vector3(...this.model.camera.target), new Vector3().setScalar(this.view.size));
        const moving = this.boxAround(frame, true);
        if (moving.isEmpty()) return content;
        return moving.expandByScalar(0.25 * this.view.size).intersect(content);
    }

    private boxAround(frame: Frame, moving: boolean): Box3 {
        const box = new Box3();
        const radius = this.bodies.radius;
        for (let k = 0; k < radius.length; ++k) {
            if (radius[k] === 0 || (this.model.bodies[k].kind === "dynamic") !== moving) continue;
            place.fromArray(frame.position, 3 * k);
            const reach = moving ? radius[k] : Math.min(radius[k], this.view.size);
            box.expandByPoint(low.copy(place).subScalar(reach)).expandByPoint(place.addScalar(reach));
        }
        return box;
    }

    private resize(): void {
        const width = Math.max(this.container.clientWidth, 1);
        const height = Math.max(this.container.clientHeight, 1);
        const ratio = this.pixelRatio();
        this.renderer.setPixelRatio(ratio);
        this.renderer.setSize(width, height, false);
        this.view.resize(width, height);
        this.ring.fit(this.view.camera, height);
        this.outline.resize(width, height);
        this.contacts.pixelRatio(ratio);
        this.draw();  // not later: the canvas was cleared and would flash
    }

    private pixelRatio(): number {
        return Math.min(window.devicePixelRatio || 1, this.software ? 1 : mostPixelRatio) * (this.quick ? quickPixels : 1);
    }

    /// Without a graphics card a picture of thousands of spheres takes a second, which no motion survives.  So while such
    /// a scene moves there, it is drawn with fewer pixels and by shorter formulas; the picture at rest is always the full one.
    private setQuick(quick: boolean): void {
        if (quick === this.quick) return;
        this.quick = quick;
        this.renderer.setPixelRatio(this.pixelRatio());
        this.contacts.pixelRatio(this.pixelRatio());
        this.bodies.setQuick(quick);
    }

    private invalidate(): void {
        if (this.request !== 0) return;
        this.request = requestAnimationFrame(() => {
            this.request = 0;
            this.render(this.heavy && this.pace.moving);
        });
    }

    private render(quick: boolean): void {
        const moving = this.view.update();
        this.setQuick(quick);
        const fading = this.frame !== null && this.occlusion.update(this.view.camera, this.frame);
        this.light.key.shadow.needsUpdate = this.shadowsStale;
        this.findSpheres();
        this.shadowsStale = fading;
        this.renderer.clear();
        this.renderer.render(this.scene, this.view.camera);
        this.renderer.clearDepth();
        this.renderer.render(this.overlay, this.view.camera);
        this.onview?.();
        if (moving || fading) this.invalidate();
    }

    /// Those that the eye and the light see.
    private findSpheres(): void {
        const { camera } = this.view;
        camera.updateMatrixWorld();
        if (!camera.matrixWorld.equals(this.seenFrom)) this.pace.changed();
        this.seenFrom.copy(camera.matrixWorld);
        this.renderer.getDrawingBufferSize(pixels);
        this.bodies.sight.fromEye(camera, pixels.x, pixels.y, !this.quick);
        const { key } = this.light;
        if (!key.castShadow || !key.shadow.needsUpdate) return;
        key.updateMatrixWorld();
        key.target.updateMatrixWorld();
        key.shadow.updateMatrices(key);
        this.bodies.sight.fromLight(key.shadow.camera, key.shadow.mapSize.x);
    }
}

const place = new Vector3();
const low = new Vector3();
const pixels = new Vector2();

function newRenderer(): WebGLRenderer {
    const canvas = document.createElement("canvas");
    // without alpha: soft edges must not let the page shine through
    const context = canvas.getContext("webgl2", { alpha: false, antialias: true, depth: true, stencil: true, powerPreference: "high-performance" });
    if (!context) {
        throw new Error("The 3D view needs WebGL 2, which this browser does not offer here. Turn on hardware acceleration or open the page in another browser; everything else on the page works without it.");
    }
    const renderer = new WebGLRenderer({ canvas, context });
    renderer.outputColorSpace = SRGBColorSpace;
    renderer.toneMapping = NeutralToneMapping;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = PCFShadowMap;
    renderer.autoClear = false;
    return renderer;
}

function drawnInSoftware(renderer: WebGLRenderer): boolean {
    const context = renderer.getContext();
    const names = context.getExtension("WEBGL_debug_renderer_info");
    return names !== null && /swiftshader|llvmpipe|software|basic render/i.test(String(context.getParameter(names.UNMASKED_RENDERER_WEBGL)));
}
