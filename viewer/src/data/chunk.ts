// Some consecutive frames as the page holds them: quantised, as differences, in byte planes.
//
// docs/07-file-formats.md, "Report page", has the layout.  Frames are decoded one after the other when they are asked
// for, so that playing never waits for a whole chunk.

import type { Contacts, Frame, LogScale, RunDocument, Worst } from "./types";

/// The value of each byte on a scale.
export function logTable(scale: LogScale): Float32Array {
    const table = new Float32Array(256);
    for (let k = 1; k < 256; ++k) table[k] = scale.lower * Math.pow(scale.upper / scale.lower, (k - 1) / 254);
    return table;
}

/// What all chunks of a run share.
export class Layout {
    readonly bodies: number;
    readonly load: Float32Array;
    readonly error: Float32Array;
    readonly contactForce: Float32Array;
    readonly contactError: Float32Array;

    constructor(readonly run: RunDocument) {
        const frames = run.frames;
        this.bodies = run.model.bodies.length;
        this.load = logTable(frames.load_N);
        this.error = logTable(frames.error_J);
        this.contactForce = logTable(frames.contacts.force_N);
        this.contactError = logTable(frames.contacts.error_J);
    }
}

/// Reads a 32-bit column stored plane by plane.
class Column32 {
    constructor(private readonly bytes: Uint8Array, private readonly start: number, private readonly count: number) {}

    /// Entry k, its zigzag undone.
    at(k: number): number {
        const { bytes, count } = this;
        const i = this.start + k;
        const u = bytes[i]! | (bytes[i + count]! << 8) | (bytes[i + 2 * count]! << 16) | (bytes[i + 3 * count]! << 24);
        return (u >>> 1) ^ -(u & 1);
    }
}

/// Reads a 16-bit column stored plane by plane.
class Column16 {
    constructor(private readonly bytes: Uint8Array, private readonly start: number, private readonly count: number) {}

    at(k: number): number {
        const i = this.start + k;
        const u = this.bytes[i]! | (this.bytes[i + this.count]! << 8);
        return (u >>> 1) ^ -(u & 1);
    }
}

/// Positions, orientations, loads and errors of the bodies, frame after frame.
class Motion {
    private readonly position: Column32[];
    private readonly turn: Column16[];
    private readonly largest: number;  // where these bytes begin
    private readonly loads: number;
    private readonly errors: number;
    private readonly p1: Int32Array;  // integers of the last frame
    private readonly p2: Int32Array;  // and of the one before it
    private readonly q1: Int16Array;
    private readonly q2: Int16Array;
    private readonly load: Uint8Array;
    private readonly error: Uint8Array;

    constructor(private readonly layout: Layout, private readonly bytes: Uint8Array, frames: number) {
        const n = layout.bodies;
        const all = n * frames;
        if (bytes.length !== 21 * all) throw new Error(`${bytes.length} bytes for ${frames} frames of ${n} bodies`);
        this.position = [0, 1, 2].map((axis) => new Column32(bytes, 4 * axis * all, all));
        this.turn = [0, 1, 2].map((k) => new Column16(bytes, (12 + 2 * k) * all, all));
        this.largest = 18 * all;
        this.loads = 19 * all;
        this.errors = 20 * all;
        this.p1 = new Int32Array(3 * n);
        this.p2 = new Int32Array(3 * n);
        this.q1 = new Int16Array(3 * n);
        this.q2 = new Int16Array(3 * n);
        this.load = new Uint8Array(n);
        this.error = new Uint8Array(n);
    }

    /// The integer of a body's position in the frame decoded last.
    integer(body: number, axis: number): number {
        return this.p1[3 * body + axis]!;
    }

    decode(f: number): Pick<Frame, "position" | "quaternion" | "load" | "error"> {
        const n = this.layout.bodies;
        const frame = {
            position: new Float32Array(3 * n),
            quaternion: new Float32Array(4 * n),
            load: new Float32Array(n),
            error: new Float32Array(n),
        };
        this.decodePositions(f, frame.position);
        this.decodeTurns(f, frame.quaternion);
        this.decodeBytes(this.loads + f * n, this.load, this.layout.load, frame.load);
        this.decodeBytes(this.errors + f * n, this.error, this.layout.error, frame.error);
        return frame;
    }

    // p1 and p2 are 0 before the first frame, and p2 is set to p1 after it: the second difference of frame 0 is
    // the value itself and that of frame 1 the first difference, as the format has it.
    private decodePositions(f: number, out: Float32Array): void {
        const { p1, p2 } = this;
        const { origin, quantum_m } = this.layout.run.frames;
        const n = this.layout.bodies;
        for (let axis = 0; axis < 3; ++axis) {
            const column = this.position[axis]!;
            const start = origin[axis]!;
            for (let b = 0, i = axis; b < n; ++b, i += 3) {
                const last = p1[i]!;
                const value = (column.at(f * n + b) + 2 * last - p2[i]!) | 0;
                p2[i] = f === 0 ? value : last;
                p1[i] = value;
                out[i] = start + quantum_m * value;
            }
        }
    }

    private decodeTurns(f: number, out: Float32Array): void {
        const { q1, q2, bytes } = this;
        const n = this.layout.bodies;
        const unit = 1 / (this.layout.run.frames.rotation_steps * Math.SQRT2);
        const [first, second, third] = this.turn as [Column16, Column16, Column16];
        const next = (column: Column16, k: number, i: number): number => {
            const last = q1[i]!;
            q1[i] = column.at(k) + 2 * last - q2[i]!;  // the array wraps to 16 bits
            q2[i] = f === 0 ? q1[i]! : last;
            return q1[i]! * unit;
        };
        for (let b = 0; b < n; ++b) {
            const k = f * n + b;
            const u = next(first, k, 3 * b);
            const v = next(second, k, 3 * b + 1);
            const w = next(third, k, 3 * b + 2);
            const rest = Math.sqrt(Math.max(0, 1 - u * u - v * v - w * w));
            putQuaternion(out, 4 * b, bytes[this.largest + k]!, u, v, w, rest);
        }
    }

    private decodeBytes(start: number, state: Uint8Array, table: Float32Array, out: Float32Array): void {
        for (let b = 0; b < state.length; ++b) {
            state[b] = state[b]! + this.bytes[start + b]!;  // the array wraps to 8 bits
            out[b] = table[state[b]!]!;
        }
    }
}

/// u, v, w are the components other than number `largest` in the order w x y z; `out` has x y z w.
function putQuaternion(out: Float32Array, at: number, largest: number, u: number, v: number, w: number, rest: number): void {
    const [x, y, z, real] = largest === 0 ? [u, v, w, rest]
        : largest === 1 ? [rest, v, w, u]
        : largest === 2 ? [v, rest, w, u]
        : [v, w, rest, u];
    out[at] = x;
    out[at + 1] = y;
    out[at + 2] = z;
    out[at + 3] = real;
}

/// The contacts, frame after frame.
class ContactColumns {
    readonly total: number;
    private readonly counts: Uint32Array;
    private readonly columns: Column32[];  // a, b, ox, oy, oz
    private readonly rest: number;         // where dx, dy, force, error begin
    private next = 0;
    private a = 0;
    private b = 0;

    constructor(private readonly layout: Layout, private readonly bytes: Uint8Array, frames: number) {
        this.counts = new Uint32Array(bytes.slice(0, 4 * frames).buffer);
        this.total = this.counts.reduce((sum, count) => sum + count, 0);
        const N = this.total;
        if (bytes.length !== 4 * frames + 24 * N) throw new Error(`${bytes.length} bytes for ${N} contacts`);
        this.columns = [0, 1, 2, 3, 4].map((k) => new Column32(bytes, 4 * frames + 4 * k * N, N));
        this.rest = 4 * frames + 20 * N;
    }

    decode(f: number, motion: Motion): Contacts {
        const count = this.counts[f]!;
        const contacts: Contacts = {
            count,
            body: new Int32Array(2 * count),
            point: new Float32Array(3 * count),
            force: new Float32Array(3 * count),
            error: new Float32Array(count),
        };
        for (let k = 0; k < count; ++k, ++this.next) {
            this.decodeBodies(k, contacts);
            this.decodePoint(k, contacts, motion);
            this.decodeForce(k, contacts);
        }
        return contacts;
    }

    private decodeBodies(k: number, contacts: Contacts): void {
        this.a += this.columns[0]!.at(this.next);
        this.b += this.columns[1]!.at(this.next);
        contacts.body[2 * k] = this.a;
        contacts.body[2 * k + 1] = this.b;
    }

    private decodePoint(k: number, contacts: Contacts, motion: Motion): void {
        const { origin, quantum_m } = this.layout.run.frames;
        const anchor = this.a >= 0 ? this.a : this.b;
        for (let axis = 0; axis < 3; ++axis) {
            const base = anchor >= 0 ? motion.integer(anchor, axis) : 0;
            const value = (base + this.columns[2 + axis]!.at(this.next)) | 0;
            contacts.point[3 * k + axis] = origin[axis]! + quantum_m * value;
        }
    }

    private decodeForce(k: number, contacts: Contacts): void {
        const { bytes, total, rest, next, layout } = this;
        const size = layout.contactForce[bytes[rest + 2 * total + next]!]!;
        contacts.error[k] = layout.contactError[bytes[rest + 3 * total + next]!]!;
        let x = (bytes[rest + next]! / 255) * 2 - 1;
        let y = (bytes[rest + total + next]! / 255) * 2 - 1;
        const z = 1 - Math.abs(x) - Math.abs(y);
        if (z < 0) {
            const folded = (1 - Math.abs(y)) * (x < 0 ? -1 : 1);
            y = (1 - Math.abs(x)) * (y < 0 ? -1 : 1);
            x = folded;
        }
        const scale = size / Math.hypot(x, y, z);
        contacts.force[3 * k] = x * scale;
        contacts.force[3 * k + 1] = y * scale;
        contacts.force[3 * k + 2] = z * scale;
    }
}

export class Chunk {
    /// In memory once all its frames are decoded, with what they were decoded from.
    readonly size: number;
    private readonly motion: Motion;
    private readonly contacts: ContactColumns;
    private readonly decoded: Frame[] = [];

    /// `first`: index of its first frame.
    constructor(layout: Layout, motion: ArrayBuffer, contacts: ArrayBuffer, private readonly first: number, frames: number) {
        this.motion = new Motion(layout, new Uint8Array(motion), frames);
        this.contacts = new ContactColumns(layout, new Uint8Array(contacts), frames);
        const perBody = 36;     // floats of a frame
        const perContact = 36;
        this.size = motion.byteLength + contacts.byteLength + perBody * layout.bodies * frames + perContact * this.contacts.total;
    }

    frame(index: number, time: (index: number) => number, worst: (index: number) => Worst): Frame {
        for (let f = this.decoded.length; f <= index - this.first; ++f) {
            const motion = this.motion.decode(f);
            const contacts = this.contacts.decode(f, this.motion);
            const at = this.first + f;
            this.decoded.push({ index: at, time: time(at), ...motion, contacts, worst: worst(at) });
        }
        return this.decoded[index - this.first]!;
    }
}
