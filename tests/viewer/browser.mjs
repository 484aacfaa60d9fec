// A headless Chromium for the tests of the pages, and what every page must keep: nothing on the console, nothing
// asked of the network, something to be seen.
//
// From the environment: UPTACK the program, UPTACK_NODE_MODULES where playwright-core is, UPTACK_PICTURES where the
// screenshots go.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

export const uptack = process.env.UPTACK;
const pictures = process.env.UPTACK_PICTURES;
const { chromium } = createRequire(`${process.env.UPTACK_NODE_MODULES}/`)("playwright-core");

const patience = 120_000;  // [ms]; software rendering beside other tests is slow

export function launch() {
    mkdirSync(pictures, { recursive: true });
    return chromium.launch({
        executablePath: process.env.UPTACK_CHROMIUM ?? "/usr/bin/chromium",
        args: ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", ...(process.getuid() === 0 ? ["--no-sandbox"] : [])],
    });
}

export function run(...words) {
    return execFileSync(uptack, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/// Opens an address and waits until it is drawn; `page.faults` collects what must not be, `allowed` says which addresses
/// may be asked for.
export async function open(browser, address, { allowed = url => url.startsWith("file:"), size = { width: 1280, height: 900 } } = {}) {
    const page = await browser.newPage({ viewport: size });
    page.setDefaultTimeout(patience);
    page.faults = [];
    page.on("console", message => { if (["error", "warning"].includes(message.type())) page.faults.push(`${message.type()}: ${message.text()}`); });
    page.on("pageerror", error => page.faults.push(`uncaught: ${error.message}`));
    page.on("request", request => {
        const url = request.url();
        if (!/^(data|blob):/.test(url) && !allowed(url)) page.faults.push(`asks for ${url}`);
    });
    await page.goto(address);
    await page.waitForSelector('html[data-ready="1"]', { state: "attached" });
    return page;
}

/// Keeps a picture of the page, or of a part of it, as an artifact.
export function picture(target, name) {
    return target.screenshot({ path: join(pictures, `${name}.png`) });
}

/// How many clearly different colours a PNG has: a blank canvas has one.
export function colours(page, png) {
    return page.evaluate(async base64 => {
        const image = new Image();
        image.src = `data:image/png;base64,${base64}`;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, image.width, image.height);
        const seen = new Set();
        for (let i = 0; i < data.length; i += 4) seen.add((data[i] >> 4 << 8) | (data[i + 1] >> 4 << 4) | data[i + 2] >> 4);
        return seen.size;
    }, png.toString("base64"));
}

/// Pixels of a plot's canvas in the blue of its first curve; axes and letters are grey, limits orange.
export function curvePixels(page, title) {
    return page.evaluate(words => {
        const area = [...document.querySelectorAll(".plot-area")].find(one => one.getAttribute("aria-label").startsWith(words));
        if (!area) return -1;
        const canvas = area.querySelector("canvas");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) {
            if (data[i + 3] > 128 && data[i + 2] - data[i] > 60) ++count;
        }
        return count;
    }, title);
}

export async function finish(page) {
    assert.deepEqual(page.faults, []);
    await page.close();
}

/// The index of the frame that is drawn.
export async function drawn(page) {
    return Number(await page.getAttribute("html", "data-drawn"));
}

export async function waitForFrame(page, index) {
    await page.waitForFunction(wanted => Number(document.documentElement.dataset.drawn) === wanted, index);
}
