#!/usr/bin/env python3
"""Draws cover.png: a sun over five waves, the last of which goes on without a break. Always the same picture.

Needs nothing but Python's standard library. CC0, see LICENSE.
"""

import math
import os
import struct
import zlib

SIDE = 480
SAMPLES = 3  # in each direction, for smooth edges
SKY = [(0.0, (24, 32, 74)), (0.35, (92, 58, 120)), (0.6, (222, 104, 98)), (0.8, (250, 178, 104)), (1.0, (255, 220, 150))]
SUN = (255, 236, 190)
# Height of the crest, its waves, their size, their shift, and the colour: from the farthest to the nearest.
WAVES = [
    (0.62, 1.5, 0.022, 0.3, (198, 92, 104)),
    (0.69, 1.1, 0.030, 1.9, (140, 66, 108)),
    (0.77, 1.7, 0.026, 4.0, (88, 50, 104)),
    (0.85, 1.3, 0.034, 5.2, (48, 38, 86)),
    (0.93, 1.0, 0.028, 0.8, (22, 24, 58)),
]


def mixed(first, second, part):
    return tuple(a + (b - a) * part for a, b in zip(first, second))


def sky(y):
    """The colour at a height, 0 at the top."""
    for (above, first), (below, second) in zip(SKY, SKY[1:]):
        if y <= below:
            return mixed(first, second, (y - above) / (below - above))
    return SKY[-1][1]


def crest(wave, x):
    height, count, size, shift, _ = wave
    return height + size * math.sin(2 * math.pi * count * x + shift) + size / 3 * math.sin(5 * math.pi * x + 2 * shift)


def color(x, y):
    """The colour of a point; both coordinates go from 0 to 1."""
    for wave in reversed(WAVES):
        depth = y - crest(wave, x)
        if depth >= 0:
            return mixed(wave[4], (14, 16, 40), min(1, depth * 1.6)) if depth > 0.006 else mixed(wave[4], SUN, 0.5)
    distance = math.hypot(x - 0.5, y - 0.52)
    if distance < 0.17:
        return mixed(SUN, (255, 176, 110), max(0, (y - 0.4) * 2.2))
    return mixed(sky(y / 0.7 if y < 0.7 else 1), SUN, 0.45 * math.exp(-8 * (distance - 0.17)))


def main():
    offsets = [(part + 0.5) / SAMPLES for part in range(SAMPLES)]
    rows = bytearray()
    for row in range(SIDE):
        line = bytearray()
        for column in range(SIDE):
            colors = [color((column + dx) / SIDE, (row + dy) / SIDE) for dy in offsets for dx in offsets]
            line += bytes(round(sum(channel) / len(colors)) for channel in zip(*colors))
        # Each byte less the one of the pixel before it (PNG filter 1), which packs smaller.
        rows += b"\x01" + bytes((line[i] - (line[i - 3] if i >= 3 else 0)) & 255 for i in range(len(line)))

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cover.png")
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(rows), 9)))
        file.write(chunk(b"IEND", b""))


if __name__ == "__main__":
    main()
