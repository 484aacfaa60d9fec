// The page of `uptack compare`: how the solvers' errors fall, what they ended with, and who is fast on how many problems.

import type { ComparisonDocument } from "../data/types";
import type { Address } from "../ui/address";
import { Choices, html } from "../ui/dom";
import { exponentOf, formatLevel, formatNumber, powerOfTen } from "../ui/format";
import { pageHeader } from "../ui/header";
import type { Theme } from "../ui/theme";
import { CurvePlot, type CurveSpec, type SolverCurve } from "./curve_plot";
import { alongIterations, alongTime, errorCurves, errorSpec, iterationWords, profile, profileSpec, timeWords } from "./curves";
import { readComparison, type Comparison } from "./data";
import { swatch } from "./marks";
import { resultTable } from "./table";

class PlotCard {
    readonly holder = html("div", { class: "plot" });
    plot: CurvePlot | null = null;

    draw(spec: CurveSpec | null, lit: number | null): void {
        this.plot?.destroy();
        this.plot = spec ? new CurvePlot(this.holder, spec, lit) : null;
        if (!spec) this.holder.replaceChildren(html("p", { class: "note" }, "No solver took this problem."));
    }
}

class ComparisonPage {
    private problem: number;
    private level: number;
    private readonly hidden = new Set<number>();
    private lit: number | null = null;
    private readonly time = new PlotCard();
    private readonly iterations = new PlotCard();
    private readonly profiles = new PlotCard();
    private readonly note = html("p", { class: "note" });
    private readonly unsolved = html("span", {});
    private readonly table = html("table", {});
    private readonly legends: HTMLElement[] = [];

    constructor(app: HTMLElement, private readonly data: Comparison, address: Address, theme: Theme) {
        this.problem = Math.min(address.problem, data.problems.length - 1);
        this.level = Math.min(2, data.accuracy_levels.length - 1);
        document.documentElement.dataset.show = address.show === "plots" ? "plots" : "page";
        app.replaceChildren(html("div", { class: "wrap comparison" }, this.header(theme),
            html("main", {}, this.convergence(), this.results(), ...(data.problems.length > 1 ? [this.profileSection()] : [])), this.footer()));
        this.drawProblem();
        this.drawProfile();
        theme.onchange(() => { for (const card of this.cards) card.plot?.recolour(); });
        new ResizeObserver(() => { for (const card of this.cards) card.plot?.fit(); }).observe(app);
    }

    private get cards(): PlotCard[] { return [this.time, this.iterations, this.profiles]; }

    private header(theme: Theme): HTMLElement {
        const { data } = this;
        const count = (n: number, word: string) => [html("b", {}, formatNumber(n)), ` ${word}${n === 1 ? "" : "s"}`];
        const facts = [count(data.problems.length, "problem"), count(data.solvers.length, "solver"),
            [html("b", {}, `${formatNumber(data.seconds_limit)} s`), " for each run"], ["tolerance ", html("b", {}, formatLevel(data.tolerance))]];
        const i = (letter: string) => html("i", {}, letter);
        const lead = ["Every solver had the same problems and the same time. The error is the energy error certificate \u221a(", i("e"), "\u2009/\u2009", i("e"), html("sub", {}, "0"),
            "): how many joules ", i("e"), " the impulses are away from obeying the constraints' laws, against the joules ", i("e"), html("sub", {}, "0"),
            " of doing nothing, recomputed from the problem alone so that no solver grades itself."];
        return pageHeader(data.title, lead, html("ul", { class: "facts" }, ...facts.map(fact => html("li", {}, ...fact))), [theme.button]);
    }

    private convergence(): HTMLElement {
        return html("section", { "aria-labelledby": "convergence-title" }, html("h2", { id: "convergence-title" }, "Convergence"), this.note, ...this.picker(), this.legend(),
            html("div", { class: "plots" },
                html("div", { class: "card" }, html("h3", {}, timeWords.name), this.time.holder),
                html("div", { class: "card" }, html("h3", {}, iterationWords.name), this.iterations.holder)));
    }

    private results(): HTMLElement {
        return html("section", { class: "results", "aria-labelledby": "table-title" }, html("h2", { id: "table-title" }, "Results"),
            html("p", { class: "note" }, "Errors here are the certificate's, of the impulses each solver returned; the curves above are the solvers' own running estimate of the same error. "
                + "A time to an accuracy is given only where the certificate confirms that accuracy. A run done early was repeated and the fastest counts. "
                + "Bold is best; iterations and time compete among converged runs only."),
            html("div", { class: "card scroll", tabindex: 0, role: "region", "aria-labelledby": "table-title" }, this.table));
    }

    private profileSection(): HTMLElement {
        const levels = new Choices("Accuracy", this.data.accuracy_levels.map(level => powerOfTen(exponentOf(level))), this.level, k => { this.level = k; this.drawProfile(); });
        return html("section", { "aria-labelledby": "profiles-title" }, html("h2", { id: "profiles-title" }, "Performance profiles"),
            html("p", { class: "note" }, "For each solver: the fraction of all problems it solved to the chosen accuracy within a given factor of the fastest solver's time on the same problem "
                + "(Dolan and Mor\u00e9); left is speed, right is reliability. ", this.unsolved),
            levels.element, this.legend(), html("div", { class: "card" }, this.profiles.holder));
    }

    private footer(): HTMLElement {
        const { data } = this;
        return html("footer", {}, html("p", {}, `Uptack ${data.version} \u00b7 ${data.date} \u00b7 ${data.machine} \u00b7 ${data.threads} thread${data.threads === 1 ? "" : "s"}`),
            html("p", {}, html("code", {}, data.command)));
    }

    private picker(): HTMLElement[] {
        const names = this.data.problems.map(problem => problem.name);
        if (names.length < 2) return [];
        const choose = (k: number) => { this.problem = k; this.drawProblem(); };
        if (names.length <= 10) return [new Choices("Problem", names, this.problem, choose).element];
        const select = html("select", { class: "picker", "aria-label": "Problem", onchange: () => choose(Number(select.value)) },
            ...names.map((name, k) => html("option", { value: k, selected: k === this.problem }, name)));
        return [select];
    }

    private legend(): HTMLElement {
        const legend = html("div", { class: "legend", role: "group", "aria-label": "Show or hide solvers" },
            ...this.data.solvers.map((name, solver) => html("button", { type: "button", "aria-pressed": "true", onclick: () => this.toggle(solver),
                onpointerenter: () => this.light(solver), onpointerleave: () => this.light(null) }, swatch(solver), name)));
        this.legends.push(legend);
        return legend;
    }

    private toggle(solver: number): void {
        if (!this.hidden.delete(solver)) this.hidden.add(solver);
        for (const legend of this.legends) legend.children[solver]!.setAttribute("aria-pressed", String(!this.hidden.has(solver)));
        this.lit = null;
        this.drawCurves();
        this.drawProfile();
    }

    private light(solver: number | null): void {
        this.lit = solver !== null && this.hidden.has(solver) ? null : solver;
        for (const card of this.cards) card.plot?.light(this.lit);
    }

    private shown(curves: SolverCurve[]): SolverCurve[] {
        return curves.filter(curve => !this.hidden.has(curve.solver));
    }

    private drawProblem(): void {
        const problem = this.data.problems[this.problem]!;
        const laws = Object.entries(problem.law_counts).map(([law, count]) => `${formatNumber(count)} ${law}`).join(", ");
        const bodies = problem.form === "assembled" ? "assembled matrix" : `${formatNumber(problem.bodies)} bodies`;
        const energy = problem.reference_energy_J === null ? "\u2013" : Number(problem.reference_energy_J.toPrecision(3));
        this.note.textContent = `${problem.name}: ${bodies}, ${formatNumber(problem.rows)} rows in ${formatNumber(problem.blocks)} blocks (${laws}); `
            + `e\u2080 = ${energy} J. Best error so far; lower and further left is better.`;
        this.drawCurves();
        this.table.replaceChildren(...resultTable(this.data, this.problem));
    }

    private drawCurves(): void {
        for (const [card, along, words] of [[this.time, alongTime, timeWords], [this.iterations, alongIterations, iterationWords]] as const) {
            const curves = errorCurves(this.data, this.problem, along);
            card.draw(curves.length > 0 ? errorSpec(this.data, this.problem, curves, this.shown(curves), words) : null, this.lit);
        }
    }

    private drawProfile(): void {
        const count = this.data.problems.length;
        if (count < 2) return;
        const { curves, high, unsolved } = profile(this.data, this.level);
        const one = unsolved === 1;
        this.unsolved.textContent = unsolved === 0 ? "" : `${unsolved} of ${count} ${one ? "was" : "were"} solved by none and ${one ? "counts" : "count"} against all.`;
        this.profiles.draw(profileSpec(this.data, this.level, this.shown(curves), high), this.lit);
    }
}

export function showComparison(app: HTMLElement, content: ComparisonDocument, address: Address, theme: Theme): void {
    const data = readComparison(content);
    if (data.problems.length === 0) throw new Error("the comparison has no problems");
    new ComparisonPage(app, data, address, theme);
    document.documentElement.dataset.ready = "1";
}
