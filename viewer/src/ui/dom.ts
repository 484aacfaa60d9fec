// Making elements without a framework.

type Attributes = Record<string, string | number | boolean | EventListener | ((event: never) => void)>;
type Child = Node | string;

function fill(node: Element, attributes: Attributes, children: Child[]): void {
    for (const [key, value] of Object.entries(attributes)) {
        if (typeof value === "function") node.addEventListener(key.slice(2), value as EventListener);
        else if (value === true) node.setAttribute(key, "");
        else if (value !== false) node.setAttribute(key, String(value));
    }
    node.append(...children);
}

/// An element; attributes that are functions ("onclick") become listeners, `false` leaves one out.
export function html<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
    const node = document.createElement(tag);
    fill(node, attributes, children);
    return node;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    fill(node, attributes, children);
    return node;
}

/// Buttons of which one is pressed; `pressed` moves the mark without calling `choose`.
export class Choices {
    readonly element: HTMLElement;
    private readonly buttons: HTMLButtonElement[];

    constructor(name: string, labels: string[], chosen: number, choose: (index: number) => void) {
        this.buttons = labels.map((label, k) => html("button", { type: "button", onclick: () => { this.press(k); choose(k); } }, label));
        this.element = html("div", { class: "choices", role: "group", "aria-label": name }, ...this.buttons);
        this.press(chosen);
    }

    press(index: number): void {
        this.buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(k === index)));
    }
}
