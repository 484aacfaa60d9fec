// Bundles the page: one HTML file with style and script inside, and two marks that Uptack fills.
//
//     node build.mjs [OUTPUT]        default dist/page.html
//
// Packages come from node_modules beside this file, or from the folder that UPTACK_NODE_MODULES names.
// Uptack replaces UPTACK_TITLE by the page's title and UPTACK_DATA by the data (src/report/page.cpp).

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const packages = resolve(process.env.UPTACK_NODE_MODULES ?? `${here}/node_modules`);
const { build } = createRequire(`${packages}/`)("esbuild");
const output = resolve(process.argv[2] ?? `${here}/dist/page.html`);

async function bundle(entry, loader) {
    const result = await build({
        entryPoints: [`${here}/src/${entry}`],
        bundle: true,
        minify: true,
        write: false,
        format: loader === "js" ? "iife" : undefined,
        target: ["es2022"],
        legalComments: "inline",
        logLevel: "warning",
        nodePaths: [packages],
    });
    return result.outputFiles[0].text;
}

const [script, style, template] = await Promise.all([
    bundle("main.ts", "js"),
    bundle("style.css", "css"),
    readFile(`${here}/src/page.html`, "utf8"),
]);
const page = template
    .replace("UPTACK_STYLE", () => style.trim())
    .replace("UPTACK_SCRIPT", () => script.trim().replaceAll("</script", "<\\/script"));
await mkdir(dirname(output), { recursive: true });
await writeFile(output, page);
