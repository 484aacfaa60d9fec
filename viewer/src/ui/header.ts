// The top of every page.

import { html } from "./dom";

export function pageHeader(title: string, lead: (Node | string)[], facts: HTMLElement, buttons: HTMLElement[]): HTMLElement {
    return html("header", {},
        html("div", { class: "bar" }, html("div", { class: "brand" }, html("span", { "aria-hidden": "true" }, "\u22a5"), "Uptack"),
            html("div", { class: "bar-buttons" }, ...buttons)),
        html("h1", {}, title), ...(lead.length > 0 ? [html("p", { class: "lead" }, ...lead)] : []), facts);
}
