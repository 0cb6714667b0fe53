"""Kinds of AAC that no free encoder writes, made from plain low complexity by moving its bits.

What they decode to is known: the samples of the stream that they were made from, because what is added is silent or says
the same in another syntax (ISO/IEC 14496-3, 4.4.2).
"""
import struct

from adts import bits_of, bytes_of, contents, framed, frames, write

STEREO = contents("aac-44100-stereo-without-noise.aac")
MONO = contents("aac-24000-mono.aac")
PARAMETRIC = contents("aac-he-v2.aac")
REPLICATED = contents("aac-he-mono.aac")


# The profile's two bits say "scalable sampling rate", the payload is low complexity.
def profiled(stream, profile):
    for header, body in frames(stream):
        header[2] = header[2] & 0x3F | profile << 6
        yield framed(header, body)


write("aac-ssr-in-name.aac", profiled(STEREO, 2))

# A program config element that lists one front pair and one coupling channel, and a silent coupling channel behind
# the pair.
CONFIGURATION = (
    "101" + "0000" + "01" + "0100" + "0001" + "0000" + "0000" + "00" + "000" + "0001" + "000" + "10000" + "00000"
)
# Its tag, dependently switched, one target: both channels of pair 0, with a gain list for each; domain, sign, scale.
COUPLING = "010" + "0000" + "0" + "000" + "1" + "0000" + "11" + "0" + "0" + "00"
# Gain, a long window, no bands, no prediction, pulses, noise shaping or gain control; the second list: no common gain.
SILENCE = "00000000" + "0" + "00" + "0" + "000000" + "0" + "0" + "0" + "0" + "0"


def coupled(stream):
    for header, body in frames(stream):
        configuration = CONFIGURATION + "0" * (-len(CONFIGURATION) % 8) + "00000000"
        bits = bits_of(body).rstrip("0")
        header[2] &= 0xFE
        header[3] &= 0x3F
        yield framed(header, bytes_of(configuration + bits[:-3] + COUPLING + SILENCE + "111"))


write("aac-coupling.aac", coupled(STEREO))

# Parametric stereo that begins with the fifth packet, replication with the first or with the third.
plain, replicated, parametric = ([framed(*frame) for frame in frames(stream)] for stream in (MONO, REPLICATED, PARAMETRIC))
write("aac-he-v2-late.aac", replicated[:4] + parametric[4:])
write("aac-he-v2-later.aac", plain[:2] + replicated[2:6] + parametric[6:])


# MPEG-4 files by ffmpeg, whose packets and AudioSpecificConfig are replaced in place: sizes and places stay.
def repacked(source, name, configuration, packet, frame_count=1024):
    data = bytearray(contents(source))
    place = data.index(b"esds") + data[data.index(b"esds") :].index(b"\x05\x80\x80\x80\x05") + 5
    data[place : place + 5] = bytes_of(configuration).ljust(5, b"\0")
    sizes = data.index(b"stsz") + 12
    count = struct.unpack_from(">I", data, sizes)[0]
    offset = data.index(b"mdat") + 4
    for index in range(count):
        size = struct.unpack_from(">I", data, sizes + 4 + 4 * index)[0]
        new = packet(index, bytes(data[offset : offset + size]))
        data[offset : offset + size] = new[:size].ljust(size, b"\0")
        offset += size
    times = data.index(b"stts") + 8
    for index in range(struct.unpack_from(">I", data, times)[0]):
        struct.pack_into(">I", data, times + 8 + 8 * index, frame_count)
    for box in [b"mdhd"]:
        place = data.index(box) + 20
        struct.pack_into(">I", data, place, count * frame_count)
    write(name, [bytes(data)])


def config(object_type, channels, rest):
    kind = f"{object_type:05b}" if object_type < 31 else "11111" + f"{object_type - 32:06b}"
    return kind + "0100" + f"{channels:04b}" + rest


# Error resilient low complexity: the same elements without their names.
repacked(
    "mp4-aac-kinds-stereo.m4a", "mp4-aac-er-lc.m4a", config(17, 2, "001" + "000" + "0" + "00"),
    lambda index, packet: bytes_of(bits_of(packet)[3:]))


def noise(index, packet):
    """Bits that stand for some spectrum: in a complete code all do."""
    state, bits = 12345 + index, ""
    for _ in range(60):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        bits += f"{state >> 15:016b}"
    return bits


# One section of 20 bands in the first book, all of one scale factor; then low delay has pulses, noise shaping and gain
# control, and enhanced low delay noise shaping alone.
BANDS = "0001" + "10100" + "0" * 20
repacked(
    "mp4-aac-kinds-mono.m4a", "mp4-aac-ld.m4a", config(23, 1, "001" + "000" + "0" + "00"),
    lambda index, packet: bytes_of(
        "0000" + f"{150:08b}" + "0" + "00" + "0" + f"{20:06b}" + "0" + BANDS + "000" + noise(index, packet)), 512)
repacked(
    "mp4-aac-kinds-mono.m4a", "mp4-aac-eld.m4a", config(39, 1, "0" + "000" + "0" + "0000" + "00"),
    lambda index, packet: bytes_of(f"{150:08b}" + f"{20:06b}" + BANDS + "0" + noise(index, packet)), 512)
# xHE-AAC in name.
repacked("mp4-aac-kinds-mono.m4a", "xhe-aac.bin", config(42, 1, "0" * 8), lambda index, packet: packet)
