"""D-Bus by hand, since Debian's Python has no module for it: little-endian messages with the few header fields they need."""

import os
import socket
import struct
import sys

serial = 0
bus = None


def align(data, size):
    return data + bytes(-len(data) % size)


def text(value):
    return struct.pack("<I", len(value.encode())) + value.encode() + b"\0"


def message(kind, fields, body=b"", descriptors=()):
    global serial
    serial += 1
    header = b""
    for code, signature, value in fields:
        header = align(header, 8)
        header += bytes([code, 1]) + signature.encode() + b"\0"
        if signature == "g":
            header += bytes([len(value)]) + value.encode() + b"\0"
        elif signature == "u":
            header = align(header, 4) + struct.pack("<I", value)
        else:
            header = align(header, 4) + text(value)
    start = struct.pack("<cBBBIII", b"l", kind, 0, 1, len(body), serial, len(header))
    socket.send_fds(bus, [align(start + header, 8) + body], descriptors)


def call(member, signature="", body=b""):
    fields = [(1, "o", "/org/freedesktop/DBus"), (2, "s", "org.freedesktop.DBus"), (3, "s", member),
              (6, "s", "org.freedesktop.DBus")]
    message(1, fields + ([(8, "g", signature)] if signature else []), body)


def receive(count):
    data = b""
    while len(data) < count:
        data += bus.recv(count - len(data)) or sys.exit()
    return data


def incoming():
    """The next message: its kind, serial number, header fields that are text, and body."""
    start = receive(16)
    body_length, number, length = struct.unpack("<III", start[4:])
    header = receive(length + -length % 8)
    fields = {}
    place = 0
    while place < length:
        place += -place % 8
        code, signature = header[place], chr(header[place + 2])
        place += 4
        if signature == "g":
            place += 2 + header[place]
        else:
            place += -place % 4
            size, = struct.unpack_from("<I", header, place)
            place += 4
            if signature in "os":
                fields[code] = header[place:place + size].decode()
                place += size + 1
    return start[1], number, fields, receive(body_length)


def connect(path, name):
    """Connects, and takes a name; returns the socket."""
    global bus
    bus = socket.socket(socket.AF_UNIX)
    bus.connect(path)
    bus.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
    bus.recv(1024)
    bus.sendall(b"NEGOTIATE_UNIX_FD\r\n")
    bus.recv(1024)
    bus.sendall(b"BEGIN\r\n")
    call("Hello")
    call("RequestName", "su", align(text(name), 4) + struct.pack("<I", 0))
    # The owner has the replies to both calls.
    for _ in range(2):
        while incoming()[0] != 2:
            pass
    return bus
