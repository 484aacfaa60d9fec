// The report page of every scene, from its recording (UPTACK_RUNS, left there by the scenes' own tests): it loads from a
// file without a network, draws, goes to the end, and its error is plotted.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { colours, curvePixels, drawn as frameDrawn, finish, launch, open, picture, run, waitForFrame } from "./browser.mjs";

const runs = process.env.UPTACK_RUNS;
const recordings = readdirSync(runs).filter(name => name.endsWith(".h5")).map(name => basename(name, ".h5")).sort();
const unconstrained = ["dzhanibekov"];  // a body in free flight: there is nothing to solve, so there is no error
const folder = mkdtempSync(join(tmpdir(), "uptack-gallery-"));
let browser;

before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); rmSync(folder, { recursive: true }); });

test("every scene has left a recording", () => {
    assert.ok(recordings.length >= 30, `${recordings.length} recordings in ${runs}`);
});

for (const name of recordings) {
    test(`the page of ${name}`, async () => {
        const file = join(folder, `${name}.html`);
        run("report", join(runs, `${name}.h5`), "-o", file);
        const page = await open(browser, `${pathToFileURL(file)}#play=0`);
        assert.equal(await frameDrawn(page), 0);
        const canvas = page.locator(".stage canvas").first();
        assert.ok(await colours(page, await canvas.screenshot()) > 8, "the view is blank");

        await page.locator("body").press("End");
        const last = Number(await page.locator(".player-bar input.scrub").getAttribute("max"));
        assert.ok(last > 10, `${last} frames`);
        await waitForFrame(page, last);
        assert.ok(await colours(page, await picture(canvas, name)) > 8, "the last frame is blank");
        for (const plot of ["Relative error", "Energy error"]) {
            const drawn = await curvePixels(page, plot) > 20;
            assert.equal(drawn, !unconstrained.includes(name), `${plot}: is there a curve?`);
        }
        await finish(page);
        rmSync(file);
    });
}
