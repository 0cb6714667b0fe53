"""logind.py BUS READY ASLEEP COMMAND...: takes logind's name on a bus, makes the file READY, and says for each SIGUSR1
that the machine is about to sleep, for each SIGUSR2 that it is awake. It grants one delay at a time (Inhibit). When that
is given back after a SIGUSR1, the machine sleeps: what COMMAND then prints stands in the file ASLEEP. With SLEEPS_FIRST in
the environment it says before each grant that the machine is about to sleep.

D-Bus by hand, since Debian's Python has no module for it: little-endian messages with the few header fields they need.
"""

import os
import select
import signal
import socket
import struct
import subprocess
import sys

serial = 0


def align(data, size):
    return data + bytes(-len(data) % size)


def text(value):
    return struct.pack("<I", len(value)) + value.encode() + b"\0"


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


def announce(isAsleep):
    message(4, [(1, "o", "/org/freedesktop/login1"), (2, "s", "org.freedesktop.login1.Manager"),
                (3, "s", "PrepareForSleep"), (8, "g", "b")], struct.pack("<I", isAsleep))


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


def grant(number, sender):
    """Answers an Inhibit with one end of a pipe; returns the other."""
    reading, writing = os.pipe()
    message(2, [(5, "u", number), (6, "s", sender), (8, "g", "h"), (9, "u", 1)], struct.pack("<I", 0), [writing])
    os.close(writing)
    return reading


bus = socket.socket(socket.AF_UNIX)
bus.connect(sys.argv[1])
bus.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
bus.recv(1024)
bus.sendall(b"NEGOTIATE_UNIX_FD\r\n")
bus.recv(1024)
bus.sendall(b"BEGIN\r\n")
call("Hello")
call("RequestName", "su", align(text("org.freedesktop.login1"), 4) + struct.pack("<I", 0))
# Ready is who has the name: the replies to both calls.
for _ in range(2):
    while incoming()[0] != 2:
        pass
signals, wakeup = os.pipe()
os.set_blocking(wakeup, False)
signal.set_wakeup_fd(wakeup)
for number in (signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(number, lambda *_: None)
open(sys.argv[2], "w").close()
delay = None
while True:
    for descriptor in select.select([bus, signals] + ([delay] if delay else []), [], [])[0]:
        if descriptor == bus:
            kind, number, fields, body = incoming()
            if kind == 1 and fields.get(3) == "Inhibit":
                what = [word.decode() for word in body.split(b"\0") if b"sleep" in word or b"delay" in word]
                assert len(what) == 2, body
                if "SLEEPS_FIRST" in os.environ:
                    announce(True)
                delay = grant(number, fields[7])
        elif descriptor == signals:
            announce(os.read(signals, 1)[0] == signal.SIGUSR1)
        elif delay:
            os.close(delay)
            delay = None
            with open(sys.argv[3] + ".new", "wb") as file:
                subprocess.run(sys.argv[4:], stdout=file)
            os.rename(sys.argv[3] + ".new", sys.argv[3])
