"""ADTS streams of AAC as bits: what the scripts that craft AAC share."""


def bits_of(data):
    return "".join(f"{byte:08b}" for byte in data)


def bytes_of(bits):
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[index : index + 8], 2) for index in range(0, len(bits), 8))


def frames(stream):
    """Headers of 7 bytes, each with its payload."""
    while stream:
        size = (stream[3] & 3) << 11 | stream[4] << 3 | stream[5] >> 5
        yield bytearray(stream[:7]), stream[7:size]
        stream = stream[size:]


def framed(header, body):
    """The frame with the length of `body` in its header."""
    size = len(header) + len(body)
    header[3] = header[3] & 0xFC | size >> 11
    header[4] = size >> 3 & 0xFF
    header[5] = header[5] & 0x1F | (size & 7) << 5
    return bytes(header) + body


def contents(name):
    with open(name, "rb") as file:
        return file.read()


def write(name, pieces):
    with open(name, "wb") as file:
        file.write(b"".join(pieces))
