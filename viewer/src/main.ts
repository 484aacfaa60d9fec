// The page's beginning: reads the document that the page was given and shows it.

import type { ComparisonDocument, LiveDocument, PageDocument, RunDocument } from "./data/types";
import { openReplay } from "./data/replay";
import { showComparison } from "./compare/page";
import { readAddress, type Address } from "./ui/address";
import { showLive } from "./ui/live_page";
import { sentence, tell } from "./ui/problem";
import { runFooter } from "./ui/run_facts";
import { RunPage } from "./ui/run_page";
import { Theme } from "./ui/theme";

const root = document.documentElement;

function readDocument(): PageDocument {
    const text = document.getElementById("document")?.textContent;
    if (!text) throw new Error("it was written without a run or a comparison");
    return JSON.parse(text) as PageDocument;
}

/// The first frame and the plots are on the screen.
async function whenDrawn(): Promise<void> {
    while (root.dataset.drawn === undefined) await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    root.dataset.ready = "1";
}

async function showRun(app: HTMLElement, run: RunDocument, address: Address, theme: Theme): Promise<void> {
    if (!("DecompressionStream" in window)) {
        throw new Error("this browser cannot unpack the data (DecompressionStream is missing); any browser since 2023 can");
    }
    const { source, steps } = openReplay(run);
    const page = new RunPage(app, { model: run.model, source, joints: run.joints, live: null, footer: runFooter(run) }, address, theme);
    page.stage?.largest("speed", run.frames.speed_m_s);
    page.stage?.largest("load", run.frames.load_N.upper);
    page.stage?.largest("error", run.frames.error_J.upper);
    page.setSteps(await steps, run.steps.merged);
    await whenDrawn();
}

async function start(): Promise<void> {
    const app = document.getElementById("app")!;
    const address = readAddress(location.hash);
    const theme = new Theme(address.theme);
    const content = readDocument();
    if (content.kind === "run") await showRun(app, content as RunDocument, address, theme);
    else if (content.kind === "comparison") showComparison(app, content as ComparisonDocument, address, theme);
    else if (content.kind === "live") {
        showLive(app, content as LiveDocument, address, theme);
        await whenDrawn();
    } else throw new Error(`this page does not know the kind "${String((content as { kind: unknown }).kind)}"`);
}

addEventListener("unhandledrejection", event => tell(sentence("A part of this page's data cannot be read", event.reason)));
// After the browser has had its say: building the 3D view takes a moment.
setTimeout(() => void start().catch(error => tell(sentence("This page cannot be shown", error))));
