"""Byte-level fixtures, made from the encoded ones in the current folder: tags, garbage, cuts."""

import random
import struct


def read(name):
    with open(name, "rb") as file:
        return file.read()


def write(name, *parts):
    with open(name, "wb") as file:
        file.write(b"".join(parts))


def noise(count, seed):
    """Bytes without 0xFF, so that garbage never holds a sync word by chance."""
    generator = random.Random(seed)
    return bytes(generator.randrange(255) for _ in range(count))


def frame_size(header):
    """Bytes of an MPEG-1 layer III frame at 44.1 kHz."""
    rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    return 144000 * rates[header[2] >> 4] // 44100 + (header[2] >> 1 & 1)


def frames(stream):
    """The frames of an MPEG-1 layer III stream at 44.1 kHz without tags."""
    found, offset = [], 0
    while offset + 4 <= len(stream):
        size = frame_size(stream[offset:])
        found.append(stream[offset:offset + size])
        offset += size
    return found


def synchsafe(value):
    return bytes(value >> shift & 0x7F for shift in (21, 14, 7, 0))


def id3v2(major, entries, padding=0, flags=0):
    """A tag of version 2.`major`; `entries` are pairs of frame name and body."""
    body = b""
    for name, data in entries:
        if major == 2:
            body += name + struct.pack(">I", len(data))[1:] + data
        else:
            size = synchsafe(len(data)) if major == 4 else struct.pack(">I", len(data))
            body += name + size + b"\0\0" + data
    body += bytes(padding)
    return b"ID3" + bytes([major, 0, flags]) + synchsafe(len(body)) + body


def latin1(text):
    return b"\0" + text.encode("latin-1")


def utf16(text):
    return b"\1\xff\xfe" + text.encode("utf-16-le")


def utf8(text):
    return b"\3" + text.encode("utf-8")


def id3v1(title, artist, album, year, track, genre):
    def field(text, count):
        return text.encode("latin-1")[:count].ljust(count, b"\0")
    return (b"TAG" + field(title, 30) + field(artist, 30) + field(album, 30) + field(year, 4)
            + field("", 28) + bytes([0, track, genre]))


def apev2(items):
    body = b"".join(struct.pack("<II", len(value.encode()), 0) + key.encode() + b"\0" + value.encode()
                    for key, value in items)
    def fence(flags):
        return b"APETAGEX" + struct.pack("<IIII", 2000, len(body) + 32, len(items), flags) + bytes(8)
    return fence(0xA0000000) + body + fence(0x80000000)


bare = read("lame-44100-stereo-cbr128.mp3")  # An Info frame, then audio; no tags.
untagged = read("cbr-without-header.mp3")
packets = frames(untagged)

# Tags.
write("id3v1.mp3", bare, id3v1("Old Title", "Old Artist", "Old Album", "1999", 7, 17))
write("id3v22.mp3", id3v2(2, [(b"TT2", latin1("Two Title")), (b"TP1", latin1("Two Artist")),
                              (b"TRK", latin1("2/9"))]), bare)
write("id3v23-utf16.mp3", id3v2(3, [(b"TIT2", utf16("Ça va \u2014 \u65e5\u672c")), (b"TPE1", utf16("Künstler")),
                                    (b"TALB", utf16("Альбом")), (b"TRCK", latin1("3/12")),
                                    (b"TLEN", latin1("2707"))], padding=512), bare)
write("id3v24-ape-id3v1.mp3",
      id3v2(4, [(b"TIT2", utf8("Quatre \u266b")), (b"TPE1", utf8("Artiste")), (b"TDRC", utf8("2024-05-06")),
                (b"COMM", b"\3eng\0" + "a comment".encode())], padding=100),
      bare, apev2([("Title", "Ape Title"), ("Album", "Ape Album")]),
      id3v1("Old Title", "Old Artist", "Old Album", "1999", 4, 17))
write("id3v24-twice.mp3", id3v2(4, [(b"TIT2", utf8("First"))]), id3v2(3, [(b"TPE1", latin1("Second"))]), bare)
write("id3v24-large.mp3", id3v2(4, [(b"TIT2", utf8("Large")), (b"APIC", b"\0image/png\0\3\0" + noise(200000, 1))]), bare)
write("id3v2-size-lies.mp3", b"ID3\3\0\0" + synchsafe(0x0FFFFFFF), bare)

# Garbage and damage.
half = len(packets) // 2
write("garbage-in-front.mp3", noise(3001, 2), untagged)
write("garbage-between.mp3", *packets[:half], noise(777, 3), *packets[half:])
write("garbage-behind.mp3", untagged, noise(1234, 4))
write("garbage-only.mp3", noise(50000, 5))
write("zeros-only.mp3", bytes(50000))
write("false-syncs.mp3", b"\xff\xfb\x90\x64" * 300, untagged)
write("cut-in-a-frame.mp3", *packets[:50], packets[50][:200])
write("starts-in-a-frame.mp3", packets[0][100:], *packets[1:])
write("one-packet-missing.mp3", *packets[:half], *packets[half + 1:])
write("one-packet.mp3", packets[20])
write("header-alone.mp3", packets[0][:4])
write("empty.mp3")
write("xing-claims-too-much.mp3", bare[:frame_size(bare) * 40])


# WAVE whose last block of ADPCM has fewer bytes than the others, and one that is cut in a block.
for kind in "ms", "ima":
    for channels in 1, 2:
        wave = read(f"adpcm-{kind}-ffmpeg-{channels}.wav")
        data = wave.index(b"data")
        size = 1024 * channels + 676 * channels
        cut = wave[:data + 4] + struct.pack("<I", size) + wave[data + 8:data + 8 + size]
        write(f"adpcm-short-{kind}-{channels}.wav", cut[:4], struct.pack("<I", len(cut) - 8), cut[8:])
        write(f"adpcm-cut-{kind}-{channels}.wav", wave[:data + 8 + size])
