// From a comparison to the curves of its plots: error against time or iterations, performance profiles.

import { logSplits, countTick } from "../plots/axes";
import { exponentOf, formatError, formatNumber, powerOfTen } from "../ui/format";
import { runsOf, type Comparison, type Run } from "./data";
import type { CurveSpec, Scale, SolverCurve } from "./curve_plot";

export interface AxisWords { name: string; title: string; tick(value: number): string; describe(x: number): string }

type Along = (history: Run["history"], point: number) => number;

export const alongTime: Along = (history, point) => history.seconds[point]! * 1e3;
/// The start, iteration 0, has no place on a logarithmic axis; where nothing else is at 1 it is drawn there.
export const alongIterations: Along = (history, point) => history.iteration[point] === 0 && history.iteration[1]! > 1 ? 1 : history.iteration[point]!;

export const timeWords: AxisWords = { name: "Relative error against time", title: "time [ms]",
    tick: value => value >= 1e-3 && value < 1e5 ? formatNumber(value) : powerOfTen(exponentOf(value)), describe: x => `after ${formatNumber(x)} ms` };
export const iterationWords: AxisWords = { name: "Relative error against iterations", title: "iterations",
    tick: countTick, describe: x => `after ${formatNumber(Math.floor(x))} iterations` };

const least = (values: number[], start: number): number => values.reduce((a, b) => Math.min(a, b), start);
const most = (values: number[], start: number): number => values.reduce((a, b) => Math.max(a, b), start);

/// Decades; between them 2 and 5 where there would be too few.
function logScaleTicks(low: number, high: number, label: (value: number) => string): Scale["ticks"] {
    const decades = logSplits(low, high, 9);
    if (decades.length >= 2) return decades.map(value => ({ value, label: label(value) }));
    const ticks: Scale["ticks"] = [];
    for (let n = Math.floor(Math.log10(low)); n <= Math.log10(high); ++n) {
        for (const m of [1, 2, 5]) if (m * 10 ** n >= low && m * 10 ** n <= high) ticks.push({ value: m * 10 ** n, label: label(m * 10 ** n) });
    }
    return ticks;
}

/// Nothing but rising x: of points at the same x the last, which is the best.
function rising(points: [number, number][]): [number, number][] {
    return points.filter((point, k) => k === points.length - 1 || points[k + 1]![0] > point[0]);
}

export function errorCurves(comparison: Comparison, problem: number, along: Along): SolverCurve[] {
    return runsOf(comparison, problem).map(run => ({
        solver: comparison.solvers.indexOf(run.solver),
        points: rising(run.history.relative_error.map((error, k) => [along(run.history, k), error ?? 0] as [number, number]).filter(([x, y]) => x > 0 && y > 0)),
    })).filter(curve => curve.points.length > 0);
}

/// Axes fit all curves, `curves` are the shown ones.
export function errorSpec(comparison: Comparison, problem: number, all: SolverCurve[], curves: SolverCurve[], words: AxisWords): CurveSpec {
    const xs = all.flatMap(curve => curve.points.map(point => point[0]));
    const ys = all.flatMap(curve => curve.points.map(point => point[1]));
    const { tolerance } = comparison;
    let low = least(xs, Infinity), high = most(xs, 0);
    if (high / low < 4) { low /= 2; high *= 2; }
    const bottom = Math.max(-16, Math.floor(Math.log10(least(ys, tolerance > 0 ? tolerance : 1)) - .15));
    const top = Math.ceil(Math.log10(most(ys, 1)) - .01);
    const y = { low: 10 ** bottom, high: 10 ** top, log: true, ticks: logSplits(10 ** bottom, 10 ** top, 8).map(value => ({ value, label: powerOfTen(exponentOf(value)) })) };
    return { x: { low, high, log: true, title: words.title, ticks: logScaleTicks(low, high, words.tick) }, y, curves, limit: tolerance > y.low ? tolerance : null, steps: false,
        label: `${words.name}, ${comparison.problems[problem]!.name}`, name: solver => comparison.solvers[solver]!, format: formatError, describe: words.describe };
}

/// How many problems each solver solved within a factor of the fastest (Dolan and More), and how many no solver did.
export function profile(comparison: Comparison, level: number): { curves: SolverCurve[]; high: number; unsolved: number } {
    const { problems, solvers } = comparison;
    const times = problems.map((_, p) => solvers.map(solver => comparison.runs.find(run => run.problem === p && run.solver === solver)?.seconds_to_level[level] ?? null));
    const best = times.map(row => Math.max(1e-9, least(row.filter(time => time !== null), Infinity)));
    const ratios = solvers.map((_, s) => times.map((row, p) => row[s] === null ? Infinity : Math.max(1, row[s]! / best[p]!)).filter(Number.isFinite).sort((a, b) => a - b));
    const high = 2 ** Math.ceil(Math.log2(most(ratios.flat(), 2) * 1.02));
    const curves = ratios.map((row, solver) => ({ solver, points: rising([[1, 0], ...row.map((ratio, k) => [ratio, (k + 1) / problems.length] as [number, number]),
        [high, row.length / problems.length]]) }));
    return { curves, high, unsolved: times.filter(row => row.every(time => time === null)).length };
}

export function profileSpec(comparison: Comparison, level: number, curves: SolverCurve[], high: number): CurveSpec {
    const stride = Math.ceil(Math.log2(high) / 10), ticks: Scale["ticks"] = [];
    for (let n = 0; n <= Math.log2(high) + 1e-9; n += stride) ticks.push({ value: 2 ** n, label: "\u00d7" + formatNumber(2 ** n) });
    return { x: { low: 1, high, log: true, title: "time, as a factor of the fastest solver's", ticks },
        y: { low: 0, high: 1, log: false, ticks: [0, .25, .5, .75, 1].map(value => ({ value, label: `${value * 100}%` })) },
        curves, limit: null, steps: true, label: `Performance profiles at relative error ${comparison.accuracy_levels[level]}`,
        name: solver => comparison.solvers[solver]!, format: value => `${Math.round(value * 100)}%`, describe: x => `within \u00d7${formatNumber(x)} of the fastest` };
}
