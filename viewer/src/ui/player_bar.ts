// The bar under the 3D view: play, step, scrub, speed, loop; and the camera's buttons on the view.

import { html } from "./dom";
import { formatTime } from "./format";
import { icon, type IconName } from "./icons";
import { playSpeeds, type Player } from "./player";

export interface BarActions { play(): void; step(by: number): void }

export function iconButton(name: IconName, label: string, onclick: () => void): HTMLButtonElement {
    return html("button", { class: "icon-button", type: "button", "aria-label": label, title: label, onclick }, icon(name));
}

function speedName(speed: number): string {
    return speed === 1 ? "1\u00d7 real time" : `${speed}\u00d7`;
}

export class PlayerBar {
    readonly element: HTMLElement;
    private readonly play: HTMLButtonElement;
    private readonly slider: HTMLInputElement;
    private readonly time = html("output", { class: "time", "aria-label": "Time" });
    private readonly speed: HTMLSelectElement;
    private readonly loop: HTMLButtonElement;
    private readonly head: HTMLButtonElement;
    private running = false;

    constructor(private readonly player: Player, actions: BarActions, live: boolean, private readonly digits: number) {
        this.play = iconButton("play", "Play (space)", () => actions.play());
        this.play.classList.add("primary");
        this.slider = html("input", { type: "range", min: 0, max: 0, value: 0, step: 1, class: "scrub", "aria-label": "Moment of the run",
            oninput: () => { player.playing = false; player.goTo(Number(this.slider.value)); } });
        this.speed = html("select", { "aria-label": "Speed of the replay", title: "Speed (up, down)", onchange: () => player.setSpeed(Number(this.speed.value)) },
            ...playSpeeds.map(speed => html("option", { value: speed }, speedName(speed))));
        this.loop = iconButton("loop", "Repeat", () => player.setLoop(!player.loop));
        this.head = html("button", { class: "quiet live-button", type: "button", title: "Show the newest frame (end)", onclick: () => player.goToHead() }, icon("live"), "Live");
        this.element = html("div", { class: "player-bar", role: "group", "aria-label": "Replay" },
            html("div", { class: "bar-keys" }, this.play, iconButton("back", "One frame back (left)", () => actions.step(-1)),
                iconButton("forward", "One frame on (right)", () => actions.step(1))),
            html("div", { class: "bar-scrub" }, this.slider, this.time),
            html("div", { class: "bar-more" }, ...(live ? [this.head] : [this.speed, this.loop])));
        this.update();
    }

    /// After every frame and every change of state.
    update(): void {
        const { player } = this;
        const last = String(Math.max(0, player.last));
        if (this.slider.max !== last) this.slider.max = last;
        this.slider.value = String(player.index);
        this.slider.style.setProperty("--share", `${player.last > 0 ? (100 * player.index) / player.last : 0}%`);
        this.slider.setAttribute("aria-valuetext", `${formatTime(player.time, this.digits)} seconds`);
        const text = `${formatTime(player.time, this.digits)} / ${formatTime(player.end, this.digits)} s`;
        if (this.time.textContent !== text) this.time.textContent = text;
    }

    updateState(): void {
        const { player } = this;
        this.showMoving(player.playing || (player.atHead && this.running));
        this.speed.value = String(player.speed);
        this.loop.setAttribute("aria-pressed", String(player.loop));
        this.head.setAttribute("aria-pressed", String(player.atHead));
        this.update();
    }

    /// Whether a live run goes on.
    setRunning(running: boolean): void {
        if (running === this.running) return;
        this.running = running;
        this.updateState();
    }

    private showMoving(moving: boolean): void {
        const words = moving ? "Pause (space)" : "Play (space)";
        if (this.play.title === words && this.play.dataset.moving === String(moving)) return;
        this.play.dataset.moving = String(moving);
        this.play.replaceChildren(icon(moving ? "pause" : "play"));
        this.play.setAttribute("aria-label", words);
        this.play.title = words;
    }
}

export interface CameraActions { follow(): void; home(): void; fullScreen(): void }

export class CameraButtons {
    readonly element: HTMLElement;
    private readonly follow: HTMLButtonElement;

    constructor(actions: CameraActions) {
        this.follow = iconButton("follow", "Follow the selected body (f)", () => actions.follow());
        this.element = html("div", { class: "camera-buttons", role: "group", "aria-label": "Camera" }, this.follow,
            iconButton("home", "The scene's camera (h)", () => actions.home()), iconButton("full", "Full screen", () => actions.fullScreen()));
    }

    /// Whether a body is selected, and whether the camera follows it.
    update(possible: boolean, following: boolean): void {
        this.follow.disabled = !possible && !following;
        this.follow.setAttribute("aria-pressed", String(following));
    }
}
