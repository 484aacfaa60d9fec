// What `uptack compare` found, as comparison_json() writes it (apps/uptack/compare_report.cpp).

import type { ComparisonDocument } from "../data/types";

export interface Problem {
    name: string; file: string; form: string;
    bodies: number; rows: number; blocks: number; law_counts: Record<string, number>;
    reference_energy_J: number | null;
}

export interface Run {
    problem: number; solver: string; status: string; reason: string;
    iterations: number; seconds: number;
    energy_error_J: number | null; relative_error: number | null; natural_residual: number | null; fischer_burmeister: number | null;
    worst: string;
    seconds_to_level: (number | null)[];
    history: { iteration: number[]; seconds: number[]; relative_error: (number | null)[] };
}

export interface Comparison {
    title: string; command: string; version: string; date: string; machine: string; threads: number;
    seconds_limit: number; tolerance: number; accuracy_levels: number[];
    solvers: string[]; problems: Problem[]; runs: Run[];
}

export function readComparison(content: ComparisonDocument): Comparison {
    const comparison = content as unknown as Comparison;
    for (const list of ["problems", "solvers", "runs", "accuracy_levels"] as const) {
        if (!Array.isArray(comparison[list])) throw new Error(`the comparison has no "${list}"`);
    }
    return comparison;
}

export const runsOf = (comparison: Comparison, problem: number): Run[] => comparison.runs.filter(run => run.problem === problem);

/// The best value reached up to x; null before the curve begins.
export function valueAt(points: [number, number][], x: number): number | null {
    let low = 0, high = points.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (points[middle]![0] <= x) low = middle + 1; else high = middle;
    }
    return low === 0 ? null : points[low - 1]![1];
}
