"""logind.py BUS READY ASLEEP COMMAND...: takes logind's name on a bus, makes the file READY, and says for each SIGUSR1
that the machine is about to sleep, for each SIGUSR2 that it is awake. It grants one delay at a time (Inhibit). When that
is given back after a SIGUSR1, the machine sleeps: what COMMAND then prints stands in the file ASLEEP. With SLEEPS_FIRST in
the environment it says before each grant that the machine is about to sleep.
"""

import os
import select
import signal
import struct
import subprocess
import sys

from bus import connect, incoming, message


def announce(isAsleep):
    message(4, [(1, "o", "/org/freedesktop/login1"), (2, "s", "org.freedesktop.login1.Manager"),
                (3, "s", "PrepareForSleep"), (8, "g", "b")], struct.pack("<I", isAsleep))


def grant(number, sender):
    """Answers an Inhibit with one end of a pipe; returns the other."""
    reading, writing = os.pipe()
    message(2, [(5, "u", number), (6, "s", sender), (8, "g", "h"), (9, "u", 1)], struct.pack("<I", 0), [writing])
    os.close(writing)
    return reading


bus = connect(sys.argv[1], "org.freedesktop.login1")
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
