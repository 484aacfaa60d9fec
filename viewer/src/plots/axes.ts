// Ranges and ticks of the axes.

import { formatNumber, powerOfTen } from "../ui/format";

/// Whole decades around the data and the limits, at least one, and a little air where they would touch the top.
/// What is below `least` is left out.
export function logRange(low: number | null, high: number | null, limits: number[] = [], least = 0): [number, number] {
    const values = [low, high, ...limits].filter((value): value is number => value !== null && value > 0 && Number.isFinite(value));
    if (values.length === 0) return [1e-3, 1];
    const largest = Math.max(...values);
    const top = Math.ceil(Math.log10(largest) - 1e-9);
    const bottom = Math.min(top - 1, Math.floor(Math.log10(Math.max(Math.min(...values), least)) + 1e-9));
    return [10 ** bottom, 10 ** top * (largest > .6 * 10 ** top ? 10 ** ((top - bottom) * (limits.length > 0 ? .16 : .08)) : 1)];
}

/// A tick at each decade, or at each second, third ... so that there are at most `most`.
export function logSplits(low: number, high: number, most = 6): number[] {
    const first = Math.ceil(Math.log10(low) - 1e-6), last = Math.floor(Math.log10(high) + 1e-6);
    const stride = Math.max(1, Math.ceil((last - first) / most));
    const splits: number[] = [];
    for (let n = Math.ceil(first / stride) * stride; n <= last; n += stride) splits.push(10 ** n);
    return splits;
}

export const logTicks = (splits: number[]): string[] => splits.map(value => value > 0 ? powerOfTen(Math.round(Math.log10(value))) : "");

/// Seconds, with the digits that tell neighbouring ticks apart.
export function timeTicks(splits: number[]): string[] {
    const step = splits.length > 1 ? splits[1]! - splits[0]! : 1;
    let digits = 0;
    while (digits < 9 && Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) > 1e-6 * step * 10 ** digits) ++digits;
    return splits.map(value => `${value.toFixed(digits)} s`);
}

/// Whole numbers with k and M.
export function countTick(value: number): string {
    return value >= 1e6 ? `${formatNumber(value / 1e6)}M` : value >= 1e4 ? `${formatNumber(value / 1e3)}k` : formatNumber(value);
}
