#!/usr/bin/env python3
"""seeds.py TARGET FOLDER SOURCE...: what a fuzz target starts from: the files of its format below the sources, made small.

Audio is cut out of chunks and boxes, so that all that describes it fits; other files are cut where they are. A byte in
front says how the fuzzer is to cut (Tests/Fuzz/Containers).
"""
import pathlib
import struct
import subprocess
import sys
import tempfile

ENDINGS = {
    "mpeg": "mp3 mp2 mp1", "adts": "aac adts", "ac3": "ac3 eac3", "amr": "amr amr-nb", "wave": "wav w64", "aiff": "aif aiff",
    "caf": "caf", "next": "au", "mp4": "mp4 m4a m4b mov 3gp 3g2",
    "matroska": "mka mkv webm", "flac": "flac", "ogg": "ogg oga opus ogv bin",
}
# Whole frames and pages take their room.
LIMITS = {"next": 1500, "amr": 1500, "mpeg": 5000, "adts": 5000, "ac3": 6000}
LIMIT = 12000
# Files whose tags are read although their sound may not be.
TAGS = "wma avi mpc wv dsf dff ape mp3 wav aiff m4a mka flac opus"
AUDIO = 1500


def chunks(data, start, size_byte_count, order):
    """A chunked file whose audio is cut to AUDIO bytes."""
    parts = [data[:start]]
    while start + 8 <= len(data):
        content = start + 4 + size_byte_count
        name, count = data[start:start + 4], int.from_bytes(data[start + 4:content], order)
        kept = min(count, AUDIO) if name in (b"data", b"SSND") else count
        parts.append(name + kept.to_bytes(size_byte_count, order) + data[content:content + kept])
        start = content + count + (count % 2 if size_byte_count == 4 else 0)
    return b"".join(parts)


def boxes(data):
    """An MPEG-4 file whose audio is cut to AUDIO bytes."""
    parts, start = [], 0
    while start + 8 <= len(data):
        count, name = max(8, int.from_bytes(data[start:start + 4], "big")), data[start + 4:start + 8]
        kept = min(count, AUDIO) if name == b"mdat" else count
        parts.append(kept.to_bytes(4, "big") + data[start + 4:start + kept])
        start += count
    return b"".join(parts)


def seed(kind, data):
    if kind == "mp4":
        data = boxes(data)
    elif data[:4] == b"riff":
        pass
    elif kind in ("wave", "aiff"):
        data = chunks(data, 12, 4, "little" if data[:4] in (b"RIFF", b"RF64", b"BW64") else "big")
    elif kind == "caf":
        data = chunks(data, 8, 8, "big")
    return data[:LIMITS.get(kind, LIMIT)]


def decoder_seeds():
    formats = ["alac", "ima4", "dvi", "ms", "lpcm", "alaw", "ulaw"]
    cookie = struct.pack(">IBBBBBBHIII", 256, 0, 16, 40, 10, 14, 2, 255, 0, 0, 44100)
    noise = bytes((index * index * 31 + index * 7) % 251 for index in range(400))
    for number, name in enumerate(formats):
        for channels in (1, 2, 6):
            for wanted in range(5):
                block = {"ima4": 34 * channels, "dvi": 36 * channels, "ms": 32 * channels}.get(name, 0)
                frames = {"ima4": 64, "dvi": 65, "ms": 256}.get(name, 1)
                head = struct.pack("<BBHHBBBB", number, 4 | 8, block, frames, 2 * channels, channels, 16, wanted)
                head += struct.pack("<H", 256)
                head += bytes([24]) + cookie[:9] + bytes([channels]) + cookie[10:] if name == "alac" else bytes([0])
                packets = [noise[:block or 48 * channels], noise[100:180], bytes(64), b""]
                yield head + b"".join(struct.pack("<H", len(packet)) + packet for packet in packets)


def picture_seeds():
    """Of each format one, small and with detail."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("seed.jpg", "seed.png", "seed.webp"):
            path = pathlib.Path(folder, name)
            source = ["-f", "lavfi", "-i", "testsrc=s=48x40", "-frames:v", "1"]
            subprocess.run(["ffmpeg", "-v", "error", *source, path], check=True)
            yield name, path.read_bytes()


# What chooses the reader (Tests/Fuzz/Texts), and its text.
TEXTS = [
    (0, "#EXTM3U\n#EXTINF:123,Artist - Title\nD:\\Music\\ä ö.mp3\nfile:///a%20b.flac\nhttp://host/radio|charset=cp1251\n"),
    (1, "[playlist]\nFile1=a.mp3\nTitle1=T\nLength1=-1\nFile2=http://host/\nNumberOfEntries=2\n"),
    (2, '<?xml version="1.0"?><playlist><trackList><track><location>a%20b.flac</location><title>A &amp; B</title>'
        "<duration>1000</duration></track></trackList></playlist>"),
    (3, '<ASX version="3"><ENTRY><REF HREF="http://host/a"/><TITLE>T</TITLE></ENTRY></ASX>'),
    (4, '<?wpl version="1.0"?><smil><body><seq><media src="..\\a.mp3"/><media src="b.wma" cid="{1}"/></seq></body></smil>'),
    (5, 'REM DATE 1981\nPERFORMER "P"\nTITLE "T"\nFILE "a.flac" WAVE\n  TRACK 01 AUDIO\n    TITLE "One"\n    PREGAP 00:02:00\n'
        '    INDEX 00 00:00:00\n    INDEX 01 00:00:32\n  TRACK 02 AUDIO\n    INDEX 01 04:10:00\n    POSTGAP 00:00:10\n'),
    (6, "[ar:A]\n[offset:-250]\n[00:01.20][01:02.3]Line <00:01.50>by <00:02.00>word\n[length: 3:00]\n"),
    (7, '#EXTM3U\n#EXT-X-VERSION:11\n#EXT-X-DEFINE:NAME="a",VALUE="b"\n#EXT-X-DEFINE:QUERYPARAM="token"\n'
        '#EXT-X-TARGETDURATION:4\n#EXT-X-BYTERANGE:10@20\n#EXT-X-KEY:METHOD=AES-128,URI="k{$a}"\n#EXTINF:3.9,\ns{$a}.ts\n'
        '#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="mp4a.40.2"\nlow.m3u8\n#EXT-X-ENDLIST\n'),
    (8, "Кино\0Группа крови\0Звезда".encode("cp1251")), (8, "アルバム\0東京事変".encode("shift_jis")),
    (8, "Beyonc\u00e9\0\u201cQuoted\u201d".encode("cp1252")), (8, "周杰伦\0七里香".encode("gbk")),
]

CLIENTS = {
    "control": r"""{"command":["status"],"request_id":1}
{"command":["observe","state","position"],"request_id":-7}
{"command":["seek","+10"]}
{"command":["add","/music/\u00fc.flac"],"request_id":1e3}
{"command":["queue"],"request_id":null}
:volume 40
volume +5
{"command":{"a":[1,2.5,true,"\ud83d\ude00"]}}""",
    "cmus": r"""status
player-play /music/a.flac
seek +1m
vol -10%
set softvol_state=1
add -q /music
format_print %{title}
win-activate
echo "a b" 'c'""",
    "mpd": r"""status
command_list_ok_begin
currentsong
playlistinfo 1:3
command_list_end
find "((artist == \"a\") AND (!(title contains 'b')))" sort -date window 0:5
add "b \"c\".flac"
idle player mixer
noidle
password "open sesame"
sticker set song "a.flac" rating 8
seekcur +5.5
range 2 :10
readpicture "a.flac" 0
binarylimit 64
count group artist
tagtypes clear
playlistadd "x" "a.flac"
moveid 2 -1
prio 5 1:2
subscribe c
sendmessage c "hello"
listplaylistinfo x
list album group date
outputs""",
    "http": "GET /stream HTTP/1.1\r\nHost: a\r\nIcy-MetaData: 1\r\n"
    "Authorization: Basic eDpvcGVuIHNlc2FtZQ==\r\n\r\n",
    "query": """bach genre:classical -artist:"j. c." year:1720..1750
rating:>=4 sort:added- limit:100
(love | moon) added:<30d shuffle:albums
playlist:"a b" plays:0 state:away loved:yes length:>1:30""",
}


def client_seeds(target):
    """The lines each alone, and all of them."""
    text = CLIENTS[target]
    return [text] + text.split("\n")


def main():
    target, folder, sources = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    if target == "decoders":
        for number, data in enumerate(decoder_seeds()):
            (folder / f"{number}.seed").write_bytes(data)
        return
    if target == "texts":
        for number, (reader, text) in enumerate(TEXTS):
            forms = [text] if isinstance(text, bytes) else [text.encode(), text.encode("utf-16")]
            for form, data in enumerate(forms):
                (folder / f"{number}-{form}.seed").write_bytes(bytes([reader]) + data)
        return
    if target == "tags":
        for source in sources:
            for path in sorted(pathlib.Path(source).rglob("*")):
                if path.suffix[1:].lower() in TAGS.split() and path.is_file():
                    data = path.read_bytes()
                    # Tags stand at the beginning, or at the end.
                    (folder / (path.name + ".seed")).write_bytes(b"\0" + (data[:8000] + data[-4000:])[:LIMIT])
        return
    if target == "pictures":
        for name, data in picture_seeds():
            (folder / name).write_bytes(data)
        return
    if target in CLIENTS:
        for number, text in enumerate(client_seeds(target)):
            (folder / f"{number}.seed").write_bytes(text.encode())
        return
    endings = ENDINGS.get(target, " ".join(ENDINGS.values())).split()
    for source in sources:
        for path in sorted(pathlib.Path(source).rglob("*")):
            if path.suffix[1:] in endings and path.is_file() and not path.name.startswith("source-"):
                kind = next(kind for kind in ENDINGS if path.suffix[1:] in ENDINGS[kind].split())
                (folder / (path.name + ".seed")).write_bytes(b"\7" + seed(kind, path.read_bytes()))


main()
