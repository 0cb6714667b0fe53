#!/usr/bin/env python3
"""Composes, plays and encodes the demo album: four tracks, two of them one piece cut in two.

Needs nothing but Python's standard library and lame; always makes the same music. The encoded files are kept beside
this script, so that playing them needs neither. Score, sound and recording: CC0, see LICENSE.
"""

import array
import math
import os
import random
import subprocess
import tempfile
import wave

RATE = 44100
HERE = os.path.dirname(os.path.abspath(__file__))
ALBUM = {"artist": "segue", "album": "Without a Break", "date": "2026", "genre": "Chamber Music", "count": 4}

# ------------------------------------------------------------------------------------------------------------ notation


def frequency(name):
    """Hertz of "A4", "F#5", "Bb3" in equal temperament."""
    steps = {"C": -9, "D": -7, "E": -5, "F": -4, "G": -2, "A": 0, "B": 2}
    shift = name.count("#") - name[1:].count("b")
    return 440.0 * 2 ** ((steps[name[0]] + shift) / 12 + int(name[-1]) - 4)


def melody(text):
    """Notes "NAME:BEATS", "-" for a rest, bars apart by "|", as (start, beats, name); start and beats in beats."""
    start, notes = 0.0, []
    for word in text.replace("|", " ").split():
        name, beats = word.split(":")
        if name != "-":
            notes.append((start, float(beats), name))
        start += float(beats)
    return notes


# --------------------------------------------------------------------------------------------------------- instruments
# Each gives the frames of one note, as a list of floats around 0.


def partials(hertz, seconds, recipe, detune=1.0):
    """A sum of sines, each (multiple, level, decay per second); those beyond hearing or the format left out."""
    count = int(seconds * RATE)
    sound = [0.0] * count
    for multiple, level, decay in recipe:
        hertz_of = hertz * multiple * detune
        if hertz_of > 15000:
            continue
        # A turning pointer, shrinking as it goes: two products a frame instead of a sine and a power.
        angle = 2 * math.pi * hertz_of / RATE
        shrink = math.exp(-decay / RATE)
        turn_x, turn_y = math.cos(angle) * shrink, math.sin(angle) * shrink
        x, y = level, 0.0
        for i in range(count):
            sound[i] += y
            x, y = x * turn_x - y * turn_y, x * turn_y + y * turn_x
    return sound


def shaped(sound, attack, release):
    """Raised-cosine ends, so that nothing clicks."""
    rise, fall = int(attack * RATE), int(release * RATE)
    for i in range(min(rise, len(sound))):
        sound[i] *= 0.5 - 0.5 * math.cos(math.pi * i / rise)
    for i in range(min(fall, len(sound))):
        sound[-1 - i] *= 0.5 - 0.5 * math.cos(math.pi * i / fall)
    return sound


def harp(hertz, seconds):
    """Plucked: high partials die first."""
    recipe = [(k * (1 + 0.0001 * k * k), k ** -1.15, 1.0 + 0.6 * k) for k in range(1, 17)]
    return shaped(partials(hertz, seconds + 1.6, recipe), 0.003, 0.5)


def music_box(hertz, seconds):
    """A steel tongue: clear, with an inharmonic ring."""
    recipe = [(1, 1.0, 2.2), (2, 0.28, 3.0), (3.01, 0.22, 5.0), (5.4, 0.12, 9.0), (8.9, 0.05, 16.0)]
    return shaped(partials(hertz, seconds + 1.4, recipe), 0.002, 0.4)


def bass(hertz, seconds):
    """Soft and round."""
    recipe = [(1, 1.0, 0.7), (2, 0.45, 1.4), (3, 0.2, 2.4), (4, 0.08, 3.5)]
    return shaped(partials(hertz, seconds + 0.25, recipe), 0.02, 0.25)


def strings(hertz, seconds):
    """Three players a little out of tune with each other."""
    recipe = [(k, 0.34 * k ** -1.25, 0.0) for k in range(1, 15)]
    players = [partials(hertz, seconds + 0.7, recipe, detune) for detune in (0.9982, 1.0, 1.0021)]
    return shaped([a + b + c for a, b, c in zip(*players)], 0.5, 0.8)


def flute(hertz, seconds):
    """A breath, then a slow vibrato."""
    count = int((seconds + 0.12) * RATE)
    levels = [(1, 1.0), (2, 0.34), (3, 0.16), (4, 0.06), (5, 0.03)]
    sound, phase, breath = [0.0] * count, 0.0, random.Random(hertz)
    for i in range(count):
        time = i / RATE
        depth = 0.0035 * min(1.0, max(0.0, (time - 0.25) / 0.5))
        phase += 2 * math.pi * hertz * (1 + depth * math.sin(2 * math.pi * 5.1 * time)) / RATE
        air = (0.02 + 0.10 * math.exp(-time / 0.05)) * (breath.random() - 0.5)
        sound[i] = air + sum(level * math.sin(k * phase) for k, level in levels)
    return shaped(sound, 0.06, 0.14)


# ---------------------------------------------------------------------------------------------------------------- room


class Stage:
    """Where notes are put: two channels, and the sound that goes to the reverberation."""

    def __init__(self, seconds, beat):
        self.beat = beat
        self.count = int(seconds * RATE)
        self.channels = [[0.0] * self.count for _ in range(2)]
        self.hall = [0.0] * self.count
        self.made = {}

    def play(self, instrument, notes, level, place=0.0, wet=0.3, length=1.0):
        """`notes` as from `melody`. `place` -1 left ... 1 right; `wet` how far away; `length` of the written values."""
        left, right = math.cos((place + 1) * math.pi / 4), math.sin((place + 1) * math.pi / 4)
        for start, beats, name in notes:
            key = (instrument, name, beats, length)
            if key not in self.made:
                self.made[key] = instrument(frequency(name), beats * self.beat * length)
            # No two fingers are equally strong; the same ones each time the album is made.
            touch = level * (0.92 + 0.16 * random.Random(f"{name}{start}").random())
            first = int(start * self.beat * RATE)
            sound = self.made[key][:max(0, self.count - first)]
            for track, gain in zip(self.channels + [self.hall], (left, right, wet)):
                gain *= touch
                end = first + len(sound)
                track[first:end] = [a + gain * b for a, b in zip(track[first:end], sound)]

    def mixed(self):
        """The channels with their reverberation (Schroeder: four combs side by side, then two all-passes)."""
        result = []
        for channel, spread in zip(self.channels, (0, 23)):
            wet = [0.0] * self.count
            for delay, feedback in ((1557, 0.880), (1617, 0.876), (1491, 0.885), (1422, 0.890)):
                wet = [a + b for a, b in zip(wet, comb(self.hall, delay + spread, feedback))]
            for delay in (556, 225):
                wet = all_pass(wet, delay + spread, 0.6)
            result.append([dry + 0.15 * far for dry, far in zip(channel, wet)])
        return result


def comb(sound, delay, feedback):
    """out[i] = in[i] + feedback * softened out[i - delay], a block of `delay` frames at a time."""
    out, last = [], [0.0] * delay
    for start in range(0, len(sound), delay):
        soft = [0.75 * a + 0.25 * b for a, b in zip(last, last[-1:] + last[:-1])]
        last = [a + feedback * b for a, b in zip(sound[start:start + delay], soft)]
        out += last
    return out


def all_pass(sound, delay, gain):
    out, last_in, last_out = [], [0.0] * delay, [0.0] * delay
    for start in range(0, len(sound), delay):
        block = sound[start:start + delay]
        last_out = [b + gain * c - gain * a for a, b, c in zip(block, last_in, last_out)]
        last_in = block
        out += last_out
    return out


# --------------------------------------------------------------------------------------------------------------- music

CHORDS = {  # From low to high.
    "D": "D3 A3 D4 F#4 A4", "A": "A2 E3 A3 C#4 E4", "Bm": "B2 F#3 B3 D4 F#4", "G": "G2 D3 B3 D4 G4",
    "Em": "E3 B3 E4 G4 B4", "F#m": "F#2 C#3 A3 C#4 F#4", "Am": "A2 E3 A3 C4 E4", "F": "F2 C3 A3 C4 F4",
    "C": "C3 G3 C4 E4 G4", "Dm": "D3 A3 D4 F4 A4", "E7": "E2 B2 G#3 D4 E4", "Gm": "G2 D3 G3 Bb3 D4",
    "Cm": "C3 G3 C4 Eb4 G4", "D7": "D3 A3 C4 F#4 A4", "Eb": "Eb3 Bb3 Eb4 G4 Bb4", "F7": "F2 C3 Eb3 A3 C4",
    "Bb": "Bb2 F3 Bb3 D4 F4", "G7": "G2 D3 F3 B3 D4",
}


def chords(text):
    return [CHORDS[name].split() for name in text.split()]


def broken(bars, order, step, beats=4):
    """Each bar's chord note by note: `order` picks them, `step` beats apart."""
    return [(beats * bar + step * i, step, chord[pick])
            for bar, chord in enumerate(bars) for i, pick in enumerate(order)]


def held(bars, voices, beats=4):
    return [(beats * bar, beats, chord[voice]) for bar, chord in enumerate(bars) for voice in voices]


def morning():
    """D major, unhurried: harp, flute, a bass, strings that come in halfway."""
    bars = chords("D D Bm G Em A D G Bm F#m G A D D")
    stage = Stage(42.3, 60 / 86)
    stage.play(harp, broken(bars[:13], [0, 2, 3, 4, 3, 2, 1, 2], 0.5), 0.20, -0.35)
    stage.play(harp, [(52 + 0.12 * i, 4, name) for i, name in enumerate("D3 A3 D4 F#4 A4 D5".split())], 0.2, -0.3)
    stage.play(bass, held(bars, [0]), 0.26, 0.05, wet=0.1, length=0.9)
    stage.play(strings, [note for note in held(bars, [2, 3, 4]) if note[0] >= 24], 0.060, 0.4, wet=0.5)
    stage.play(flute, melody("""
        -:4 | -:4 | F#5:1.5 E5:.5 D5:1 B4:1 | D5:3 B4:.5 C#5:.5 | D5:1 E5:1 G5:1.5 F#5:.5 | E5:2 C#5:1 A4:1
        | F#5:1.5 G5:.5 A5:1 F#5:1 | B5:2 A5:1 G5:1 | F#5:1 D5:1 B4:1 C#5:1 | C#5:2.5 A4:.5 C#5:.5 E5:.5
        | D5:1.5 E5:.5 F#5:1 G5:1 | A5:1 G5:.5 F#5:.5 E5:1 C#5:1 | D5:4 | -:4"""), 0.17, 0.2, wet=0.45)
    return stage.mixed()


def tide():
    """A minor, in one breath: strings and harp under a flute. It is cut in the middle of its tenth bar."""
    bars = chords("Am F C G Am F Dm E7 F G Am C F G E7 Am F Am")
    stage = Stage(64.4, 60 / 70)
    stage.play(strings, held(bars, [1, 2, 3]), 0.075, -0.3, wet=0.5)
    stage.play(strings, held(bars, [4]), 0.055, 0.5, wet=0.5)
    stage.play(bass, held(bars, [0]), 0.27, 0.0, wet=0.1)
    stage.play(harp, broken(bars[:17], [1, 2, 3, 4, 3, 4, 3, 2], 0.5), 0.15, 0.45)
    stage.play(flute, melody("""
        -:4 | -:4 | E5:2 G5:2 | D5:3 B4:.5 C5:.5 | C5:1.5 D5:.5 E5:2 | A5:2 G5:1 F5:1 | F5:1.5 E5:.5 D5:2
        | E5:2 G#4:1 B4:1 | C5:1 A4:1 F5:2 | D5:3 E5:.5 F5:.5 | E5:2 C5:1 A4:1 | G5:3 E5:1
        | A5:1.5 G5:.5 F5:1 C5:1 | B4:1 D5:1 G5:2 | G#5:2 F5:1 E5:1 | E5:2 C5:2 | A4:4 | A4:4"""), 0.17, 0.1, wet=0.45)
    return stage.mixed()


def lantern_waltz():
    """G minor, round and round: a music box over harp and bass."""
    bars = chords("Gm Gm Cm D7 Gm Eb D7 D7 Gm Gm Cm F7 Bb Eb D7 Gm"
                  " Bb F Gm D7 Eb Bb Cm D7 Gm G7 Cm F7 Bb Eb D7 Gm")
    stage = Stage(45.1, 60 / 136)
    stage.play(bass, [(3 * i, 1.6, chord[0]) for i, chord in enumerate(bars)], 0.30, -0.1, wet=0.15)
    for voice in (2, 3, 4):
        beats = [(3 * i + beat, 0.6, chord[voice]) for i, chord in enumerate(bars[:31]) for beat in (1, 2)]
        stage.play(harp, beats, 0.085, -0.4, wet=0.35, length=0.5)
    stage.play(strings, [note for note in held(bars, [2, 3], 3) if 48 <= note[0] < 72], 0.06, 0.4, wet=0.5)
    tune = melody("""
        D5:1 G5:1 Bb5:1 | A5:2 G5:1 | Eb5:1 G5:1 C6:1 | Bb5:1 A5:2 | Bb5:1 A5:.5 G5:.5 D5:1 | G5:2 Eb5:1
        | D5:1 F#5:1 A5:1 | D5:3 | D5:1 G5:1 Bb5:1 | D6:2 Bb5:1 | C6:1 Bb5:.5 A5:.5 G5:1 | A5:1 C6:1 F5:1
        | D6:1 C6:.5 Bb5:.5 F5:1 | G5:1 Bb5:1 Eb5:1 | D5:1 F#5:1 A5:1 | G5:3 | F5:1.5 G5:.5 F5:1 | C6:2 A5:1
        | Bb5:1.5 A5:.5 G5:1 | A5:3 | G5:1.5 F5:.5 Eb5:1 | F5:1 D5:2 | Eb5:1 G5:1 C6:1 | A5:2 D5:1
        | D5:1 G5:1 Bb5:1 | B5:1 D6:1 F6:1 | Eb6:2 C6:1 | A5:1 C6:.5 Bb5:.5 A5:1 | Bb5:1 D6:1 F5:1
        | G5:1 Bb5:1 Eb5:1 | F#5:1 A5:1 C6:1 | G5:3""")
    stage.play(music_box, tune, 0.25, 0.25, wet=0.4)
    return stage.mixed()


# ---------------------------------------------------------------------------------------------------------- recording


def finished(channels):
    """Peak at -1.2 dBFS, as 16-bit frames with triangular dither; a short fade where the hall is still ringing."""
    count = len(channels[0])
    for channel in channels:
        for i in range(RATE):
            channel[count - 1 - i] *= i / RATE
    gain = 10 ** (-1.2 / 20) * 32767 / max(max(map(abs, channel)) for channel in channels)
    dither = random.Random(1)
    frames = array.array("h")
    for pair in zip(*channels):
        frames.extend(round(gain * sample + dither.random() - dither.random()) for sample in pair)
    return frames


def id3v24(fields):
    """An ID3v2.4 tag in UTF-8 (id3.org, "ID3 tag version 2.4.0 - Main Structure")."""
    def synchsafe(value):
        return bytes(value >> shift & 0x7F for shift in (21, 14, 7, 0))
    body = b"".join(name.encode() + synchsafe(len(text.encode()) + 1) + b"\0\0\3" + text.encode()
                    for name, text in fields)
    return b"ID3\4\0\0" + synchsafe(len(body)) + body


def crc16(data):
    """CRC-16 with the polynomial 0x8005, mirrored, as the LAME tag has it."""
    value = 0
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xA001 if value & 1 else 0)
    return value


def trimmed(audio, front, back):
    """Tells decoders, in the LAME tag, to leave out so many frames more at either end."""
    tag = audio.index(b"LAME")
    both = int.from_bytes(audio[tag + 21:tag + 24], "big")
    delay, padding = (both >> 12) + front, (both & 0xFFF) + back
    assert delay < 4096 and padding < 4096
    audio = audio[:tag + 21] + (delay << 12 | padding).to_bytes(3, "big") + audio[tag + 24:]
    return audio[:190] + crc16(audio[:190]).to_bytes(2, "big") + audio[192:]


def encode(frames, number, title, *options, start=0, end=None):
    """Writes one track: constant bit rate with lame's own ID3v2.3 tag, variable with one of version 2.4.

    Of `frames` it holds those from `start` up to `end`. The encoder hears one packet more on either side, which is
    trimmed again when played: cut off, it would take the edge for a click, and code one.
    """
    total = len(frames) // 2
    end = total if end is None else end
    front, back = min(1152, start), min(1152, total - end)
    path = os.path.join(HERE, f"{number:02} {title}.mp3")
    command = ["lame", "--quiet", "-m", "j", "-q", "2", *options]
    if "--cbr" in options:
        command += ["--add-id3v2", "--id3v2-only", "--tt", title, "--ta", ALBUM["artist"], "--tl", ALBUM["album"],
                    "--tn", f"{number}/{ALBUM['count']}", "--ty", ALBUM["date"], "--tg", ALBUM["genre"]]
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "source.wav"), os.path.join(folder, "track.mp3")
        with wave.open(source, "wb") as file:
            file.setparams((2, 2, RATE, 0, "NONE", ""))
            file.writeframes(frames[2 * (start - front):2 * (end + back)].tobytes())
        subprocess.run([*command, source, target], check=True)
        with open(target, "rb") as file:
            audio = file.read()
    if "--cbr" not in options:
        audio = id3v24([
            ("TIT2", title), ("TPE1", ALBUM["artist"]), ("TALB", ALBUM["album"]),
            ("TRCK", f"{number}/{ALBUM['count']}"), ("TDRC", ALBUM["date"]), ("TCON", ALBUM["genre"]),
        ]) + trimmed(audio, front, back)
    with open(path, "wb") as file:
        file.write(audio)


def main():
    encode(finished(morning()), 1, "Morning Window", "--cbr", "-b", "160")
    whole, cut = finished(tide()), 1443210  # 32.7 s: a held note, no packet boundary.
    encode(whole, 2, "Tide I", "-V", "2", end=cut)
    encode(whole, 3, "Tide II", "-V", "2", start=cut)
    encode(finished(lantern_waltz()), 4, "Lantern Waltz", "-V", "4")


if __name__ == "__main__":
    main()
