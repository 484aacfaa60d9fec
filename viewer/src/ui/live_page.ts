// The page of `uptack view`: the page of a run whose frames and steps arrive while one looks.

import { LiveRun } from "../data/live";
import type { LiveDocument, Model } from "../data/types";
import type { Address } from "./address";
import { html } from "./dom";
import { liveControls } from "./live_controls";
import { tell } from "./problem";
import { RunPage } from "./run_page";
import type { Theme } from "./theme";

/// Reactions are read anew so often [ms].
const jointEvery = 500;

function liveFooter(content: LiveDocument): HTMLElement {
    return html("footer", {}, html("p", {}, "Live from this computer; the last frames can be scrubbed through. Drag a body to pull it by a spring. Nothing is recorded."),
        html("p", {}, content.creator));
}

class LivePage {
    private page: RunPage;
    private jointsRead = 0;

    constructor(private readonly app: HTMLElement, private readonly content: LiveDocument, private readonly run: LiveRun, private readonly address: Address, private readonly theme: Theme) {
        this.page = this.open(run.model);
        run.onmodel = model => { this.page.dispose(); this.page = this.open(model); };
        run.onupdate = what => this.update(what);
        run.onend = why => { this.page.setRunning(false); tell(why); };
    }

    private open(model: Model): RunPage {
        const { run } = this;
        const live = { playOrPause: () => run.send({ do: run.paused ? "play" : "pause" }), step: () => run.send({ do: "step" }) };
        const page = new RunPage(this.app, { model, source: run.source, joints: model.joints.map((_, k) => k), live, footer: liveFooter(this.content) }, this.address, this.theme);
        page.side.prepend(liveControls(run, page.stage));
        return page;
    }

    private update({ frames, steps }: { frames: boolean; steps: boolean }): void {
        const { page, run } = this;
        page.setRunning(!run.paused);
        if (frames) page.player.grown();
        if (!steps) return;
        page.plots.updateLimits(run.model);
        page.setSteps(run.steps, run.steps.merged);
        if (performance.now() - this.jointsRead < jointEvery) return;
        this.jointsRead = performance.now();
        page.plots.updateJoint();
    }
}

export function showLive(app: HTMLElement, content: LiveDocument, address: Address, theme: Theme): void {
    new LivePage(app, content, new LiveRun(content), address, theme);
}
