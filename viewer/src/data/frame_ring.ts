// The last frames of a live run, bounded in number and in bytes.

import type { Frame, FrameSource } from "./types";

export interface LiveFrame extends Frame {
    reactions: Float32Array;    // 6 of each joint: force xyz, torque xyz in the joint's axes
    bytes: number;
}

const mostFrames = 1200;        // 20 seconds at 60 per second
const mostBytes = 128e6;

export class FrameRing implements FrameSource {
    onready: (() => void) | null = null;
    /// How many have been dropped at the old end: frame k is the one that was k + dropped.
    dropped = 0;
    private frames: LiveFrame[] = [];
    private bytes = 0;

    get count(): number { return this.frames.length; }

    time(index: number): number {
        return this.frames[index]?.time ?? 0;
    }

    get(index: number): Frame | undefined {
        const frame = this.frames[index];
        if (frame) frame.index = index;
        return frame;
    }

    /// A frame of the same moment (a pause, a changed solver) takes the place of the last one.
    add(frame: LiveFrame): void {
        const last = this.frames.at(-1);
        if (last && frame.time <= last.time) {
            this.frames.pop();
            this.bytes -= last.bytes;
        }
        this.frames.push(frame);
        this.bytes += frame.bytes;
        while (this.frames.length > mostFrames || (this.bytes > mostBytes && this.frames.length > 2)) {
            this.bytes -= this.frames.shift()!.bytes;
            ++this.dropped;
        }
    }

    clear(): void {
        this.frames = [];
        this.bytes = 0;
        this.dropped = 0;
    }

    async joint(index: number): Promise<{ time: Float64Array; values: Float32Array[] } | undefined> {
        const { frames } = this;
        if (!frames.length || 6 * index + 6 > frames[0]!.reactions.length) return undefined;
        return {
            time: Float64Array.from(frames, frame => frame.time),
            values: Array.from({ length: 6 }, (_, k) => Float32Array.from(frames, frame => frame.reactions[6 * index + k]!)),
        };
    }
}
