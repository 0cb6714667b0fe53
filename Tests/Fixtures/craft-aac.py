"""HE-AAC from AAC at half its rate: no free encoder writes it, but what it adds is small enough to be written here.

A fill element with spectral band replication, and for version 2 parametric stereo within it, is put before the end
element of each frame (ISO/IEC 14496-3, 4.4.2.8 and 8.4). All its values are constant: the upper half of the spectrum has
one level, and parametric stereo pans to one side.
"""
from adts import bits_of, bytes_of, contents, framed, frames, write

# bs_amp_res, start 5, stop 9, no crossover, one noise band: 16 bands at 48 kHz.
HEADER = "1" + "0" + "0101" + "1001" + "000" + "00" + "10" + "10" + "1" + "00"
GRID = "00" + "00" + "1"  # FIXFIX, one envelope of high resolution
NOISE = "01010"


def envelope(level):
    """The first band's level in steps of 1.5 dB, and 15 times no difference to the band below."""
    return f"{level:07b}" + "00" * 15


def parametric_stereo():
    """Ten bands of intensity difference, the first a step off 0 and the others none off the first."""
    data = "10" + "1" + "1" + "000" + "0" + "0" + "0" + "01" + "0" + "110" + "0" * 9
    data = bits_of(bytes_of(data))
    return f"1{len(data) // 8:04b}" + data


MONO = "0" + GRID + "00" + "00" + envelope(20) + NOISE + "0"
PAIR = "00" + GRID * 2 + "0000" + "0000" + envelope(20) + envelope(14) + NOISE * 2 + "00"
PAYLOADS = {"mono": MONO + "0", "stereo": PAIR + "0", "v2": MONO + parametric_stereo()}


def fill_element(payload):
    payload = bits_of(bytes_of("1101" + HEADER + payload))
    count = len(payload) // 8
    return "110" + (f"{count:04b}" if count < 15 else f"1111{count - 14:08b}") + payload


def with_replication(stream, payload):
    for header, body in frames(stream):
        bits = bits_of(body).rstrip("0")
        yield framed(header, bytes_of(bits[:-3] + fill_element(payload) + "111"))


for name, source in [("mono", "mono"), ("stereo", "stereo"), ("v2", "mono")]:
    write(f"aac-he-{name}.aac", with_replication(contents(f"aac-24000-{source}.aac"), PAYLOADS[name]))
