// The camera: orbit, pan and zoom by mouse, touch and keys, z up; home; following a body.

import { PerspectiveCamera, Spherical, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Frame, Model } from "../data/types";

const keyTurn = 0.06;   // [rad] of one press
const keyZoom = 1.08;
const dampingRate = 0.009;  // [1/ms]

export class View {
    readonly camera = new PerspectiveCamera();
    readonly controls: OrbitControls;
    /// The way from the home camera to what it looks at: the scene's size.
    readonly size: number;
    private follow_ = -1;
    private readonly followed = new Vector3();
    private hasFollowed = false;
    private updated = 0;

    constructor(private readonly model: Model, private readonly element: HTMLElement, private readonly changed: () => void) {
        const eye = new Vector3(...model.camera.eye);
        this.size = Math.max(eye.distanceTo(new Vector3(...model.camera.target)), 1e-3);
        this.camera.up.set(0, 0, 1);
        this.camera.position.copy(eye);
        this.controls = new OrbitControls(this.camera, element);
        this.controls.enableDamping = true;
        this.controls.zoomToCursor = true;
        this.controls.minDistance = 0.01 * this.size;
        this.controls.maxDistance = 20 * this.size;
        this.controls.addEventListener("change", changed);
        element.addEventListener("keydown", this.key);
        this.home();
    }

    home(): void {
        this.stop();
        this.camera.position.set(...this.model.camera.eye);
        this.controls.target.set(...this.model.camera.target);
        this.hasFollowed = false;
        this.controls.update();
        this.changed();
    }

    /// Ends what still swings out after a drag.
    stop(): void {
        this.controls.enableDamping = false;
        this.controls.update();
        this.controls.enableDamping = true;
    }

    /// The scene's angle holds for a window at least as wide as high; in a narrow one it holds across.
    resize(width: number, height: number): void {
        const aspect = width / height;
        const angle = (this.model.camera.field_of_view_deg * Math.PI) / 180;
        this.camera.aspect = aspect;
        this.camera.fov = (180 / Math.PI) * (aspect >= 1.2 ? angle : 2 * Math.atan(Math.tan(angle / 2) * 1.2 / aspect));
        this.camera.fov = Math.min(this.camera.fov, 100);
        this.camera.updateProjectionMatrix();
    }

    set follow(body: number) {
        if (body === this.follow_) return;
        this.follow_ = body;
        this.hasFollowed = false;
    }

    /// Goes with the followed body.
    track(frame: Frame): void {
        if (this.follow_ < 0) return;
        now.fromArray(frame.position, 3 * this.follow_);
        const step = this.hasFollowed ? now.clone().sub(this.followed) : now.clone().sub(this.controls.target);
        this.camera.position.add(step);
        this.controls.target.add(step);
        this.followed.copy(now);
        this.hasFollowed = true;
    }

    /// True while it still moves by itself.
    update(): boolean {
        // by time, not by picture: a slow machine must not swing on for seconds
        const time = performance.now();
        this.controls.dampingFactor = Math.min(0.9, Math.max(0.05, 1 - Math.exp(-dampingRate * (time - this.updated))));
        this.updated = time;
        const moved = this.controls.update();
        const distance = this.camera.position.distanceTo(this.controls.target);
        const near = 0.02 * distance;
        const far = distance + 12 * this.size;
        if (Math.abs(near / this.camera.near - 1) > 0.2 || Math.abs(far / this.camera.far - 1) > 0.2) {
            this.camera.near = near;
            this.camera.far = far;
            this.camera.updateProjectionMatrix();
        }
        return moved;
    }

    dispose(): void {
        this.element.removeEventListener("keydown", this.key);
        this.controls.dispose();
    }

    private readonly key = (event: KeyboardEvent): void => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const turns: Record<string, [number, number, number]> = {
            ArrowLeft: [-keyTurn, 0, 1], ArrowRight: [keyTurn, 0, 1], ArrowUp: [0, -keyTurn, 1], ArrowDown: [0, keyTurn, 1],
            "+": [0, 0, 1 / keyZoom], "=": [0, 0, 1 / keyZoom], "-": [0, 0, keyZoom],
        };
        const turn = turns[event.key];
        if (!turn) return;
        event.preventDefault();
        event.stopPropagation();  // the page's own keys step through time
        this.turn(...turn);
    };

    private turn(around: number, over: number, zoom: number): void {
        // Spherical counts from y up; swap axes so that it counts from z
        const arm = this.camera.position.clone().sub(this.controls.target);
        const ball = new Spherical().setFromVector3(new Vector3(arm.x, arm.z, -arm.y));
        ball.theta += around;
        ball.phi += over;
        ball.radius *= zoom;
        ball.makeSafe();
        const turned = new Vector3().setFromSpherical(ball);
        this.camera.position.set(turned.x, -turned.z, turned.y).add(this.controls.target);
        this.changed();
    }
}

const now = new Vector3();
