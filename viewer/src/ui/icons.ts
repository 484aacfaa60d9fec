// The few pictures on the buttons, as strokes on a 24 x 24 grid.

import { svg } from "./dom";

const paths = {
    play: "M7 4.5v15l12-7.5z",
    pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z",
    back: "M15 5l-7 7 7 7",
    forward: "M9 5l7 7-7 7",
    first: "M18 5l-7 7 7 7M6.5 5v14",
    last: "M6 5l7 7-7 7M17.5 5v14",
    loop: "M4 11a7 7 0 0 1 7-6h6m0 0l-3-3m3 3l-3 3M20 13a7 7 0 0 1-7 6H7m0 0l3 3m-3-3l3-3",
    home: "M4 11.5L12 5l8 6.5M6.5 10v9h11v-9",
    full: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
    follow: "M12 3v4M12 17v4M3 12h4M17 12h4M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8z",
    close: "M6 6l12 12M18 6L6 18",
    moon: "M20 14.5A8.2 8.2 0 0 1 9.5 4 8.2 8.2 0 1 0 20 14.5z",
    sun: "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2v2.5M12 19.5V22M2 12h2.5M19.5 12H22M5 5l1.8 1.8M17.2 17.2L19 19M19 5l-1.8 1.8M6.8 17.2L5 19",
    help: "M9.2 9.2a2.9 2.9 0 1 1 4 2.7c-.9.4-1.2 1-1.2 2M12 17.2v.3",
    live: "M12 10a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM7.5 7.5a6.4 6.4 0 0 0 0 9M16.5 7.5a6.4 6.4 0 0 1 0 9",
} as const;

export type IconName = keyof typeof paths;

const filled: readonly IconName[] = ["play", "pause"];

export function icon(name: IconName): SVGElement {
    const shape = svg("path", { d: paths[name] });
    return svg("svg", { class: filled.includes(name) ? "icon solid" : "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, shape);
}
