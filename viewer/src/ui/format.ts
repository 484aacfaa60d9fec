// Numbers and times as the page writes them.

const dash = "\u2013";
const superscripts: Record<string, string> = { "-": "\u207b", 0: "\u2070", 1: "\u00b9", 2: "\u00b2", 3: "\u00b3", 4: "\u2074",
    5: "\u2075", 6: "\u2076", 7: "\u2077", 8: "\u2078", 9: "\u2079" };

type Maybe = number | null | undefined;
const missing = (value: Maybe): value is null | undefined => value === null || value === undefined || !Number.isFinite(value);

export const superscript = (n: number): string => String(n).replace(/./g, c => superscripts[c]!);
export const powerOfTen = (n: number): string => n === 0 ? "1" : "10" + superscript(n);
export const exponentOf = (value: number): number => Math.round(Math.log10(value));

/// Two digits and an exponent, or as many behind the point as are asked for.
export function formatError(value: Maybe, digits = 1): string {
    if (missing(value)) return dash;
    if (value === 0) return "0";
    return value.toExponential(digits).replace("e+", "e").replace(/e0$/, "").replaceAll("-", "\u2212");
}

/// A round power of ten as such.
export function formatLevel(value: Maybe): string {
    if (missing(value)) return dash;
    return value > 0 && Math.abs(value / Math.pow(10, exponentOf(value)) - 1) < 1e-6 ? powerOfTen(exponentOf(value)) : formatError(value);
}

/// Three digits; thousands apart.
export function formatNumber(value: Maybe): string {
    if (missing(value)) return dash;
    const size = Math.abs(value);
    if (size >= 1e7 || (size > 0 && size < 1e-4)) return formatError(value);
    const text = size >= 1000 ? Math.round(size).toLocaleString("en-US").replaceAll(",", "\u202f") : String(Number(size.toPrecision(3)));
    return (value < 0 ? "\u2212" : "") + text;
}

export const formatQuantity = (value: Maybe, unit: string): string => unit ? `${formatNumber(value)}\u202f${unit}` : formatNumber(value);

/// A length of computing time with the unit that suits it.
export function formatSeconds(value: Maybe): string {
    if (missing(value)) return dash;
    if (value === 0) return "0 s";
    const [scale, unit] = value >= 1 ? [1, "s"] : value >= 1e-3 ? [1e3, "ms"] : [1e6, "\u00b5s"];
    return formatQuantity(value * scale, unit);
}

/// Simulated time with digits that stay in place while it runs.
export const formatTime = (seconds: number, digits = 2): string => seconds.toFixed(digits).replace("-", "\u2212");

export const plural = (count: number, word: string, many = word + "s"): string => `${formatNumber(count)} ${count === 1 ? word : many}`;
