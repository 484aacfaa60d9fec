// The live view in a browser: it runs, pauses, steps, resets, takes parameters, and a body follows the mouse.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { createInterface } from "node:readline";
import { drawn, finish, launch, open, picture, uptack } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

/// The program, and the address it prints.
async function view(...words) {
    const program = spawn(uptack, ["view", ...words], { stdio: ["ignore", "pipe", "pipe"] });
    for await (const line of createInterface(program.stdout)) {
        const found = line.match(/http:\/\/127\.0\.0\.1:\d+\/\S+/);
        if (found) return { program, address: found[0] };
    }
    throw new Error("no address was printed");
}

const openLive = (address, hash = "") => open(browser, `${address}${hash}`, { allowed: url => url.startsWith(address) });
const seconds = async page => parseFloat(await page.locator(".player-bar output.time").innerText());

/// What the panel of the energies says at the newest frame [J].
async function kinetic(page) {
    const panel = page.locator(".panel", { has: page.getByRole("heading", { name: /^Energy J/ }) });
    return Number((await panel.locator(".plot-key b").first().innerText()).replace("\u2212", "-"));
}

test("it runs, pauses, steps, resets; closing the page ends the program", async () => {
    const { program, address } = await view("pendulum");
    const ended = once(program, "exit");
    const page = await openLive(address);
    await page.waitForFunction(() => Number(document.documentElement.dataset.drawn) > 5);
    await page.locator(".live-play").click();
    await page.waitForSelector(".live-play[data-paused=true]");
    const before = await seconds(page);
    await page.getByRole("button", { name: "Step", exact: true }).click();
    await page.getByRole("button", { name: "Reset", exact: true }).click();
    await page.waitForFunction(() => parseFloat(document.querySelector(".player-bar output.time").textContent) === 0);
    assert.ok(before > 0);
    await picture(page, "live");
    await finish(page);
    assert.deepEqual(await ended, [0, null]);
});

test("a parameter starts the scene again with another value", async () => {
    const { program, address } = await view("pendulum");
    const ended = once(program, "exit");
    const page = await openLive(address);
    const slider = page.getByLabel("length", { exact: true });
    const first = await slider.getAttribute("aria-valuetext");
    await slider.focus();
    await slider.press("PageUp");
    await page.waitForFunction(old => document.querySelector('input[aria-label="length"]')?.getAttribute("aria-valuetext") !== old, first);
    await finish(page);
    assert.deepEqual(await ended, [0, null]);
});

test("a body follows the mouse", async () => {
    const { program, address } = await view("pendulum", "--set", "start=0");
    const ended = once(program, "exit");
    const page = await openLive(address);
    const box = await page.locator(".stage canvas").first().boundingBox();
    const canvas = page.locator(".stage canvas").first();
    await page.waitForFunction(() => Number(document.documentElement.dataset.drawn) > 2);
    assert.ok(await kinetic(page) < 1e-9, "it hangs still");
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.6 * box.height);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.75 * box.width, box.y + 0.55 * box.height, { steps: 10 });
    const frame = await drawn(page);
    await page.waitForFunction(from => Number(document.documentElement.dataset.drawn) > from + 30, frame);
    await picture(canvas, "live-drag");
    await page.mouse.up();
    let most = 0;
    const end = Date.now() + 30_000;
    while (Date.now() < end && !(most > 0.1)) most = Math.max(most, await kinetic(page));
    assert.ok(most > 0.1, `let go, it swings: ${most} J`);
    await finish(page);
    assert.deepEqual(await ended, [0, null]);
});
