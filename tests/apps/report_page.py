"""Reads report pages as docs/07-file-formats.md describes them, independently of the page's script and of Uptack."""

import base64
import html
import json
import re
import zlib

import numpy as np

TEXT_COLUMNS = ["worst", "deepest", "loosest", "solver", "status", "reason"]


def unzigzag(values):
    return (values >> 1) ^ -(values & 1)


def scale_values(scale):
    k = np.arange(1, 256)
    return np.concatenate([[0.0], scale["lower"] * (scale["upper"] / scale["lower"]) ** ((k - 1) / 254)])


class Reader:
    """Takes arrays from the front of bytes."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, kind, count):
        size = np.dtype(kind).itemsize * count
        part = np.frombuffer(self.data[self.at:self.at + size], kind)
        self.at += size
        return part

    def planes(self, width, count):
        return sum(self.take("u1", count).astype(np.int64) << (8 * k) for k in range(width))

    def end(self):
        assert self.at == len(self.data), f"{len(self.data) - self.at} bytes are left"


def wrapped(values, bits):
    half = 1 << (bits - 1)
    return (values + half) % (1 << bits) - half


def integrated(residuals, bits):
    """Undoes the second difference along the first axis."""
    out = residuals.copy()
    for f in range(1, len(out)):
        before = 2 * out[f - 1] - out[f - 2] if f > 1 else out[0]
        out[f] = wrapped(out[f] + before, bits)
    return out


class Page:
    def __init__(self, path):
        self.text = path.read_text(encoding="utf-8")
        self.title = html.unescape(re.search(r"<title>(.*?)</title>", self.text, re.S).group(1))
        found = re.search(r'<script type="application/json" id="document">(.*?)</script>', self.text, re.S)
        self.document = json.loads(found.group(1))
        blobs = re.findall(r'<script type="text/plain" id="blob-([a-z0-9-]+)">([^<]*)</script>', self.text)
        self.blobs = {name: zlib.decompress(base64.b64decode(data, validate=True)) for name, data in blobs}
        self.frames = self.document["frames"]
        self.bodies = len(self.document["model"]["bodies"])
        self.decode()

    def decode(self):
        parts = [self.chunk(k) for k in range(-(-self.frames["count"] // self.frames["chunk"]))]
        self.position, self.quaternion, self.load, self.error = (np.concatenate([p[k] for p in parts]) for k in range(4))
        self.contacts = [contacts for part in parts for contacts in part[4]]
        self.times = np.frombuffer(self.blobs["times"], "<f8")

    def chunk(self, which):
        n, first = self.bodies, which * self.frames["chunk"]
        m = min(self.frames["chunk"], self.frames["count"] - first)
        reader = Reader(self.blobs[f"frames-{which}"])
        integers = [integrated(unzigzag(reader.planes(4, m * n)).reshape(m, n), 32) for _ in range(3)]
        integers = np.stack(integers, axis=2)
        turns = [integrated(unzigzag(reader.planes(2, m * n)).reshape(m, n), 16) for _ in range(3)]
        largest = reader.take("u1", m * n).reshape(m, n)
        load, error = (np.cumsum(reader.take("u1", m * n).reshape(m, n), axis=0, dtype=np.int64) % 256 for _ in range(2))
        reader.end()
        position = np.array(self.frames["origin"]) + self.frames["quantum_m"] * integers
        return (position, self.quaternions(turns, largest), scale_values(self.frames["load_N"])[load],
                scale_values(self.frames["error_J"])[error], self.contact_chunk(which, m, integers))

    def quaternions(self, turns, largest):
        small = np.stack(turns, axis=-1) / self.frames["rotation_steps"] / np.sqrt(2)
        rest = np.sqrt(np.maximum(0, 1 - (small ** 2).sum(axis=-1)))
        out = np.empty(largest.shape + (4,))
        for k in range(4):
            here = largest == k
            out[here] = np.insert(small[here], k, rest[here], axis=1)
        return out

    def contact_chunk(self, which, m, integers):
        reader = Reader(self.blobs[f"contacts-{which}"])
        counts = reader.take("<u4", m)
        total = int(counts.sum())
        a, b = (np.cumsum(unzigzag(reader.planes(4, total))) for _ in range(2))
        offset = np.stack([unzigzag(reader.planes(4, total)) for _ in range(3)], axis=1)
        direction = np.stack([reader.take("u1", total) / 255 * 2 - 1 for _ in range(2)], axis=1)
        scales = self.frames["contacts"]
        force = scale_values(scales["force_N"])[reader.take("u1", total)]
        error = scale_values(scales["error_J"])[reader.take("u1", total)]
        reader.end()
        frame = np.repeat(np.arange(m), counts)
        anchor = np.where(a >= 0, a, b)
        point = np.array(self.frames["origin"]) + self.frames["quantum_m"] * (offset + integers[frame, anchor])
        vector = unfolded(direction) * force[:, None]
        return [dict(a=a[s], b=b[s], point=point[s], force=vector[s], size=force[s], error=error[s])
                for s in (frame == f for f in range(m))]

    def steps(self):
        steps = self.document["steps"]
        reader = Reader(self.blobs["steps"])
        result = {name: reader.take("<f8" if name == "time" else "<f4", steps["count"]) for name in steps["columns"]}
        for name in TEXT_COLUMNS:
            result[name] = [steps["strings"][k] for k in reader.take("<i4", steps["count"])]
        reader.end()
        return result

    def worst(self):
        return np.frombuffer(self.blobs["worst"], [("joint", "<i4"), ("a", "<i4"), ("b", "<i4"), ("point", "<f4", 3)])

    def joint(self, which):
        return np.frombuffer(self.blobs[f"joint-{which}"], "<f4").reshape(6, -1)


def unfolded(direction):
    x, y = direction[:, 0], direction[:, 1]
    z = 1 - abs(x) - abs(y)
    sign = lambda v: np.where(v < 0, -1.0, 1.0)
    below = z < 0
    v = np.stack([np.where(below, (1 - abs(y)) * sign(x), x), np.where(below, (1 - abs(x)) * sign(y), y), z], axis=1)
    return v / np.maximum(np.linalg.norm(v, axis=1), 1e-300)[:, None]
