"""Small files that claim to need gigabytes, made from the encoded ones in the current folder: hostile/*."""

import os
import struct

os.makedirs("hostile", exist_ok=True)


def read(name):
    with open(name, "rb") as file:
        return file.read()


def write(name, *parts):
    with open("hostile/" + name, "wb") as file:
        file.write(b"".join(parts))


def box(name, *content):
    content = b"".join(content)
    return struct.pack(">I", 8 + len(content)) + name + content


def replaced(data, at, new):
    return data[:at] + new + data[at + len(new):]


# --- MPEG-4: one size of many, all sizes, frames of packets, packets that only a table tells of.
whole = read("mp4-aac.m4a")
sizes = whole.index(b"stsz")
count = struct.unpack_from(">I", whole, sizes + 12)[0]
for name, number in ("first", 0), ("middle", count // 2), ("last", count - 1):
    write(f"stsz-{name}.m4a", replaced(whole, sizes + 16 + 4 * number, b"\xff\0\0\0"))
write("stsz-below-the-limit.m4a", replaced(whole, sizes + 16 + 4 * (count // 2), b"\0\x0f\xff\xff"))
write("stsz-constant.m4a", replaced(whole, sizes + 8, b"\xff\0\0\0"))
write("stsz-ones.m4a", replaced(whole, sizes + 8, b"\0\0\0\1\xff\xff\xff\xff"))
durations = whole.index(b"stts")
write("stts-counts.m4a", replaced(whole, durations + 12, b"\xff\xff\xff\xff\0\0\4\0"))
chunks = whole.index(b"stsc")
write("stsc-counts.m4a", replaced(whole, chunks + 16, b"\xff\xff\xff\xff"))
opus = read("mp4-opus.mp4")
sizes = opus.index(b"stsz")
write("opus-sizes.mp4", replaced(opus, sizes + 8, b"\0\0\0\1\xff\xff\xff\xff"))
write("stz2.m4a", replaced(whole, whole.index(b"stsz"), b"stz2\0\0\0\0\0\0\0\4\xff\xff\xff\xff"))

entry = opus[opus.index(b"Opus") - 4:]
entry = entry[:struct.unpack(">I", entry[:4])[0]]


def movie(sample_size, extra=b"", durations=((0xFFFFFFFF, 960),)):
    """A track of Opus with 2^32 - 1 samples of one size, all of them in one chunk, and something more in `moov`."""
    tables = box(b"stsd", struct.pack(">II", 0, 1), entry)
    tables += box(b"stts", struct.pack(">II", 0, len(durations)), *(struct.pack(">II", *entry) for entry in durations))
    tables += box(b"stsc", struct.pack(">IIIII", 0, 1, 1, 0xFFFFFFFF, 1))
    tables += box(b"stsz", struct.pack(">III", 0, sample_size, 0xFFFFFFFF))
    tables += box(b"stco", struct.pack(">III", 0, 1, 40))
    handler = box(b"hdlr", bytes(8), b"soun", bytes(13))
    times = box(b"mdhd", bytes(12), struct.pack(">II", 48000, 0), bytes(4))
    head = box(b"tkhd", struct.pack(">IIII", 1, 0, 0, 1), bytes(68))
    track = box(b"trak", head, box(b"mdia", times, handler, box(b"minf", box(b"stbl", tables))))
    return box(b"ftyp", b"M4A \0\0\0\0") + box(b"moov", box(b"mvhd", bytes(100)), track, extra) + box(b"mdat", bytes(999))


fragmented = box(b"mvex", box(b"trex", struct.pack(">IIIIII", 0, 1, 1, 960, 9, 0)))
varied = [(0x7FFFFFFF, 960), (0x7FFFFFFF, 480), (1, 960)]
for size in 1, 100, 0xFF000000:
    write(f"movie-{size}.mp4", movie(size))
    write(f"movie-varied-{size}.mp4", movie(size, durations=varied))
    write(f"fragmented-{size}.mp4", movie(size, fragmented))
    write(f"fragmented-varied-{size}.mp4", movie(size, fragmented, varied))

fragments = read("mp4-fragments.m4a")
run = fragments.index(b"trun")
write("trun-count.m4a", replaced(fragments, run + 8, b"\xff\xff\xff\xff"))
write("trun-size.m4a", replaced(fragments, run + 16, b"\xff\0\0\0\xff\0\0\0"))
for size in 0, 1:
    default = box(b"traf", box(b"tfhd", struct.pack(">IIII", 0x20018, 1, 960, size)),
                  box(b"trun", struct.pack(">II", 0, 1 << 22)))
    sides = box(b"mvex", box(b"trex", struct.pack(">IIIIII", 0, 1, 1, 960, size, 0)))
    part = box(b"moof", default) + box(b"mdat", bytes(99))
    write(f"trun-defaults-{size}.mp4", movie(0, sides), part * 300)
header = fragments.index(b"tfhd")
write("tfhd.m4a", replaced(fragments, header + 12, b"\xff" * 16))


# --- CAF: packets of 2^28 frames, and of 2^28 bytes.
def number(value):
    parts = [value & 0x7F]
    while value > 0x7F:
        value >>= 7
        parts.insert(0, value & 0x7F | 0x80)
    return bytes(parts)


def caf(codec, frames_per_packet, channels, table, count, cookie=b"", rate=48000.0):
    head = struct.pack(">d4sIIIII", rate, codec, 0, 0, frames_per_packet, channels, 0)
    chunks = b"caff\0\1\0\0desc" + struct.pack(">q", len(head)) + head
    if cookie:
        chunks += b"kuki" + struct.pack(">q", len(cookie)) + cookie
    pakt = struct.pack(">qqii", count, (1 << 62), 0, 0) + table
    return chunks + b"pakt" + struct.pack(">q", len(pakt)) + pakt + b"data" + struct.pack(">qI", 4 + 9000, 0) + bytes(9000)


alac = read("alac-44100-stereo.m4a")
alac = alac[alac.rindex(b"alac\0\0\0\0") + 8:][:24]
for codec, cookie in (b"alac", alac), (b"aac ", b""), (b".mp3", b""), (b"opus", b""):
    name = codec.decode().strip(" .")
    for frames in 1 << 17, 1 << 20, (1 << 28) - 1:
        write(f"frames-{frames}-{name}.caf", caf(codec, 0, 2, (number(100) + number(frames)) * 50, 50, cookie))
    write(f"bytes-{name}.caf", caf(codec, 1024, 2, number((1 << 28) - 1) * 50, 50, cookie))
    write(f"counts-{name}.caf", caf(codec, 1024, 2, number(1) * 50, (1 << 60), cookie))


# --- WAVE and AIFF: blocks, channels and rates of fields that are all ones.
def wave(tag, channels, rate, block, bits, extra=b"", data=bytes(range(256)) * 300):
    form = struct.pack("<HHIIHH", tag, channels, rate, rate, block, bits) + extra
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


for tag, bits in (1, 8), (1, 32), (3, 64), (6, 8), (2, 4), (0x11, 4), (0x55, 0), (0x50, 0), (0x1600, 0), (0x2000, 0):
    for channels in 1, 2, 32, 33, 255, 65535:
        for block in channels * bits // 8, 65535:
            extra = struct.pack("<HHH", 4, 65535, 65535) if tag in (2, 0x11) else b""
            if channels in (1, 32, 65535) or block == 65535:
                write(f"wave-{tag}-{channels}-{block}.wav", wave(tag, channels, 3_000_000, min(65535, block), bits, extra))

# --- FLAC: blocks and rates of the largest numbers, frames and metadata that lie about their sizes.
flac = read("flac-16-2-44100.flac")
write("streaminfo.flac", replaced(flac, 8, b"\xff\xff\xff\xff\0\0\0\xff\xff\xff"))
write("streaminfo-rate.flac", replaced(flac, 18, b"\xff\xff\xff\xff\xff\xff\xff\xff"))
write("streaminfo-blocks.flac", replaced(flac, 8, b"\0\x10\xff\xff\0\0\0\xff\xff\xff"))
write("metadata.flac", replaced(flac, 42, b"\4\xff\xff\xff\xff\xff\xff\xff"))


def flac_remainder(data, polynomial, width):
    value = 0
    for byte in data:
        value ^= byte << (width - 8)
        for _ in range(8):
            value = (value << 1 ^ (polynomial if value >> (width - 1) else 0)) & ((1 << width) - 1)
    return value.to_bytes(width // 8, "big")


def coded(value):
    """A number as UTF-8 codes characters, in six bytes."""
    return bytes([0xFC | value >> 30] + [0x80 | value >> shift & 0x3F for shift in (24, 18, 12, 6, 0)])


def flac_frame(value, size):
    """A block of `size` silent frames, number `value`."""
    head = b"\xff\xf8" + bytes([0x79, 0x08]) + coded(value) + struct.pack(">H", size - 1)
    head += flac_remainder(head, 7, 8)
    return head + b"\0\0\0" + flac_remainder(head + b"\0\0\0", 0x8005, 16)


# Between any two of them nearly 30 seconds are missing.
for size in 1, 16, 1000:
    info = struct.pack(">HH", size, size) + bytes(6) + struct.pack(">II", 44100 << 12 | 15 << 4, 0) + bytes(16)
    blocks = [flac_frame(number * (44100 * 29 // size), size) for number in range(600)]
    write(f"gaps-{size}.flac", b"fLaC\x80\0\0\x22", info, *blocks)


# --- Ogg: Vorbis whose code books have as many values as the fields can say.
def checksum(data):
    value = 0
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ (0x04C11DB7 if value >> 31 else 0)) & 0xFFFFFFFF
    return value


def page(packets, sequence, flags=0, granule=0):
    lacing = b"".join(bytes([255] * (len(packet) // 255) + [len(packet) % 255]) for packet in packets)
    head = b"OggS\0" + bytes([flags]) + struct.pack("<qIII", granule, 1, sequence, 0) + bytes([len(lacing)]) + lacing
    data = head + b"".join(packets)
    return replaced(data, 22, struct.pack("<I", checksum(data)))


def bits(*fields):
    """Numbers with their lowest bit first, each with its count of bits."""
    value = length = 0
    for field, count in fields:
        value |= field << length
        length += count
    return value.to_bytes((length + 7) // 8, "little")


def vorbis(dimensions, entries, books, lookup, channels=1, blocks=0xB8):
    book = [(0x564342, 24), (dimensions, 16), (entries, 24), (1, 1), (entries.bit_length() - 2, 5)]
    book += [(entries, entries.bit_length()), (lookup, 4)]
    if lookup:
        side = 1
        while (side + 1) ** dimensions <= entries:
            side += 1
        book += [(0, 32), (0, 32), (0, 4), (0, 1), (0, side)]
    setup = [(books - 1, 8)] + book * books + [(0, 6), (0, 16)]
    # Floor 0 and residue 0 of the first book, one mapping, one mode.
    setup += [(0, 6), (0, 16), (8, 8), (8000, 16), (64, 16), (8, 6), (0, 8), (0, 4), (0, 8)]
    setup += [(0, 6), (0, 16), (0, 24), (0, 24), (0, 24), (0, 6), (0, 8), (0, 3), (0, 1)]
    setup += [(0, 6), (0, 16), (0, 1), (0, 1), (0, 2), (0, 8), (0, 8), (0, 8)]
    setup += [(0, 6), (0, 1), (0, 16), (0, 16), (0, 8), (1, 1)]
    head = b"\1vorbis" + struct.pack("<IBIiii", 0, channels, 48000, 0, 0, 0) + bytes([blocks, 1])
    comments = b"\3vorbis" + bytes(8) + b"\1"
    pages = [page([head], 0, 2), page([comments, b"\5vorbis" + bits(*setup)], 1)]
    return b"".join(pages + [page([bytes(200)] * 4, 2 + number, granule=(number + 1) * 8192) for number in range(9)])


write("vorbis-small.ogg", vorbis(1, 16, 1, 1))
write("vorbis-entries.ogg", vorbis(1, 1 << 23, 100, 0))
write("vorbis-values.ogg", vorbis(8, 1 << 20, 100, 1))
write("vorbis-books.ogg", vorbis(2, 1 << 13, 200, 1))
write("vorbis-channels.ogg", vorbis(1, 16, 1, 1, channels=255, blocks=0xDD))

# --- Tags: one that claims all there can be, in front and behind, and pictures.
song = read("cbr-without-header.mp3")[:40000]
write("id3.mp3", b"ID3\4\0\0\x7f\x7f\x7f\x7fAPIC\x7f\x7f\x7f\x7f\0\0" + bytes(99), song)
write("ape-behind.mp3", song, bytes(500) + b"APETAGEX" + struct.pack("<IIII", 2000, 0x0FFFFFFF, 9, 0) + bytes(8))
write("ape-in-front.mp3", b"APETAGEX" + struct.pack("<IIII", 2000, 0x0FFFFFFF, 9, 0xA0000000) + bytes(8), song)
write("lyrics3.mp3", song, b"LYRICSBEGIN" + bytes(300) + b"999999LYRICS200")
vbri = replaced(song, 36, b"VBRI" + bytes(6) + b"\xff" * 4 + b"\xff" * 4 + b"\xff\xff\xff\xff\0\4\xff\xff")
write("vbri.mp3", vbri)
write("xing.mp3", replaced(song, 36, b"Xing\0\0\0\x0f" + b"\xff" * 120 + b"LAME3.100" + b"\xff" * 27))
