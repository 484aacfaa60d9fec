// What the page is given, and what its parts hand to each other.
//
// A page holds one JSON document (<script id="document">) and named blobs (<script id="blob-NAME">, base64 of
// zlib-deflated bytes, little-endian).  docs/07-file-formats.md, "Report page", has the layout of the blobs.

export type Vec3 = [number, number, number];

// ---- the model: as the recording has it (docs/07-file-formats.md) ------------------------------------------------------

export interface Material { name: string; density: number; friction: number; restitution: number; color?: string }

export interface Shape {
    geometry: "sphere" | "half_space" | "box" | "capsule" | "cylinder" | "cone" | "hull" | "mesh" | "height_field";
    radius?: number;
    half_size?: Vec3;
    half_length?: number;
    mesh?: number;          // index into Model.meshes
    columns?: number;
    rows?: number;
    spacing?: number | Vec3;
    heights?: number[];
    material: number | string;
    position?: Vec3;
    orientation?: [number, number, number, number];  // w x y z
    color?: string;
    name?: string;
}

export interface Body { name: string; kind: "dynamic" | "kinematic" | "fixed"; mass_kg: number; center_of_mass: Vec3; shapes: Shape[] }

export interface Joint {
    name: string; kind: string; body_a: number; body_b: number;  // -1: the world
    frame_a: unknown; frame_b: unknown; axes?: unknown;
}

export interface Parameter { name: string; value: number; lower: number | null; upper: number | null; description: string }

export interface Model {
    name: string; title: string; description: string;
    duration_s: number; frame_s: number; step_s: number;
    solver: string; tolerance: number; tolerance_unit: "relative" | "J"; budget_s?: number | null;
    gravity: Vec3;
    camera: { eye: Vec3; target: Vec3; field_of_view_deg: number };
    watch: string[];
    parameters: Parameter[];
    materials: Material[];
    bodies: Body[];
    joints: Joint[];
    meshes: { vertices: number[] | Vec3[]; faces: number[][] }[];
}

// ---- the documents --------------------------------------------------------------------------------------------------

/// A scale for one byte: 0 is 0, k > 0 is lower * (upper / lower)^((k - 1) / 254).
export interface LogScale { lower: number; upper: number }

export interface RunDocument {
    kind: "run";
    version: 1;
    creator: string;          // "uptack 0.1.0"
    command: string;          // that made this page
    recording: string;        // the file's name
    finished: boolean;
    model: Model;
    frames: {
        count: number;
        every: number;                  // one of so many recorded frames is here
        chunk: number;                  // frames in a chunk
        origin: Vec3; quantum_m: number;  // position = origin + quantum * integer
        rotation_steps: number;         // smallest-three components: integer / rotation_steps / sqrt(2)
        byte_step: number;              // loads and errors of bodies use one of so many bytes of their scales
        speed_m_s: number;              // colours of speed end here
        load_N: LogScale;               // of a body: sum of the sizes of its contact forces
        error_J: LogScale;              // of a body: sum over its contacts
        contacts: { force_N: LogScale; error_J: LogScale; kept: number; found: number };  // over all frames
    };
    steps: { count: number; merged: number; columns: string[]; strings: string[] };
    joints: number[];                   // those whose reactions are here, as blobs "joint-K"
    summary: { label: string; value: string }[];  // what `uptack run` prints
}

export interface LiveDocument {
    kind: "live";
    version: 1;
    creator: string;
    model: Model;
    solvers: { name: string; summary: string }[];
}

export type ComparisonDocument = { kind: "comparison" } & Record<string, unknown>;
export type PageDocument = RunDocument | LiveDocument | ComparisonDocument;

// ---- between the parts of the page ----------------------------------------------------------------------------------

export interface Contacts {
    count: number;
    body: Int32Array;       // a, b of each
    point: Float32Array;    // 3 of each [m]
    force: Float32Array;    // 3 of each, on a [N]
    error: Float32Array;    // [J]
}

/// The worst constraint: a joint, or a contact between two bodies; neither if `joint` is -1 and `body_a` is -2.
export interface Worst { joint: number; body_a: number; body_b: number; point: Vec3 }

export interface Frame {
    index: number;
    time: number;
    position: Float32Array;     // 3 of each body: centre of mass [m]
    quaternion: Float32Array;   // 4 of each body: x y z w
    load: Float32Array;         // of each body [N]
    error: Float32Array;        // of each body [J]
    contacts: Contacts;
    worst: Worst;
}

/// Where frames come from: a replay or a live run.
export interface FrameSource {
    readonly count: number;
    time(index: number): number;
    /// At once if it is there, else undefined, and `onready` will be called when it is.
    get(index: number): Frame | undefined;
    onready: (() => void) | null;
    /// The reaction of a joint over the frames, in the joint's axes: force xyz [N], torque xyz [N m].
    joint(index: number): Promise<{ time: Float64Array; values: Float32Array[] } | undefined>;
}

/// What the steps were like, one value of each column per step.
export interface StepSeries {
    readonly count: number;
    column(name: StepColumn): Float64Array | Float32Array;  // the first `count` entries hold
    text(name: "worst" | "deepest" | "loosest" | "solver" | "status" | "reason", index: number): string;
}

export type StepColumn =
    | "time" | "step" | "energy_error_J" | "relative_error" | "tolerance_met" | "contacts" | "rows" | "islands" | "iterations"
    | "collision_s" | "assembly_s" | "solve_s" | "total_s" | "kinetic_J" | "potential_J" | "max_penetration" | "max_joint_drift"
    | "sleeping" | "worst_error_J";

export type ColourBy = "material" | "speed" | "error" | "load";
