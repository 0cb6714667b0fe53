"""ALAC that no encoder here writes: every depth, order, shift and number of channels, with residuals and coefficients by
chance. What it sounds like does not matter: two decoders must agree on it.
"""

import random
import struct


class Bits:
    def __init__(self):
        self.text = []

    def put(self, value, count):
        if count:
            self.text.append(f"{value & (1 << count) - 1:0{count}b}")

    def bytes(self):
        bits = "".join(self.text)
        bits += "0" * (-len(bits) % 8)
        return int(bits, 2).to_bytes(len(bits) // 8, "big")


def put_number(bits, value, parameter, escape):
    quotient, remainder = divmod(value, (1 << parameter) - 1)
    if quotient > 8:
        bits.put(0x1FF, 9)
        bits.put(value, escape)
    else:
        bits.put((1 << quotient) - 1 << 1, quotient + 1)
        bits.put(*(remainder + 1, parameter) if remainder else (0, parameter - 1))


def put_residuals(bits, residuals, width, multiplier):
    """Parameters pb * factor / 4 = multiplier, mb = 10, kb = 14."""
    mean, bias, index = 10, 0, 0
    while index < len(residuals):
        value = residuals[index] * 2 if residuals[index] >= 0 else -residuals[index] * 2 - 1
        put_number(bits, value - bias, min(((mean >> 9) + 3).bit_length() - 1, 14), width)
        index += 1
        mean += multiplier * value - (multiplier * mean >> 9)
        if value - bias > 0xFFFF:
            mean = 0xFFFF
        bias = 0
        if mean < 128 and index < len(residuals):
            run = 0
            while index + run < len(residuals) and residuals[index + run] == 0:
                run += 1
            put_number(bits, run, 8 - mean.bit_length() + (mean + 16 >> 6), 16)
            index, mean, bias = index + run, 0, 1


def put_element(bits, tag, channels, depth, count, frame_length, chance):
    # ffmpeg refuses two verbatim channels of 32 bits.
    verbatim = depth < 32 and chance.random() < 0.1
    low_bytes = 0 if verbatim else chance.choice({16: [0, 0, 1], 20: [0, 1], 24: [0, 1, 2], 32: [1, 2]}[depth])
    bits.put(tag, 3)
    bits.put(0, 16)
    bits.put(count != frame_length, 1)
    bits.put(low_bytes, 2)
    bits.put(verbatim, 1)
    if count != frame_length:
        bits.put(count, 32)
    if verbatim:
        for _ in range(count * channels):
            bits.put(chance.getrandbits(depth), depth)
        return
    width = depth - 8 * low_bytes + channels - 1
    bits.put(chance.randrange(5), 8)
    bits.put(chance.choice([0, 1, 2, 3]), 8)
    factors = []
    for _ in range(channels):
        order = chance.choice([0, 1, 2, 4, 5, 6, 8, 8, 16, 30, 31])
        factors.append(chance.randrange(1, 8))
        bits.put(chance.choice([0, 0, 15]), 4)
        bits.put(chance.randrange(4, 12), 4)
        bits.put(factors[-1], 3)
        bits.put(order, 5)
        for _ in range(order):
            bits.put(chance.randrange(-200, 200), 16)
    for _ in range(count * channels * low_bytes):
        bits.put(chance.getrandbits(8), 8)
    for factor in factors:
        scale = chance.choice([0.2, 1, 10, 200, 3000, 1 << width - 4])
        limit = (1 << width - 1) - 1
        residuals = [max(-limit, min(limit, int(chance.gauss(0, scale)))) for _ in range(count)]
        put_residuals(bits, residuals, width, 40 * factor // 4)


def packet(channels, depth, count, frame_length, chance):
    bits = Bits()
    for tag in {1: [0], 2: [1], 3: [0, 1], 4: [0, 1, 0], 5: [0, 1, 1], 6: [0, 1, 1, 3], 7: [0, 1, 1, 0, 3], 8: [0, 1, 1, 1, 3]}[channels]:
        put_element(bits, tag, 2 if tag == 1 else 1, depth, count, frame_length, chance)
    bits.put(7, 3)
    return bits.bytes()


def variable_length(value):
    groups = [value & 0x7F]
    while value := value >> 7:
        groups.append(value & 0x7F | 0x80)
    return bytes(reversed(groups))


def chunk(name, data):
    return name + struct.pack(">q", len(data)) + data


def write_caf(name, packets, channels, depth, frame_length, frames):
    flags = {16: 1, 20: 2, 24: 3, 32: 4}[depth]
    description = struct.pack(">d4s5I", 44100, b"alac", flags, 0, frame_length, channels, 0)
    cookie = struct.pack(">I6BH3I", frame_length, 0, depth, 40, 10, 14, channels, 255, 0, 0, 44100)
    table = struct.pack(">qqii", len(packets), frames, 0, len(packets) * frame_length - frames)
    with open(name, "wb") as file:
        file.write(b"caff" + struct.pack(">HH", 1, 0))
        file.write(chunk(b"desc", description) + chunk(b"kuki", cookie))
        file.write(chunk(b"pakt", table + b"".join(variable_length(len(packet)) for packet in packets)))
        file.write(chunk(b"data", struct.pack(">I", 0) + b"".join(packets)))


for channels, depth in [(2, 16), (2, 20), (2, 24), (2, 32)] + [(channels, 24) for channels in (1, 3, 4, 5, 6, 7, 8)]:
    chance = random.Random(channels * 100 + depth)
    frame_length = 256
    counts = [frame_length] * (120 // channels) + [77]
    packets = [packet(channels, depth, count, frame_length, chance) for count in counts]
    write_caf(f"alac-by-chance-{depth}-{channels}.caf", packets, channels, depth, frame_length, sum(counts))
