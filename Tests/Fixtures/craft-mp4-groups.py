"""MP4 and QuickTime files whose samples hold several MPEG audio frames, made from those with one in each."""

import itertools
import struct


def boxes(data):
    """Pairs of type and content."""
    offset = 0
    while offset + 8 <= len(data):
        size, name = struct.unpack_from(">I4s", data, offset)
        yield name, data[offset + 8:offset + size]
        offset += size


def box(name, content):
    return struct.pack(">I", 8 + len(content)) + name + content


def regrouped(samples, counts):
    """Sums of as many samples as `counts` says, again and again."""
    rest = iter(samples)
    groups = (list(itertools.islice(rest, count)) for count in itertools.cycle(counts))
    return [sum(group) for group in itertools.takewhile(bool, groups)]


def rewritten(data, counts, tables):
    """The content of a box with other tables of samples."""
    found = b""
    for name, content in boxes(data):
        if name in (b"moov", b"trak", b"mdia", b"minf", b"stbl"):
            content = rewritten(content, counts, tables)
        elif name in (b"stts", b"stsz"):
            groups = regrouped(tables[name], counts)
            if name == b"stsz":
                content = struct.pack(f">III{len(groups)}I", 0, 0, len(groups), *groups)
            else:
                content = struct.pack(">II", 0, len(groups)) + b"".join(struct.pack(">II", 1, time) for time in groups)
        elif name == b"stsc":
            content = struct.pack(">IIIII", 0, 1, 1, len(regrouped(tables[b"stsz"], counts)), 1)
        found += box(name, content)
    return found


def sample_tables(data):
    """The duration and the size of each sample."""
    tables = {}
    for name, content in boxes(data):
        if name in (b"moov", b"trak", b"mdia", b"minf", b"stbl"):
            tables |= sample_tables(content)
        elif name == b"stts":
            entries = struct.iter_unpack(">II", content[8:])
            tables[name] = [time for count, time in entries for _ in range(count)]
        elif name == b"stsz":
            tables[name] = [size for size, in struct.iter_unpack(">I", content[12:])]
    return tables


for name, made, counts in [
    ("mp4-mp3.mp4", "mp4-mp3-groups-of-5.mp4", [5]), ("mp4-mp3.mov", "mp4-mp3-groups-of-5.mov", [5]),
    ("mp4-mp3.mp4", "mp4-mp3-groups.mp4", [3, 1, 7, 2]),
]:
    with open(name, "rb") as file:
        whole = file.read()
    with open(made, "wb") as file:
        file.write(rewritten(whole, counts, sample_tables(whole)))


# --- The same in fragments: eleven samples in each, the tables in `moov` empty.
EMPTY = {b"stts": bytes(8), b"stsc": bytes(8), b"stsz": bytes(12), b"stco": bytes(8)}


def emptied(data):
    """The content of a box whose tables of samples are empty."""
    found = b""
    for name, content in boxes(data):
        if name in (b"moov", b"trak", b"mdia", b"minf", b"stbl"):
            content = emptied(content)
            if name == b"moov":
                content += box(b"mvex", box(b"trex", struct.pack(">IIIIII", 0, 1, 1, 0, 0, 0)))
        found += box(name, EMPTY.get(name, content))
    return found


def fragment(number, durations, sizes, data):
    runs = b"".join(struct.pack(">II", *pair) for pair in zip(durations, sizes))
    head = 8 + 16 + 8 + 16 + 8 + 12 + len(runs)
    run = box(b"trun", struct.pack(">III", 0x301, len(sizes), head + 8) + runs)
    track = box(b"traf", box(b"tfhd", struct.pack(">II", 0x20000, 1)) + run)
    return box(b"moof", box(b"mfhd", struct.pack(">II", 0, number)) + track) + box(b"mdat", data)


with open("mp4-mp3.mp4", "rb") as file:
    source = file.read()
tables = sample_tables(source)
audio = next(content for name, content in boxes(source) if name == b"mdat")
for made, counts in ("mp4-mp3-fragments.mp4", [1]), ("mp4-mp3-fragments-of-5.mp4", [5]), ("mp4-mp3-fragments-mixed.mp4", [3, 1, 7]):
    durations, sizes = (regrouped(tables[name], counts) for name in (b"stts", b"stsz"))
    parts, start = [], 0
    for first in range(0, len(sizes), 11):
        size = sizes[first:first + 11]
        parts.append(fragment(1 + first // 11, durations[first:first + 11], size, audio[start:start + sum(size)]))
        start += sum(size)
    kept = b"".join(box(name, content) for name, content in boxes(source) if name == b"ftyp")
    moov = b"".join(emptied(box(name, content)) for name, content in boxes(source) if name == b"moov")
    with open(made, "wb") as file:
        file.write(kept + moov + b"".join(parts))
