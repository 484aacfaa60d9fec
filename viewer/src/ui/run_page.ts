// The page of a run, replayed or live: 3D view, player, options, plots, and what links them.

import { speeds } from "../data/motion";
import type { Frame, FrameSource, Model, StepSeries } from "../data/types";
import { RunPlots } from "../plots/run_plots";
import { Stage } from "../stage/stage";
import { type Address, toggleNames } from "./address";
import { Between } from "./between";
import { html } from "./dom";
import { formatError } from "./format";
import { pageHeader } from "./header";
import { InfoCard } from "./info_card";
import { helpDialog, listenToKeys, type KeyAction } from "./keyboard";
import { Options, defaultToggles, toggleWords } from "./options";
import { Player } from "./player";
import { CameraButtons, PlayerBar, iconButton } from "./player_bar";
import { howToRead, runFacts } from "./run_facts";
import type { Theme } from "./theme";

export interface RunContent {
    model: Model;
    source: FrameSource;
    joints: number[];       // whose reactions can be plotted
    live: LiveActions | null;
    footer: HTMLElement;
}

/// What playing and stepping mean at the newest frame of a live run.
export interface LiveActions { playOrPause(): void; step(): void }

/// Above so many bodies, pictures between frames cost more than they give.
const mostBodiesBetween = 5000;

export class RunPage {
    readonly player: Player;
    readonly plots: RunPlots;
    readonly stage: Stage | null;
    /// Where the controls of a live run go.
    readonly side = html("aside", { class: "side", "aria-label": "What is drawn" });

    private steps: StepSeries | null = null;
    private readonly ended = new AbortController();
    private selected = -1;
    private following = -1;
    private shownSpeeds: { index: number; values: Float32Array } = { index: -1, values: new Float32Array() };
    private readonly between = new Between();
    private readonly bar: PlayerBar;
    private readonly camera: CameraButtons;
    private readonly options: Options;
    private readonly card: InfoCard;
    private readonly facts = html("ul", { class: "facts" });
    private readonly worst = html("p", { class: "worst-now" });
    private readonly view = html("div", { class: "stage" });
    private readonly box = html("section", { class: "card viewer", "aria-label": "3D view" });

    constructor(app: HTMLElement, private readonly content: RunContent, address: Address, private readonly theme: Theme) {
        const { model, source } = content;
        this.player = new Player(source);
        this.options = new Options({ colourBy: address.colour ?? "material", toggles: { ...defaultToggles, ...address.toggles } });
        if (model.joints.length === 0) this.options.hide("joints");
        this.card = new InfoCard(model, source, content.live !== null);
        this.bar = new PlayerBar(this.player, { play: () => this.playOrPause(), step: by => this.step(by) }, content.live !== null,
            (content.live ? model.step_s : model.frame_s) < 0.01 ? 3 : 2);
        this.camera = new CameraButtons({ follow: () => this.toggleFollow(), home: () => this.stage?.home(), fullScreen: () => this.fullScreen() });
        this.plots = new RunPlots(model, source, content.joints);
        const actions = this.keyActions();
        const help = helpDialog(actions.concat());
        actions.push({ keys: ["?"], shown: "?", words: "this list", run: () => help.showModal() });
        this.side.append(this.options.element);
        this.box.append(html("div", { class: "viewer-main" }, this.view, this.side), this.bar.element, this.worst);
        app.replaceChildren(html("div", { class: "wrap wide" },
            pageHeader(model.title || model.name, model.description ? [model.description] : [], this.facts,
                [iconButton("help", "Keys (?)", () => help.showModal()), theme.button]),
            html("main", {}, this.box, this.plots.element, howToRead()), content.footer), help);
        this.stage = this.openStage();
        if (this.stage) this.view.append(this.camera.element, this.options.legend, this.card.element);
        listenToKeys(actions, this.ended.signal);
        this.connect();
        this.begin(address);
    }

    /// The steps are there, or there are more of them.
    setSteps(steps: StepSeries, merged = 1): void {
        this.steps = steps;
        this.facts.replaceChildren(...runFacts(this.content.model, steps, merged));
        this.plots.update(steps);
        this.nameWorst(this.player.time);
    }

    /// A live run goes on or has paused.
    setRunning(running: boolean): void {
        this.bar.setRunning(running);
    }

    /// Another model takes the page's place.
    dispose(): void {
        this.ended.abort();
        this.player.stop();
        this.stage?.dispose();
    }

    private playOrPause(): void {
        if (this.content.live && this.player.atHead) this.content.live.playOrPause();
        else this.player.setPlaying(!this.player.playing);
    }

    private step(by: number): void {
        const { live } = this.content;
        if (live && by > 0 && this.player.index >= this.player.last) { this.player.goToHead(); live.step(); } else this.player.step(by);
    }

    private openStage(): Stage | null {
        try {
            return new Stage(this.view, this.content.model);
        } catch (error) {
            this.view.replaceChildren(html("p", { class: "no-stage", role: "alert" },
                error instanceof Error && error.message ? error.message : "There is no 3D view in this browser; the plots work without it."));
            return null;
        }
    }

    private connect(): void {
        const { player, plots, options, card, stage } = this;
        player.onframe = (frame, share) => this.draw(frame, share);
        player.onstate = () => this.bar.updateState();
        plots.group.onscrub = (time, phase) => { if (phase === "start") player.setPlaying(false); player.goToTime(time); };
        options.onchange = () => this.applyOptions();
        card.onclose = () => this.select(-1);
        card.onfollow = () => this.toggleFollow();
        card.onbody = body => this.select(body);
        card.onjoint = joint => { plots.showJoint(joint); plots.element.scrollIntoView({ block: "nearest" }); };
        this.theme.onchange(dark => { stage?.theme(dark); plots.group.recolour(); options.showLegend(stage?.legend() ?? null); }, this.ended.signal);
        if (!stage) return;
        stage.onpick = body => this.select(body);
        stage.onlegend = () => options.showLegend(stage.legend());
    }

    private begin(address: Address): void {
        document.documentElement.dataset.show = address.show;
        this.stage?.theme(this.theme.dark);
        this.applyOptions();
        const body = address.follow === null ? -1 : this.content.model.bodies.findIndex(one => one.name === address.follow);
        if (body >= 0 && address.show === "scene") this.setFollow(body);  // a picture of the scene alone: nothing is outlined
        else if (body >= 0) { this.select(body); this.toggleFollow(); }
        this.camera.update(body >= 0, body >= 0);
        if (address.time !== null) this.player.goToTime(address.time === Infinity ? Number.MAX_VALUE : address.time);
        else this.player.goTo(0);
        if (this.content.live) { this.player.loop = false; this.player.onend = () => this.player.goToHead(); this.player.goToHead(); }
        const still = matchMedia("(prefers-reduced-motion: reduce)").matches || address.time !== null || this.content.live !== null;
        this.player.setPlaying(address.play ?? !still);
    }

    private applyOptions(): void {
        const { colourBy, toggles } = this.options.state;
        this.stage?.set({ colourBy, ...toggles });
        this.options.showLegend(this.stage?.legend() ?? null);
    }

    private draw(frame: Frame, share: number): void {
        const next = share > 0 && this.content.model.bodies.length <= mostBodiesBetween ? this.player.source.get(frame.index + 1) : undefined;
        if (this.shownSpeeds.index !== frame.index || this.content.live) {
            this.shownSpeeds = { index: frame.index, values: speeds(this.player.source, frame.index) };
        }
        this.stage?.show(next ? this.between.mix(frame, next, share) : frame, this.shownSpeeds.values);
        this.bar.update();
        this.card.update(frame, this.player.playing);
        this.plots.group.setTime(frame.time);
        this.nameWorst(frame.time);
        document.documentElement.dataset.drawn = String(frame.index);
    }

    /// The step that ended at `time`, or the first after it.
    private stepAt(steps: StepSeries, time: number): number {
        const times = steps.column("time");
        let low = 0, high = steps.count - 1;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (times[middle]! < time - 1e-9) low = middle + 1; else high = middle;
        }
        return low;
    }

    private nameWorst(time: number): void {
        const { steps } = this;
        if (!steps || steps.count === 0) return;
        const step = this.stepAt(steps, time);
        const name = steps.text("worst", step);
        const text = name ? `${name}, ${formatError(steps.column("worst_error_J")[step])} J` : "no constraint acts";
        const missed = !steps.column("tolerance_met")[step];
        const why = missed ? `tolerance missed${steps.text("reason", step) ? `: ${steps.text("reason", step)}` : ""}` : "";
        if (this.worst.dataset.text === text + why) return;
        this.worst.dataset.text = text + why;
        this.worst.replaceChildren(html("span", {}, "worst now: "), text, ...(why ? [html("span", { class: "missed" }, why)] : []));
    }

    private select(body: number): void {
        this.selected = body;
        this.stage?.select(body);
        this.card.show(body, this.player.source.get(this.player.index));
        if (this.following >= 0) this.setFollow(body);
        this.card.following(this.following >= 0);
        this.camera.update(body >= 0, this.following >= 0);
    }

    private toggleFollow(): void {
        this.setFollow(this.following >= 0 ? -1 : this.selected);
    }

    private setFollow(body: number): void {
        this.following = body;
        this.stage?.set({ follow: body });
        this.card.following(body >= 0);
        this.camera.update(this.selected >= 0, body >= 0);
    }

    private fullScreen(): void {
        if (document.fullscreenElement) void document.exitFullscreen();
        else this.box.requestFullscreen?.().catch(() => undefined);
    }

    private keyActions(): KeyAction[] {
        const { player } = this;
        return [
            { keys: [" ", "k"], shown: "space", words: "play or pause", run: () => this.playOrPause() },
            { keys: ["ArrowLeft"], shown: "\u2190", words: "one frame back", run: () => this.step(-1) },
            { keys: ["ArrowRight"], shown: "\u2192", words: "one frame on", run: () => this.step(1) },
            { keys: ["Home"], shown: "home", words: "to the start", run: () => player.goTo(0) },
            { keys: ["End"], shown: "end", words: this.content.live ? "to the newest frame" : "to the end", run: () => this.content.live ? player.goToHead() : player.goTo(player.last) },
            { keys: ["ArrowUp"], shown: "\u2191", words: "faster", run: () => player.changeSpeed(1) },
            { keys: ["ArrowDown"], shown: "\u2193", words: "slower", run: () => player.changeSpeed(-1) },
            { keys: ["c"], shown: "c", words: "next colouring", run: () => this.options.nextColour() },
            ...toggleNames.map((name, k) => ({ keys: [String(k + 1)], shown: String(k + 1), words: `${toggleWords[name].toLowerCase()} on or off`, run: () => this.options.toggle(name) })),
            { keys: ["f"], shown: "f", words: "follow the selected body", run: () => this.toggleFollow() },
            { keys: ["h"], shown: "h", words: "the scene's camera", run: () => this.stage?.home() },
            { keys: ["t"], shown: "t", words: "light or dark", run: () => this.theme.toggle() },
            { keys: ["Escape"], shown: "esc", words: "select nothing", run: () => this.select(-1) },
        ];
    }
}
