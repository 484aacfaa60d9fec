// A run as it happens: connects to `uptack view`, keeps the last frames and the steps, and sends commands.
//
// The server's messages are described in apps/uptack/live/messages.h, the commands in commands.h beside it.

import { FrameRing, type LiveFrame } from "./frame_ring";
import { LiveSteps, textNames } from "./live_steps";
import type { LiveDocument, Model, Vec3, Worst } from "./types";

export type Command =
    | { do: "play" | "pause" | "reset" | "release" }
    | { do: "step"; count?: number }
    | { do: "parameters"; values: Record<string, number> }
    | { do: "solver"; name: string }
    | { do: "tolerance"; value: number; unit: "relative" | "J" }
    | { do: "budget"; ms: number | null }
    | { do: "speed"; factor: number }
    | { do: "pull"; body: number; point: Vec3; target: Vec3 };

interface Hello { type: "hello"; run: number; columns: string[]; model: Model }
interface State { type: "state"; paused: boolean; speed: number; solver: string; tolerance: number; tolerance_unit: "relative" | "J"; budget_ms: number | null }
interface Failure { type: "error"; text: string }

const enum MessageType { beat = 0, json = 1, frame = 2, steps = 3 }

const textEvery = 250;          // time between announcements of new steps [ms]
const reconnectWaits = [200, 500, 1000];   // [ms]
const ended = "The program has ended. Start it again with \u201cuptack view\u201d; what is here can still be looked at.";

/// Cuts a stream of bytes into messages [u32 length][u32 type][payload].
export class MessageReader {
    private parts: Uint8Array[] = [];
    private size = 0;

    constructor(private readonly take: (type: number, payload: ArrayBuffer) => void) {}

    add(bytes: Uint8Array): void {
        this.parts.push(bytes);
        this.size += bytes.length;
        for (;;) {
            if (this.size < 8) return;
            const head = new DataView(this.peek(8).buffer);
            const length = head.getUint32(0, true);
            if (this.size < 8 + length) return;
            this.cut(8);
            this.take(head.getUint32(4, true), this.cut(length).buffer as ArrayBuffer);
        }
    }

    /// A copy of the first bytes, which lies at the start of a buffer of its own.
    private peek(count: number): Uint8Array {
        const result = new Uint8Array(count);
        let filled = 0;
        for (const part of this.parts) {
            if (filled === count) break;
            const piece = part.subarray(0, count - filled);
            result.set(piece, filled);
            filled += piece.length;
        }
        return result;
    }

    private cut(count: number): Uint8Array {
        const result = this.peek(count);
        this.size -= count;
        let left = count;
        while (left > 0) {
            const first = this.parts[0]!;
            if (first.length > left) {
                this.parts[0] = first.subarray(left);
                return result;
            }
            left -= first.length;
            this.parts.shift();
        }
        return result;
    }
}

/// Hands out typed arrays from a payload, one after the other.
class Cursor {
    constructor(private readonly buffer: ArrayBuffer, public at = 0) {}

    floats(count: number): Float32Array { return new Float32Array(this.buffer, this.advance(4 * count), count); }
    integers(count: number): Int32Array { return new Int32Array(this.buffer, this.advance(4 * count), count); }
    text(): string {
        const length = new DataView(this.buffer).getUint32(this.advance(4), true);
        return new TextDecoder().decode(new Uint8Array(this.buffer, this.advance(length), length));
    }

    private advance(bytes: number): number {
        const start = this.at;
        this.at += bytes;
        return start;
    }
}

function readFrame(payload: ArrayBuffer): { run: number; factor: number; paused: boolean; frame: LiveFrame } {
    const view = new DataView(payload);
    const [run, bodies, contacts, joints] = [0, 4, 8, 12].map(at => view.getUint32(at, true)) as [number, number, number, number];
    const cursor = new Cursor(payload, 40);
    const [joint, body_a, body_b] = cursor.integers(3);
    const point = Array.from(cursor.floats(3)) as Vec3;
    const worst: Worst = { joint: joint!, body_a: body_a!, body_b: body_b!, point };
    const frame: LiveFrame = {
        index: 0,
        time: view.getFloat64(16, true),
        worst,
        position: cursor.floats(3 * bodies),
        quaternion: cursor.floats(4 * bodies),
        load: cursor.floats(bodies),
        error: cursor.floats(bodies),
        contacts: { count: contacts, body: cursor.integers(2 * contacts), point: cursor.floats(3 * contacts), force: cursor.floats(3 * contacts), error: cursor.floats(contacts) },
        reactions: cursor.floats(6 * joints),
        bytes: payload.byteLength,
    };
    return { run, factor: view.getFloat32(32, true), paused: view.getUint32(36, true) === 1, frame };
}

/// Sends commands one after the other; of pulls that wait only the last counts.
class Outbox {
    private readonly waiting: Command[] = [];
    private sending = false;

    constructor(private readonly refused: (text: string) => void) {}

    add(command: Command): void {
        if (command.do === "pull" && this.waiting.at(-1)?.do === "pull") this.waiting.pop();
        this.waiting.push(command);
        if (!this.sending) void this.send();
    }

    private async send(): Promise<void> {
        this.sending = true;
        for (let command = this.waiting.shift(); command; command = this.waiting.shift()) {
            try {
                const answer = await fetch("command", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(command) });
                if (!answer.ok) this.refused(((await answer.json()) as { error?: string }).error ?? "The program did not take the command.");
            } catch {
                this.waiting.length = 0;  // the stream's end says why
            }
        }
        this.sending = false;
    }
}

export interface LiveState { speed: number; solver: string; tolerance: number; toleranceUnit: "relative" | "J"; budgetMs: number | null }

export class LiveRun {
    readonly source = new FrameRing();
    readonly steps = new LiveSteps();
    readonly solvers: LiveDocument["solvers"];
    model: Model;
    paused = false;
    state: LiveState;
    /// Simulated time over real time, lately; 0 while paused.
    factor = 0;

    /// Other bodies than before: everything that was made from `model` is to be made again.
    onmodel: ((model: Model) => void) | null = null;
    /// There are new frames, or new steps, or (both) a new run; at most once per picture, steps a few times a second.
    onupdate: ((what: { frames: boolean; steps: boolean }) => void) | null = null;
    /// Nothing more will come; a sentence for people.
    onend: ((why: string) => void) | null = null;
    /// Paused, speed, solver, tolerance or budget.
    onstate: (() => void) | null = null;
    /// A command could not be carried out, or the run has stopped; a sentence for people.
    onerror: ((text: string) => void) | null = null;

    private run = -1;
    private modelText: string;
    private columns: string[] = [];
    private newFrames = false;
    private newSteps = false;
    private stepsTold = 0;
    private request = 0;
    private readonly outbox = new Outbox(text => this.onerror?.(text));

    constructor(document: LiveDocument) {
        const { model } = document;
        this.model = model;
        this.modelText = JSON.stringify(model);
        this.solvers = document.solvers;
        this.state = { speed: 1, solver: model.solver, tolerance: model.tolerance, toleranceUnit: model.tolerance_unit, budgetMs: null };
        void this.listen();
    }

    send(command: Command): void {
        this.outbox.add(command);
    }

    /// For Stage.ondrag.
    drag(phase: "start" | "move" | "end", body: number, point: Vec3, target: Vec3): void {
        this.send(phase === "end" ? { do: "release" } : { do: "pull", body, point, target });
    }

    // ---- listening --------------------------------------------------------------------------------------------------

    /// Until the program says goodbye or does not answer any more.
    private async listen(): Promise<void> {
        for (let failures = 0; failures < reconnectWaits.length; ++failures) {
            try {
                await this.readStream(() => { failures = -1; });
                break;
            } catch {
                await new Promise(resolve => setTimeout(resolve, reconnectWaits[Math.max(0, failures)]));  // it was cut off
            }
        }
        this.paused = true;
        this.factor = 0;
        this.onstate?.();
        this.onend?.(ended);
    }

    private async readStream(connected: () => void): Promise<void> {
        const answer = await fetch("stream", { cache: "no-store" });
        if (!answer.ok || !answer.body) throw new Error(`the program answered ${answer.status}`);
        this.run = -1;  // the hello says everything anew
        const messages = new MessageReader((type, payload) => this.receive(type, payload));
        const reader = answer.body.getReader();
        for (;;) {
            const { done, value } = await reader.read();
            if (done) return;  // goodbye
            connected();
            messages.add(value);
        }
    }

    private receive(type: number, payload: ArrayBuffer): void {
        if (type === MessageType.json) this.receiveJson(JSON.parse(new TextDecoder().decode(payload)) as Hello | State | Failure);
        else if (type === MessageType.frame) this.receiveFrame(payload);
        else if (type === MessageType.steps) this.receiveSteps(payload);
    }

    private receiveJson(message: Hello | State | Failure): void {
        if (message.type === "hello") this.receiveHello(message);
        else if (message.type === "state") this.receiveState(message);
        else if (message.type === "error") this.onerror?.(message.text);
    }

    private receiveHello({ run, columns, model }: Hello): void {
        if (run === this.run) return;
        this.run = run;
        this.columns = columns;
        this.source.clear();
        this.steps.clear();
        const text = JSON.stringify(model);
        if (text !== this.modelText) {
            this.model = model;
            this.modelText = text;
            this.onmodel?.(model);
        }
        this.announce(true, true);
    }

    private receiveState(state: State): void {
        this.paused = state.paused;
        if (state.paused) this.factor = 0;
        this.state = { speed: state.speed, solver: state.solver, tolerance: state.tolerance, toleranceUnit: state.tolerance_unit, budgetMs: state.budget_ms };
        this.model.solver = state.solver;
        this.model.tolerance = state.tolerance;
        this.model.tolerance_unit = state.tolerance_unit;
        this.model.budget_s = state.budget_ms === null ? null : state.budget_ms / 1000;
        this.onstate?.();
    }

    private receiveFrame(payload: ArrayBuffer): void {
        const { run, factor, paused, frame } = readFrame(payload);
        if (run !== this.run) return;
        this.factor = paused ? 0 : factor;
        this.source.add(frame);
        this.announce(true, false);
    }

    private receiveSteps(payload: ArrayBuffer): void {
        const head = new Uint32Array(payload, 0, 4);
        const [run, count, width, strings] = head as unknown as [number, number, number, number];
        if (run !== this.run) return;
        const numbers = new Float64Array(payload, 16, count * width);
        const cursor = new Cursor(payload, 16 + numbers.byteLength);
        const indices = cursor.integers(count * textNames.length);
        const texts = Array.from({ length: strings }, () => cursor.text());
        for (let k = 0; k < count; ++k) {
            this.steps.add(this.columns, numbers.subarray(k * width, (k + 1) * width), textNames.map((_, j) => texts[indices[k * textNames.length + j]!] ?? ""));
        }
        this.announce(false, true);
    }

    // ---- telling ----------------------------------------------------------------------------------------------------

    private announce(frames: boolean, steps: boolean): void {
        this.newFrames ||= frames;
        this.newSteps ||= steps;
        if (this.request === 0) this.request = requestAnimationFrame(now => this.tell(now));
    }

    private tell(now: number): void {
        this.request = 0;
        const steps = this.newSteps && now - this.stepsTold >= textEvery;
        const frames = this.newFrames;
        this.newFrames = false;
        if (steps) {
            this.newSteps = false;
            this.stepsTold = now;
        }
        if (frames || steps) this.onupdate?.({ frames, steps });
        if (this.newSteps) this.announce(false, true);  // their turn comes
    }
}
