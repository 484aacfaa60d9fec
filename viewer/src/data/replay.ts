// A recorded run as a source of frames: chunks are inflated when they are needed and forgotten when others are.

import { blob } from "./blobs";
import { Chunk, Layout } from "./chunk";
import type { Frame, FrameSource, RunDocument, StepColumn, StepSeries, Worst } from "./types";

/// Decoded chunks may take so much memory [bytes].  A phone has little more for a page.
const cacheBytes = 160e6;

const nothingWorst: Worst = { joint: -1, body_a: -2, body_b: -2, point: [0, 0, 0] };

/// The chunks that are there, the one used last at the end.
class ChunkCache {
    private readonly chunks = new Map<number, Chunk>();
    private size = 0;

    get(which: number): Chunk | undefined {
        const chunk = this.chunks.get(which);
        if (!chunk) return undefined;
        this.chunks.delete(which);
        this.chunks.set(which, chunk);
        return chunk;
    }

    has(which: number): boolean {
        return this.chunks.has(which);
    }

    put(which: number, chunk: Chunk): void {
        this.chunks.set(which, chunk);
        this.size += chunk.size;
        for (const [old, { size }] of this.chunks) {
            // Three must stay whatever their size: the current one and its neighbours.
            if (this.size <= cacheBytes || this.chunks.size <= 3) return;
            this.chunks.delete(old);
            this.size -= size;
        }
    }
}

class Replay implements FrameSource {
    readonly count: number;
    onready: (() => void) | null = null;
    private readonly layout: Layout;
    private readonly cache = new ChunkCache();
    private readonly asked = new Set<number>();  // on their way, or damaged
    private times: Float64Array | undefined;
    private worsts: DataView | undefined;
    private readonly heads: Promise<void>;

    constructor(private readonly run: RunDocument) {
        this.count = run.frames.count;
        this.layout = new Layout(run);
        this.heads = this.loadHeads();
    }

    /// Exact once the first frame is there, before that as the frames were asked for.
    time(index: number): number {
        return this.times?.[index] ?? index * this.run.model.frame_s * this.run.frames.every;
    }

    get(index: number): Frame | undefined {
        if (index < 0 || index >= this.count) return undefined;
        const which = Math.floor(index / this.run.frames.chunk);
        const chunk = this.cache.get(which);
        if (!chunk) {
            void this.load(which);
            return undefined;
        }
        const next = which + 1;
        if (next * this.run.frames.chunk < this.count && !this.cache.has(next)) void this.load(next);
        return chunk.frame(index, (k) => this.time(k), (k) => this.worst(k));
    }

    async joint(index: number): Promise<{ time: Float64Array; values: Float32Array[] } | undefined> {
        if (!this.run.joints.includes(index)) return undefined;
        const all = new Float32Array(await blob(`joint-${index}`));
        await this.heads;
        const values = [0, 1, 2, 3, 4, 5].map((k) => all.subarray(k * this.count, (k + 1) * this.count));
        return { time: this.times ?? new Float64Array(), values };
    }

    private async loadHeads(): Promise<void> {
        const [times, worsts] = await Promise.all([blob("times"), blob("worst")]);
        this.times = new Float64Array(times);
        this.worsts = new DataView(worsts);
    }

    private async load(which: number): Promise<void> {
        if (this.asked.has(which)) return;
        this.asked.add(which);
        const first = which * this.run.frames.chunk;
        const frames = Math.min(this.run.frames.chunk, this.count - first);
        const [motion, contacts] = await Promise.all([blob(`frames-${which}`), blob(`contacts-${which}`), this.heads]);
        this.cache.put(which, new Chunk(this.layout, motion, contacts, first, frames));
        this.asked.delete(which);
        this.onready?.();
    }

    private worst(index: number): Worst {
        const view = this.worsts;
        if (!view || 24 * (index + 1) > view.byteLength) return nothingWorst;
        const whole = (k: number): number => view.getInt32(24 * index + 4 * k, true);
        const real = (k: number): number => view.getFloat32(24 * index + 4 * k, true);
        return { joint: whole(0), body_a: whole(1), body_b: whole(2), point: [real(3), real(4), real(5)] };
    }
}

type TextColumn = Parameters<StepSeries["text"]>[0];
const textColumns: TextColumn[] = ["worst", "deepest", "loosest", "solver", "status", "reason"];

class RecordedSteps implements StepSeries {
    readonly count: number;
    private readonly columns = new Map<string, Float64Array | Float32Array>();
    private readonly texts = new Map<TextColumn, Int32Array>();

    constructor(private readonly strings: string[], names: string[], count: number, bytes: ArrayBuffer) {
        this.count = count;
        let at = 0;
        const take = (size: number): ArrayBuffer => bytes.slice(at, (at += size));  // copied: offsets need not be aligned
        for (const name of names) {
            this.columns.set(name, name === "time" ? new Float64Array(take(8 * count)) : new Float32Array(take(4 * count)));
        }
        for (const name of textColumns) this.texts.set(name, new Int32Array(take(4 * count)));
    }

    column(name: StepColumn): Float64Array | Float32Array {
        return this.columns.get(name) ?? new Float32Array(this.count);
    }

    text(name: TextColumn, index: number): string {
        return this.strings[this.texts.get(name)?.[index] ?? -1] ?? "";
    }
}

async function loadSteps(run: RunDocument): Promise<StepSeries> {
    const { strings, columns, count } = run.steps;
    return new RecordedSteps(strings, columns, count, await blob("steps"));
}

export function openReplay(run: RunDocument): { source: FrameSource; steps: Promise<StepSeries> } {
    return { source: new Replay(run), steps: loadSteps(run) };
}
