// Whether the picture keeps changing: a run plays, or the camera turns.
//
// Counted in animation frames and not by the clock alone: where pictures take long, both playing and coming to rest do.

const beginAfter = 4;           // so many changed pictures in a row are a motion
const restFrames = 3;           // animation frames without a change,
const restTime = 150;           // [ms] and at least so long: at rest again

export class Pace {
    private changes = 0;
    private still = 0;          // animation frames since the last change
    private last = 0;
    private watching = 0;

    /// `onrest`: it moved, and no longer does.
    constructor(private readonly onrest: () => void) {}

    get moving(): boolean { return this.changes >= beginAfter; }

    /// The next picture will be another one.
    changed(): void {
        ++this.changes;
        this.still = 0;
        this.last = performance.now();
        if (this.watching === 0) this.watching = requestAnimationFrame(this.watch);
    }

    dispose(): void { cancelAnimationFrame(this.watching); }

    private readonly watch = (): void => {
        ++this.still;
        this.watching = 0;
        if (this.still <= restFrames || performance.now() - this.last < restTime) {
            this.watching = requestAnimationFrame(this.watch);
            return;
        }
        const moved = this.moving;
        this.changes = 0;
        if (moved) this.onrest();
    };
}
