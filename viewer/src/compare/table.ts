// The table of one problem's runs; the best value of each column is bold.

import { html } from "../ui/dom";
import { exponentOf, formatError, formatNumber, powerOfTen } from "../ui/format";
import { runsOf, type Comparison, type Run } from "./data";
import { swatch } from "./marks";

interface Column { head: string[]; level?: boolean; value(run: Run): number | null; format(value: number | null): string; competes(run: Run): boolean }

const statusClass: Record<string, string> = { converged: "good", stalled: "warn", not_finite: "bad", not_confirmed: "bad" };

function columnsOf(comparison: Comparison): Column[] {
    const converged = (run: Run) => run.status === "converged", always = () => true;
    return [
        { head: ["iterations"], value: run => run.iterations, format: formatNumber, competes: converged },
        { head: ["time", "[ms]"], value: run => run.seconds * 1e3, format: formatNumber, competes: converged },
        { head: ["energy error", "[J]"], value: run => run.energy_error_J, format: formatError, competes: always },
        { head: ["relative", "error"], value: run => run.relative_error, format: formatError, competes: always },
        { head: ["natural", "residual"], value: run => run.natural_residual, format: formatError, competes: always },
        { head: ["Fischer-", "Burmeister"], value: run => run.fischer_burmeister, format: formatError, competes: always },
        ...comparison.accuracy_levels.map((level, k): Column => ({ head: [powerOfTen(exponentOf(level))], level: true, competes: always, format: formatNumber,
            value: run => run.seconds_to_level[k] == null ? null : run.seconds_to_level[k]! * 1e3 })),
    ];
}

function tableHead(columns: Column[]): HTMLElement {
    const plain = columns.filter(column => !column.level).length;
    const lines = (words: string[]) => words.flatMap((word, k) => k === 0 ? [word] : [html("br"), word]);
    return html("thead", {},
        html("tr", { class: "groups" }, html("th"), html("th", { colspan: 1 + plain }),
            html("th", { colspan: columns.length - plain }, html("span", {}, "time [ms] to relative error")), html("th")),
        html("tr", {}, html("th", { scope: "col" }, "solver"), html("th", { class: "text", scope: "col" }, "status"),
            ...columns.map(column => html("th", { scope: "col" }, ...lines(column.head))), html("th", { class: "text", scope: "col" }, "worst constraint")));
}

/// Long names with options may break after a colon.
const softBreaks = (name: string): (Node | string)[] => name.split(/(?<=:)/).flatMap((part, k) => k === 0 ? [part] : [html("wbr"), part]);

function tableRow(comparison: Comparison, run: Run, columns: Column[], best: number[]): HTMLElement {
    const mark = html("span", { class: "swatch" }, swatch(comparison.solvers.indexOf(run.solver)));
    const status = html("span", { class: `status ${statusClass[run.status] ?? ""}`, title: run.reason }, run.status.replaceAll("_", " "));
    const row = html("tr", {}, html("th", { scope: "row" }, html("div", {}, mark, html("span", {}, ...softBreaks(run.solver)))), html("td", { class: "text" }, status));
    if (run.status === "unsuitable") {
        row.append(html("td", { class: "text", colspan: columns.length + 1 }, run.reason));
        return row;
    }
    columns.forEach((column, k) => {
        const value = column.value(run), text = column.format(value);
        const wins = value !== null && column.competes(run) && value === best[k];
        row.append(html("td", {}, wins ? html("b", {}, text) : text));
    });
    row.append(html("td", { class: "text worst" }, html("span", { title: run.worst }, run.worst)));
    return row;
}

export function resultTable(comparison: Comparison, problem: number): HTMLElement[] {
    const columns = columnsOf(comparison), runs = runsOf(comparison, problem);
    const best = columns.map(column => runs.filter(run => run.status !== "unsuitable" && column.competes(run)).map(column.value)
        .filter(value => value !== null).reduce((a, b) => Math.min(a, b), Infinity));
    return [tableHead(columns), html("tbody", {}, ...runs.map(run => tableRow(comparison, run, columns, best)))];
}
