"""logind.py BUS READY: takes logind's name on a bus, makes the file READY, and says for each SIGUSR1 that the machine is
about to sleep, for each SIGUSR2 that it is awake.

D-Bus by hand, since Debian's Python has no module for it: little-endian messages with the few header fields they need.
"""

import os
import signal
import socket
import struct
import sys

serial = 0


def align(data, size):
    return data + bytes(-len(data) % size)


def text(value):
    return struct.pack("<I", len(value)) + value.encode() + b"\0"


def message(kind, fields, body=b""):
    global serial
    serial += 1
    header = b""
    for code, signature, value in fields:
        header = align(header, 8)
        header += bytes([code, 1]) + signature.encode() + b"\0"
        if signature == "g":
            header += bytes([len(value)]) + value.encode() + b"\0"
        else:
            header = align(header, 4) + text(value)
    start = struct.pack("<cBBBIII", b"l", kind, 0, 1, len(body), serial, len(header))
    bus.sendall(align(start + header, 8) + body)


def call(member, signature="", body=b""):
    fields = [(1, "o", "/org/freedesktop/DBus"), (2, "s", "org.freedesktop.DBus"), (3, "s", member),
              (6, "s", "org.freedesktop.DBus")]
    message(1, fields + ([(8, "g", signature)] if signature else []), body)


bus = socket.socket(socket.AF_UNIX)
bus.connect(sys.argv[1])
bus.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
bus.recv(1024)
bus.sendall(b"BEGIN\r\n")
call("Hello")
bus.recv(4096)
call("RequestName", "su", align(text("org.freedesktop.login1"), 4) + struct.pack("<I", 0))
wanted = {signal.SIGUSR1, signal.SIGUSR2}
signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
open(sys.argv[2], "w").close()
while number := signal.sigwait(wanted):
    message(4, [(1, "o", "/org/freedesktop/login1"), (2, "s", "org.freedesktop.login1.Manager"),
                (3, "s", "PrepareForSleep"), (8, "g", "b")], struct.pack("<I", number == signal.SIGUSR1))
