// Which moment is shown: plays, steps and scrubs through the frames of a source.

import type { Frame, FrameSource } from "../data/types";

export const playSpeeds = [0.1, 0.25, 0.5, 1, 2, 4] as const;

/// A page that was in the background must not jump ahead [s].
const longestTick = 0.1;

export class Player {
    index = 0;
    playing = false;
    loop = true;
    speed = 1;
    /// A frame is to be drawn; `share` of the way to the next one.
    onframe: ((frame: Frame, share: number) => void) | null = null;
    /// Playing, speed, loop or the number of frames changed.
    onstate: (() => void) | null = null;
    /// At the newest frame of a growing source, and staying there.
    atHead = false;

    /// What to do instead of ending or starting again; for a growing source.
    onend: (() => void) | null = null;

    private clock = 0;
    private stopped = false;
    private lastTick = 0;
    private drawnIndex = -1;
    private drawnShare = -1;

    constructor(readonly source: FrameSource) {
        source.onready = () => this.draw();
        requestAnimationFrame(now => this.tick(now));
    }

    get last(): number { return this.source.count - 1; }
    get time(): number { return this.last < 0 ? 0 : this.source.time(this.index); }
    get end(): number { return this.last < 0 ? 0 : this.source.time(this.last); }

    setPlaying(playing: boolean): void {
        this.playing = playing;
        if (playing && this.index >= this.last && !this.loop) this.clock = this.source.time(0);
        this.onstate?.();
    }

    setSpeed(speed: number): void {
        this.speed = speed;
        this.onstate?.();
    }

    /// To the next slower (-1) or faster (+1) of the listed speeds.
    changeSpeed(by: number): void {
        const at = playSpeeds.findIndex(speed => speed >= this.speed);
        this.setSpeed(playSpeeds[Math.min(playSpeeds.length - 1, Math.max(0, (at < 0 ? 3 : at) + by))]!);
    }

    setLoop(loop: boolean): void {
        this.loop = loop;
        this.onstate?.();
    }

    step(by: number): void {
        this.playing = false;
        this.goTo(this.index + by);
    }

    goTo(index: number): void {
        this.index = Math.min(Math.max(0, this.last), Math.max(0, index));
        this.atHead = false;
        this.clock = this.time;
        this.draw();
        this.onstate?.();
    }

    goToTime(time: number): void {
        this.goTo(this.nearest(time));
    }

    /// The newest frame, now and as more arrive.
    goToHead(): void {
        this.goTo(this.last);
        this.atHead = true;
        this.onstate?.();
    }

    stop(): void {
        this.stopped = true;
        this.source.onready = null;
    }

    /// The source has other frames than before: more, and perhaps without the oldest.
    grown(): void {
        this.index = this.atHead ? Math.max(0, this.last) : this.nearest(this.clock);
        if (this.atHead) this.clock = this.time;
        this.drawnIndex = -1;
        this.draw();
        this.onstate?.();
    }

    private tick(now: number): void {
        const passed = Math.min(longestTick, (now - this.lastTick) / 1000);
        this.lastTick = now;
        if (this.playing && this.last > 0) this.advance(passed * this.speed);
        if (!this.stopped) requestAnimationFrame(next => this.tick(next));
    }

    private advance(by: number): void {
        if (!this.source.get(this.index)) return;  // it is on its way: wait for it
        this.clock += by;
        if (this.clock >= this.end && this.onend) {
            this.playing = false;
            this.onend();
            return;
        }
        if (this.clock >= this.end) {
            if (!this.loop) this.playing = false;
            this.clock = this.loop ? this.source.time(0) : this.end;
        }
        this.index = this.before(this.clock);
        this.draw();
        if (!this.playing) this.onstate?.();
    }

    private draw(): void {
        const frame = this.source.get(this.index);
        if (!frame) return;
        const share = this.playing ? this.shareAt(this.clock) : 0;
        if (this.index === this.drawnIndex && share === this.drawnShare) return;
        this.drawnIndex = this.index;
        this.drawnShare = share;
        this.onframe?.(frame, share);
    }

    private shareAt(time: number): number {
        if (this.index >= this.last) return 0;
        const start = this.source.time(this.index), length = this.source.time(this.index + 1) - start;
        return length > 0 ? Math.min(1, Math.max(0, (time - start) / length)) : 0;
    }

    /// The last frame that is not after `time`.
    private before(time: number): number {
        let low = 0, high = Math.max(0, this.last);
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.source.time(middle) <= time + 1e-9) low = middle; else high = middle - 1;
        }
        return low;
    }

    private nearest(time: number): number {
        const index = this.before(time);
        if (index >= this.last) return index;
        return time - this.source.time(index) <= this.source.time(index + 1) - time ? index : index + 1;
    }
}
