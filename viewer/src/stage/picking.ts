// The pointer: a click or tap picks a body; a drag orbits, or pulls the body under the pointer where that is wanted.

import { Plane, Quaternion, Raycaster, Vector2, Vector3 } from "three";
import type { Frame, Model, Vec3 } from "../data/types";
import type { Bodies } from "./bodies";
import type { View } from "./camera";
import type { PullLine } from "./markers";

export type DragHandler = (phase: "start" | "move" | "end", body: number, localPoint: Vec3, target: Vec3) => void;

const clickPixels = 5;      // a pointer that moved farther was a drag
const clickTime = 600;      // [ms]

interface Press { pointer: number; x: number; y: number; time: number; moved: boolean }
interface Pull { pointer: number; body: number; local: Vector3; target: Vector3; plane: Plane }

export class Picking {
    onpick: ((body: number) => void) | null = null;
    ondrag: DragHandler | null = null;
    private press: Press | null = null;
    private pull: Pull | null = null;
    private frame: Frame | null = null;
    private readonly ray = new Raycaster();

    constructor(
        private readonly model: Model, private readonly element: HTMLElement, private readonly bodies: Bodies, private readonly view: View,
        private readonly line: PullLine, private readonly changed: () => void,
    ) {
        // before the orbit controls' own listener, on the same element: capture comes first
        element.addEventListener("pointerdown", this.down, { capture: true });
        element.addEventListener("pointermove", this.move);
        element.addEventListener("pointerup", this.up);
        element.addEventListener("pointercancel", this.cancel);
    }

    show(frame: Frame): void {
        this.frame = frame;
        this.drawPull();
    }

    dispose(): void {
        this.element.removeEventListener("pointerdown", this.down, { capture: true });
        this.element.removeEventListener("pointermove", this.move);
        this.element.removeEventListener("pointerup", this.up);
        this.element.removeEventListener("pointercancel", this.cancel);
    }

    private readonly down = (event: PointerEvent): void => {
        if (this.press && event.pointerId !== this.press.pointer) {
            this.press.moved = true;  // a second finger: neither click nor pull
            return;
        }
        if (event.button !== 0) return;
        this.element.focus({ preventScroll: true, focusVisible: false } as FocusOptions);
        this.press = { pointer: event.pointerId, x: event.clientX, y: event.clientY, time: event.timeStamp, moved: false };
        if (this.ondrag) this.startPull(event);
    };

    private readonly move = (event: PointerEvent): void => {
        if (this.press?.pointer === event.pointerId && Math.hypot(event.clientX - this.press.x, event.clientY - this.press.y) > clickPixels) this.press.moved = true;
        if (this.pull?.pointer !== event.pointerId) return;
        this.aim(event);
        if (!this.ray.ray.intersectPlane(this.pull.plane, this.pull.target)) return;
        this.report("move");
        this.drawPull();
        this.changed();
    };

    private readonly up = (event: PointerEvent): void => {
        const press = this.press;
        this.endPull(event);
        if (press?.pointer !== event.pointerId) return;
        this.press = null;
        if (press.moved || event.timeStamp - press.time > clickTime) return;
        this.aim(event);
        this.onpick?.(this.bodies.pick(this.ray)?.body ?? -1);
    };

    private readonly cancel = (event: PointerEvent): void => {
        this.endPull(event);
        if (this.press?.pointer === event.pointerId) this.press = null;
    };

    private startPull(event: PointerEvent): void {
        this.aim(event);
        const hit = this.bodies.pick(this.ray);
        if (!hit || !this.frame || this.model.bodies[hit.body].kind !== "dynamic") return;
        const turn = new Quaternion().fromArray(this.frame.quaternion, 4 * hit.body).invert();
        const local = hit.point.clone().sub(new Vector3().fromArray(this.frame.position, 3 * hit.body)).applyQuaternion(turn);
        const towards = this.view.camera.getWorldDirection(new Vector3());
        const plane = new Plane().setFromNormalAndCoplanarPoint(towards, hit.point);
        this.pull = { pointer: event.pointerId, body: hit.body, local, target: hit.point.clone(), plane };
        this.view.stop();
        this.view.controls.enabled = false;
        this.element.setPointerCapture(event.pointerId);
        this.report("start");
    }

    private endPull(event: PointerEvent): void {
        if (this.pull?.pointer !== event.pointerId) return;
        this.report("end");
        this.pull = null;
        this.view.controls.enabled = true;
        this.line.hide();
        this.changed();
    }

    private report(phase: "start" | "move" | "end"): void {
        if (this.pull) this.ondrag?.(phase, this.pull.body, this.pull.local.toArray(), this.pull.target.toArray());
    }

    private drawPull(): void {
        if (!this.pull || !this.frame) return;
        const turn = new Quaternion().fromArray(this.frame.quaternion, 4 * this.pull.body);
        const held = this.pull.local.clone().applyQuaternion(turn).add(new Vector3().fromArray(this.frame.position, 3 * this.pull.body));
        const distance = this.view.camera.position.distanceTo(this.pull.target);
        const pixel = (2 * distance * Math.tan((this.view.camera.fov * Math.PI) / 360)) / this.element.clientHeight;
        this.line.show(held, this.pull.target, pixel);
    }

    private aim(event: PointerEvent): void {
        const box = this.element.getBoundingClientRect();
        const at = new Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
        this.view.camera.updateMatrixWorld();
        this.ray.setFromCamera(at, this.view.camera);
    }
}
