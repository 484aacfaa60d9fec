// What a reader does with the report page of the wall, and the page of a comparison.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { colours, curvePixels, drawn, finish, launch, open, picture, run, waitForFrame } from "./browser.mjs";

const folder = mkdtempSync(join(tmpdir(), "uptack-page-"));
const file = name => join(folder, name);
const address = (name, hash = "") => `${pathToFileURL(file(name))}${hash}`;
let browser;

before(async () => {
    browser = await launch();
    run("run", "dominoes", "--duration", "1", "-o", file("dominoes.h5"));
    run("report", file("dominoes.h5"), "-o", file("dominoes.html"));
    run("run", "four_bar", "--duration", "1", "-o", file("four_bar.h5"));
    run("report", file("four_bar.h5"), "-o", file("four_bar.html"));
});
after(async () => { await browser?.close(); rmSync(folder, { recursive: true }); });

test("keys play, step and scrub", async () => {
    const page = await open(browser, address("dominoes.html", "#play=0&t=0"));
    const body = page.locator("body");
    await body.press("ArrowRight");
    await waitForFrame(page, 1);
    await body.press("ArrowLeft");
    await waitForFrame(page, 0);
    await body.press(" ");
    await page.waitForFunction(() => Number(document.documentElement.dataset.drawn) > 2);
    await body.press(" ");
    await body.press("Home");
    await waitForFrame(page, 0);
    await finish(page);
});

test("the page plays by itself, a scrubbed slider shows its frame", async () => {
    const page = await open(browser, address("dominoes.html", "#play=1"));
    await page.waitForFunction(() => Number(document.documentElement.dataset.drawn) > 5);
    await page.locator(".player-bar input.scrub").fill("30");
    await waitForFrame(page, 30);
    assert.equal(await drawn(page), 30);
    await finish(page);
});

test("a click on a plot moves the view to that time", async () => {
    const page = await open(browser, address("dominoes.html", "#play=0&t=0"));
    const plot = page.locator(".plot-area").first();
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    await page.mouse.click(box.x + 0.7 * box.width, box.y + 0.5 * box.height);
    await page.waitForFunction(() => Number(document.documentElement.dataset.drawn) > 20);
    await finish(page);
});

test("colours, contacts, arrows and chains change the picture", async () => {
    const picture_of = async hash => {
        const page = await open(browser, address("dominoes.html", `#play=0&t=0.8&show=scene&${hash}`));
        const png = await page.screenshot();
        await finish(page);
        return png;
    };
    const plain = await picture_of("");
    assert.deepEqual(await picture_of(""), plain, "the same page twice");
    for (const hash of ["colour=speed", "colour=error", "colour=load", "contacts=1", "arrows=1", "chains=1", "theme=dark"]) {
        assert.notDeepEqual(await picture_of(hash), plain, hash);
    }
});

test("a clicked body tells what it is", async () => {
    const page = await open(browser, address("dominoes.html", "#play=0&t=0"));
    const box = await page.locator(".stage canvas").first().boundingBox();
    const card = page.locator(".info-card");
    for (const [x, y] of [[0.5, 0.5], [0.45, 0.5], [0.5, 0.55], [0.55, 0.55], [0.4, 0.6], [0.6, 0.45]]) {
        await page.mouse.click(box.x + x * box.width, box.y + y * box.height);
        if (await card.isVisible()) break;
    }
    assert.match(await card.innerText(), /kg/);
    await picture(page, "page-info");
    await finish(page);
});

test("a joint's reaction is plotted and the worst constraint named", async () => {
    const page = await open(browser, address("four_bar.html", "#play=0&t=0.5"));
    assert.ok(await curvePixels(page, "Joint force") > 20, "no curve");
    assert.match(await page.locator(".worst-now").innerText(), /worst now: /);
    await finish(page);
});

for (const [name, size] of [["phone", { width: 360, height: 740 }], ["tablet", { width: 820, height: 1100 }]]) {
    test(`it fits a ${name}`, async () => {
        const page = await open(browser, address("dominoes.html", "#play=0&t=0.5"), { size });
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than the screen");
        await picture(page, `page-${name}`);
        await finish(page);
    });
}

test("light and dark, remembered by the address", async () => {
    for (const theme of ["light", "dark"]) {
        const page = await open(browser, address("dominoes.html", `#play=0&t=0.5&theme=${theme}`));
        assert.equal(await page.getAttribute("html", "data-theme"), theme);
        await picture(page, `page-${theme}`);
        await finish(page);
    }
});

test("a page whose data is damaged says so", async () => {
    const { readFileSync, writeFileSync } = await import("node:fs");
    const text = readFileSync(file("dominoes.html"), "utf8");
    writeFileSync(file("damaged.html"), text.replace(/(id="blob-frames-0">)[^<]{40}/, "$1"));
    const page = await browser.newPage();
    await page.goto(address("damaged.html", "#play=0"));
    await page.waitForSelector('[role="alert"]');
    assert.ok((await page.locator('[role="alert"]').first().innerText()).length > 20);
    await page.close();
});

test("the comparison page draws its curves and lists its solvers", async () => {
    run("generate", "b3", "-o", file("b3.h5"));
    run("compare", file("b3.h5"), "--seconds", "0.2", "--solvers", "psor,newton", "-o", file("compare.html"));
    const page = await open(browser, address("compare.html"));
    assert.match(await page.locator("table").first().innerText(), /psor[\s\S]*newton/);
    assert.ok(await colours(page, await picture(page, "compare")) > 8);
    await finish(page);
});
