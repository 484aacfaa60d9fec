// What there is to know about the selected body at the current moment.

import { velocity } from "../data/motion";
import type { Frame, FrameSource, Model, Vec3 } from "../data/types";
import { html } from "./dom";
import { formatError, formatNumber, formatQuantity } from "./format";
import { iconButton } from "./player_bar";

interface Touch { partner: number; force: Vec3; size: number; error: number }

const length = (v: Vec3): number => Math.hypot(...v);
const largestShown = 6;

/// The body's contacts, the strongest first; forces on the body.
function touchesOf(frame: Frame, body: number): Touch[] {
    const { contacts } = frame;
    const touches: Touch[] = [];
    for (let k = 0; k < contacts.count; ++k) {
        const a = contacts.body[2 * k]!, b = contacts.body[2 * k + 1]!;
        if (a !== body && b !== body) continue;
        const sign = a === body ? 1 : -1;
        const force = [0, 1, 2].map(i => sign * contacts.force[3 * k + i]!) as Vec3;
        touches.push({ partner: a === body ? b : a, force, size: length(force), error: contacts.error[k]! });
    }
    return touches.sort((p, q) => q.size - p.size);
}

function materialsOf(model: Model, body: number): string {
    const names = model.bodies[body]!.shapes.map(shape => typeof shape.material === "number" ? model.materials[shape.material]?.name ?? "" : shape.material);
    return [...new Set(names)].filter(name => name !== "").join(", ");
}

function shapesOf(model: Model, body: number): string {
    const counts = new Map<string, number>();
    for (const shape of model.bodies[body]!.shapes) counts.set(shape.geometry, (counts.get(shape.geometry) ?? 0) + 1);
    return [...counts].map(([name, count]) => (count > 1 ? `${count} \u00d7 ` : "") + name.replaceAll("_", " ")).join(", ");
}

const vector = (v: Vec3, unit: string): HTMLElement => html("span", { class: "vector" }, ...v.map(x => html("span", {}, formatNumber(Math.abs(x) < 1e-9 ? 0 : x))), html("small", {}, unit));

export class InfoCard {
    readonly element = html("aside", { class: "info-card", hidden: true, "aria-label": "Selected body", "aria-live": "off" });
    onclose: (() => void) | null = null;
    onfollow: (() => void) | null = null;
    onjoint: ((joint: number) => void) | null = null;
    onbody: ((body: number) => void) | null = null;
    private body = -1;
    private drawn = 0;
    private readonly changing = html("div", {});
    private readonly follow = html("button", { class: "quiet", type: "button", onclick: () => this.onfollow?.() }, "Follow");

    constructor(private readonly model: Model, private readonly source: FrameSource, private readonly live: boolean) {}

    show(body: number, frame: Frame | undefined): void {
        this.body = body;
        this.element.hidden = body < 0;
        if (body < 0) return;
        const about = this.model.bodies[body]!;
        const fixed: [string, string][] = [["kind", about.kind], ["mass", about.kind === "dynamic" ? formatQuantity(about.mass_kg, "kg") : "does not matter"],
            ["material", materialsOf(this.model, body)], ["shape", shapesOf(this.model, body)]];
        this.element.replaceChildren(
            html("div", { class: "info-head" }, html("h3", {}, about.name), this.follow, iconButton("close", "Close", () => this.onclose?.())),
            html("dl", {}, ...fixed.filter(([, value]) => value).flatMap(([name, value]) => [html("dt", {}, name), html("dd", {}, value)])),
            this.changing);
        if (frame) this.fill(frame);
    }

    following(yes: boolean): void {
        this.follow.textContent = yes ? "Following" : "Follow";
        this.follow.setAttribute("aria-pressed", String(yes));
    }

    /// A new moment.  Reading it ten times a second is enough for the eye.
    update(frame: Frame, playing: boolean): void {
        if (this.body < 0) return;
        const now = performance.now();
        if (playing && now - this.drawn < 100) return;
        this.drawn = now;
        this.fill(frame);
    }

    private fill(frame: Frame): void {
        const { body } = this;
        const position = [0, 1, 2].map(i => frame.position[3 * body + i]!) as Vec3;
        const { linear, angular } = velocity(this.source, frame.index, body);
        const touches = touchesOf(frame, body);
        const sum = touches.reduce<Vec3>((total, touch) => [total[0] + touch.force[0], total[1] + touch.force[1], total[2] + touch.force[2]], [0, 0, 0]);
        const rows: [string, HTMLElement | string][] = [["position", vector(position, "m")], ["velocity", vector(linear, "m/s")],
            ["speed", formatQuantity(length(linear), "m/s")], ["spin", vector(angular, "rad/s")], ["contact force", vector(sum, "N")],
            ["energy error", `${formatError(frame.error[body])} J`]];
        this.changing.replaceChildren(html("dl", {}, ...rows.flatMap(([name, value]) => [html("dt", {}, name), html("dd", {}, value)])),
            ...this.contactList(touches), ...this.jointList(),
            html("p", { class: "fine" }, `Velocity and spin from neighbouring frames${this.live ? "" : "; forces as kept in this page"}.`));
    }

    private contactList(touches: Touch[]): HTMLElement[] {
        if (touches.length === 0) return [html("p", { class: "fine" }, "Touches nothing now.")];
        const rows = touches.slice(0, largestShown).map(touch => html("tr", {}, html("th", { scope: "row" }, this.bodyLink(touch.partner)),
            html("td", {}, formatNumber(touch.size)), html("td", {}, formatError(touch.error))));
        const rest = touches.length - rows.length;
        return [html("table", { class: "mini" }, html("thead", {}, html("tr", {}, html("th", { scope: "col" }, `${touches.length} contact${touches.length === 1 ? "" : "s"} with`),
            html("th", { scope: "col" }, "N"), html("th", { scope: "col" }, "error J"))), html("tbody", {}, ...rows)),
            ...(rest > 0 ? [html("p", { class: "fine" }, `and ${rest} weaker`)] : [])];
    }

    private bodyLink(body: number): HTMLElement | string {
        if (body < 0) return "world";
        return html("button", { class: "link", type: "button", onclick: () => this.onbody?.(body) }, this.model.bodies[body]?.name ?? `body ${body}`);
    }

    private jointList(): HTMLElement[] {
        const joints = this.model.joints.map((joint, k) => ({ joint, k })).filter(({ joint }) => joint.body_a === this.body || joint.body_b === this.body);
        if (joints.length === 0) return [];
        const shown = joints.slice(0, 12).flatMap(({ joint, k }) => [html("button", { class: "link", type: "button", title: "Plot its reaction", onclick: () => this.onjoint?.(k) }, joint.name),
            html("small", {}, ` ${joint.kind.replaceAll("_", " ")}`), html("br", {})]);
        return [html("dl", {}, html("dt", {}, joints.length === 1 ? "joint" : "joints"), html("dd", {}, ...shown))];
    }
}
