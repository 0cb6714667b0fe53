#!/usr/bin/env python3
"""Makes libav-dsd64.dsf, libav-dsd128.dsf: a sine of 1 kHz as the bits of a second-order delta-sigma converter.

DSF (Sony, "DSF File Format Specification" 1.01): blocks of 4096 bytes for each channel in turn, lowest bit first.
"""
import math
import struct


def converter(rate, count, frequency, phase):
    first = second = 0.0
    bits = bytearray()
    byte = 0
    step = 2 * math.pi * frequency / rate
    for number in range(count):
        wanted = 0.4 * math.sin(step * number + phase)
        bit = 1.0 if second >= 0 else -1.0
        first += wanted - bit
        second += first - 2 * bit
        byte |= (bit > 0) << (number & 7)
        if number & 7 == 7:
            bits.append(byte)
            byte = 0
    return bytes(bits)


def dsf(name, rate, count):
    channels = [converter(rate, count, 1000, phase) for phase in (0, math.pi / 2)]
    size = 4096
    data = b"".join(
        channel[start:start + size].ljust(size, b"\0") for start in range(0, count // 8, size) for channel in channels)
    form = struct.pack("<4sQIIIIIIQII", b"fmt ", 52, 1, 0, 2, 2, rate, 1, count, size, 0)
    head = struct.pack("<4sQQQ", b"DSD ", 28, 28 + 52 + 12 + len(data), 0)
    with open(name, "wb") as file:
        file.write(head + form + struct.pack("<4sQ", b"data", 12 + len(data)) + data)


dsf("libav-dsd64.dsf", 64 * 44100, 64 * 44100 * 3 // 10 // 8 * 8)
dsf("libav-dsd128.dsf", 128 * 44100, 128 * 44100 * 3 // 20 // 8 * 8)
