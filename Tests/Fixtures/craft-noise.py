#!/usr/bin/env python3
"""craft-noise.py BITS CHANNELS RATE FRAMES: prints a WAVE file, a sweep plus noise for each channel, as loud as can be."""
import math
import random
import struct
import sys

bits, channels, rate, frames = map(int, sys.argv[1:])
size = (bits + 7) // 8
top = 2 ** (bits - 1) - 1
noise = random.Random(1)
data = bytearray()
for frame in range(frames):
    for channel in range(channels):
        angle = frame * (0.01 + 0.003 * channel + 0.000002 * frame)
        sample = int(top * (0.8 * math.sin(angle) + noise.uniform(-0.1, 0.1)))
        if frame % 1000 < 2:
            sample = (top, -top - 1)[frame % 1000]
        sample <<= 8 * size - bits
        data += (sample + 128).to_bytes(1, "little") if size == 1 else sample.to_bytes(size, "little", signed=True)
guid = bytes.fromhex("0100000000001000800000aa00389b71")
fmt = struct.pack("<HHIIHHHHI", 0xFFFE, channels, rate, rate * channels * size, channels * size, 8 * size, 22, bits, 0) + guid
chunks = b"WAVEfmt " + struct.pack("<I", len(fmt)) + fmt + b"data" + struct.pack("<I", len(data)) + data
sys.stdout.buffer.write(b"RIFF" + struct.pack("<I", len(chunks)) + chunks)
