// A picture between two frames, so that slow motion is smooth.  Only places and turns are in between: forces and errors
// stay those of the earlier frame, and the numbers on the page are never interpolated.

import type { Frame } from "../data/types";

export class Between {
    private position = new Float32Array();
    private quaternion = new Float32Array();

    mix(from: Frame, to: Frame, share: number): Frame {
        if (this.position.length !== from.position.length) {
            this.position = new Float32Array(from.position.length);
            this.quaternion = new Float32Array(from.quaternion.length);
        }
        for (let i = 0; i < this.position.length; ++i) {
            this.position[i] = from.position[i]! + share * (to.position[i]! - from.position[i]!);
        }
        for (let i = 0; i < this.quaternion.length; i += 4) this.turn(from.quaternion, to.quaternion, i, share);
        return { ...from, position: this.position, quaternion: this.quaternion };
    }

    /// The straight line between two quaternions, brought back to length one: close enough for a frame's turn.
    private turn(from: Float32Array, to: Float32Array, i: number, share: number): void {
        const q = this.quaternion;
        let dot = 0, square = 0;
        for (let k = i; k < i + 4; ++k) dot += from[k]! * to[k]!;
        const far = dot < 0 ? -share : share;
        for (let k = i; k < i + 4; ++k) {
            q[k] = (1 - share) * from[k]! + far * to[k]!;
            square += q[k]! * q[k]!;
        }
        const scale = square > 0 ? 1 / Math.sqrt(square) : 1;
        for (let k = i; k < i + 4; ++k) q[k]! *= scale;
    }
}
