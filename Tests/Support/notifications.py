"""notifications.py BUS FILE: shows the notifications of a desktop on a bus, with buttons. Writes the texts of each call of
Notify as a line of FILE, and `closed NUMBER` for each call of CloseNotification. At SIGUSR1 somebody presses the button
"next" of the last notification.
"""

import os
import select
import signal
import struct
import sys

from bus import align, connect, incoming, message, text

service = "org.freedesktop.Notifications"


def reply(number, sender, signature, body):
    message(2, [(5, "u", number), (6, "s", sender), (8, "g", signature)], body)


def strings(values):
    items = b""
    for value in values:
        items = align(items, 4) + text(value)
    return struct.pack("<I", len(items)) + items


def printed(body):
    """The texts in the arguments of a call."""
    return " | ".join(word.decode() for word in body.replace(b"\n", b"/").split(b"\0") if len(word) > 1 and word.isascii())


bus = connect(sys.argv[1], service)
signals, wakeup = os.pipe()
os.set_blocking(wakeup, False)
signal.set_wakeup_fd(wakeup)
signal.signal(signal.SIGUSR1, lambda *_: None)
open(sys.argv[2], "w").close()
shown = 0
while True:
    for descriptor in select.select([bus, signals], [], [])[0]:
        if descriptor == signals:
            os.read(signals, 1)
            body = struct.pack("<I", shown) + text("next")
            message(4, [(1, "o", "/org/freedesktop/Notifications"), (2, "s", service), (3, "s", "ActionInvoked"),
                        (8, "g", "us")], body)
            continue
        kind, number, fields, body = incoming()
        if kind == 1 and fields.get(3) == "GetCapabilities":
            reply(number, fields[7], "as", strings(["body", "actions"]))
        elif kind == 1 and fields.get(3) == "Notify":
            # The name of the program, padded, is before the number of the notification that is replaced.
            replaced, = struct.unpack_from("<I", body, 12)
            shown = replaced or shown + 1
            with open(sys.argv[2], "a") as file:
                file.write("%d %s\n" % (shown, printed(body)))
            reply(number, fields[7], "u", struct.pack("<I", shown))
        elif kind == 1 and fields.get(3) == "CloseNotification":
            with open(sys.argv[2], "a") as file:
                file.write("closed %d\n" % struct.unpack_from("<I", body))
