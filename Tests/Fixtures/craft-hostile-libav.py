"""Small files for libavformat that claim absurd sizes, made from the encoded ones in the current folder: hostile/libav-*."""

import os
import struct

os.makedirs("hostile", exist_ok=True)


def lie(source, name, mark, distance, claim, last=False):
    """A file with `claim` in it, `distance` bytes behind a mark."""
    with open(source, "rb") as file:
        data = file.read()
    at = (data.rindex(mark) if last else data.index(mark)) + distance
    with open(f"hostile/libav-{name}{os.path.splitext(source)[1]}", "wb") as file:
        file.write(data[:at] + claim + data[at + len(claim):])


SHORT, WORD, LARGE = b"\xff\xff", b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff"

for name, distance, claim in ("channels", 6, SHORT), ("rate", 10, WORD), ("frames", 14, LARGE):
    lie("libav-tta.tta", name, b"TTA1", distance, claim)
for name, distance, claim in ("size", 4, b"\xff\xff\xff\x0f"), ("all", 12, LARGE), ("block", 20, LARGE):
    lie("libav-wavpack.wv", name, b"wvpk", distance, claim)
for name, distance, claim in ("channels", 24, SHORT), ("some", 24, b"\x20\0"), ("rate", 28, WORD), ("block", 44, b"\xff\xff\xff\x0f"):
    lie("libav-dsd64.dsf", name, b"fmt ", distance, claim)
for name, distance, claim in ("channels", 26, SHORT), ("rate", 28, WORD), ("block", 36, SHORT):
    lie("libav-gsm.w64", name, b"fmt ", distance, claim)
for name, distance, claim in ("format", 4, WORD), ("channels", 10, SHORT), ("rate", 12, WORD), ("block", 20, SHORT):
    lie("libav-mp3.avi", name, b"strf", distance, claim)
    lie("libav-pcm.avi", "pcm-" + name, b"strf", distance, claim)
lie("libav-mp3.avi", "chunk", b"movi", 8, WORD)
for name, distance, claim in ("channels", 2, SHORT), ("rate", 4, WORD), ("block", 12, SHORT), ("configuration", 16, SHORT):
    lie("libav-wmav2.wma", name, b"\x61\x01\x02\0", distance, claim)
# The size of packets in ASF's file properties.
lie("libav-wmav2.wma", "packet", bytes.fromhex("a1dcab8c47a9cf118ee400c00c205365"), 92, b"\xff\xff\xff\x01" * 2)
lie("libav-mp3.flv", "tag", b"FLV", 14, b"\xff\xff\xff")
lie("libav-pcm.voc", "block", b"Creative", 27, b"\xff\xff\xff")
lie("libav-pcm.voc", "channels", b"Creative", 35, b"\xff")
lie("libav-musepack.mpc", "stream", b"MPCK", 12, LARGE)
lie("libav-wavpack.mka", "channels", b"\x9f\x81\x02", 2, b"\xff")

# Monkey's Audio 3.99: frames of 2^31 samples, 2^31 frames, 65,535 channels.
for name, block, count, channels in ("block", 0x7FFFFFFF, 1, 2), ("frames", 73728, 0x7FFFFFFF, 2), ("channels", 73728, 1, 65535):
    descriptor = b"MAC " + struct.pack("<HHIIIIIII", 3990, 0, 52, 24, 4 * min(count, 99), 0, 3000, 0, 0) + bytes(16)
    header = struct.pack("<HHIIIHHI", 5000, 0, block, min(block, 1 << 20), count, 16, channels, 44100)
    with open(f"hostile/libav-{name}.ape", "wb") as file:
        file.write(descriptor + header + struct.pack("<I", 476) * min(count, 99) + bytes(range(256)) * 12)
