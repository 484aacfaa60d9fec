// How fast bodies move, from neighbouring frames.
//
// Known only as well as the frames are: half a quantum and the precision of the orientation over the time between
// two frames.

import type { Frame, FrameSource, Vec3 } from "./types";

/// Two frames around `index` that are there and some time apart.
function neighbours(source: FrameSource, index: number): [Frame, Frame] | undefined {
    const here = source.get(index);
    if (!here) return undefined;
    const before = source.get(index - 1) ?? here;
    const after = source.get(index + 1) ?? here;
    return after.time > before.time ? [before, after] : undefined;
}

/// [m/s] per body; zeros where there are no neighbours.
export function speeds(source: FrameSource, index: number): Float32Array {
    const pair = neighbours(source, index);
    if (!pair) return new Float32Array((source.get(index)?.position.length ?? 0) / 3);
    const [{ position: p, time }, { position: q, time: later }] = pair;
    const result = new Float32Array(p.length / 3);
    const rate = 1 / (later - time);
    for (let b = 0, i = 0; b < result.length; ++b, i += 3) {
        const x = q[i]! - p[i]!;
        const y = q[i + 1]! - p[i + 1]!;
        const z = q[i + 2]! - p[i + 2]!;
        result[b] = Math.sqrt(x * x + y * y + z * z) * rate;
    }
    return result;
}

/// The turn from one orientation (x y z w at `i`) to another as a rotation vector [rad], the short way round.
function turnBetween(from: Float32Array, to: Float32Array, i: number): Vec3 {
    const [ax, ay, az, aw] = [-from[i]!, -from[i + 1]!, -from[i + 2]!, from[i + 3]!];
    const [bx, by, bz, bw] = [to[i]!, to[i + 1]!, to[i + 2]!, to[i + 3]!];
    const w = bw * aw - bx * ax - by * ay - bz * az;
    const x = bw * ax + bx * aw + by * az - bz * ay;
    const y = bw * ay - bx * az + by * aw + bz * ax;
    const z = bw * az + bx * ay - by * ax + bz * aw;
    const sine = Math.hypot(x, y, z);
    if (sine === 0) return [0, 0, 0];
    const scale = ((w < 0 ? -1 : 1) * 2 * Math.atan2(sine, Math.abs(w))) / sine;
    return [x * scale, y * scale, z * scale];
}

/// Of a body in the world: linear [m/s], angular [rad/s].
export function velocity(source: FrameSource, index: number, body: number): { linear: Vec3; angular: Vec3 } {
    const pair = neighbours(source, index);
    if (!pair) return { linear: [0, 0, 0], angular: [0, 0, 0] };
    const [a, b] = pair;
    const rate = 1 / (b.time - a.time);
    const scaled = (v: Vec3): Vec3 => [v[0] * rate, v[1] * rate, v[2] * rate];
    const moved = (axis: number): number => b.position[3 * body + axis]! - a.position[3 * body + axis]!;
    return {
        linear: scaled([moved(0), moved(1), moved(2)]),
        angular: scaled(turnBetween(a.quaternion, b.quaternion, 4 * body)),
    };
}
