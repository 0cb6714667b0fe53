"""The same tags in every format that mutagen writes, by the names that MusicBrainz Picard uses in each of them.

TagFormatTests.swift knows what they say.
"""
import base64
import shutil

import mutagen.aiff
import mutagen.apev2
import mutagen.flac
import mutagen.id3
import mutagen.mp4
import mutagen.oggopus
import mutagen.oggvorbis
import mutagen.wave

# Vorbis comments, by which the others are described.
TAGS = {
    "TITLE": ["Piece"],
    "ARTIST": ["Anna Alpha feat. Bert Beta"],
    "ARTISTS": ["Anna Alpha", "Bert Beta"],
    "ALBUM": ["Release"],
    "ALBUMARTIST": ["Anna Alpha; and friends", "Cleo"],
    "COMPOSER": ["Dora Delta", "Emil Epsilon"],
    "GENRE": ["Jazz", "Noise; Drone"],
    "TITLESORT": ["Piece, The"],
    "ARTISTSORT": ["Alpha, Anna"],
    "ALBUMSORT": ["Release, The"],
    "ALBUMARTISTSORT": ["Alpha, Anna & friends"],
    "COMPOSERSORT": ["Delta, Dora"],
    "MUSICBRAINZ_TRACKID": ["11111111-0000-4000-8000-000000000001"],
    "MUSICBRAINZ_RELEASETRACKID": ["22222222-0000-4000-8000-000000000002"],
    "MUSICBRAINZ_ALBUMID": ["33333333-0000-4000-8000-000000000003"],
    "MUSICBRAINZ_RELEASEGROUPID": ["44444444-0000-4000-8000-000000000004"],
    "MUSICBRAINZ_ARTISTID": ["55555555-0000-4000-8000-000000000005", "66666666-0000-4000-8000-000000000006"],
    "MUSICBRAINZ_ALBUMARTISTID": ["55555555-0000-4000-8000-000000000005"],
    "MUSICBRAINZ_WORKID": ["77777777-0000-4000-8000-000000000007"],
    "COMPILATION": ["1"],
    "DISCSUBTITLE": ["Second half"],
    "MEDIA": ["CD"],
    "LABEL": ["First", "Second"],
    "CATALOGNUMBER": ["CAT 1"],
    "BARCODE": ["0123456789012"],
    "DATE": ["2024-05-06"],
    "ORIGINALDATE": ["1999-12-31"],
    "ISRC": ["ABC012345678"],
    "LYRICIST": ["Frida"],
    "CONDUCTOR": ["Gustav"],
    "REMIXER": ["Hanna"],
    "PRODUCER": ["Ida"],
    "PERFORMER": ["Jon (violin)"],
    "WORK": ["Opus"],
    "BPM": ["120"],
    "REPLAYGAIN_TRACK_GAIN": ["-6.50 dB"],
    "REPLAYGAIN_TRACK_PEAK": ["0.988"],
    "REPLAYGAIN_ALBUM_GAIN": ["+1.25 dB"],
    "REPLAYGAIN_ALBUM_PEAK": ["0.999"],
    "TRACKNUMBER": ["3"],
    "TRACKTOTAL": ["12"],
    "DISCNUMBER": ["1"],
    "DISCTOTAL": ["2"],
    "COMMENT": ["Words"],
    "LYRICS": ["La\nla"],
}

NUMBERS = {"TRACKNUMBER", "TRACKTOTAL", "DISCNUMBER", "DISCTOTAL"}
FREE_NAMES = {
    "MUSICBRAINZ_RELEASETRACKID": "MusicBrainz Release Track Id",
    "MUSICBRAINZ_ALBUMID": "MusicBrainz Album Id",
    "MUSICBRAINZ_RELEASEGROUPID": "MusicBrainz Release Group Id",
    "MUSICBRAINZ_ARTISTID": "MusicBrainz Artist Id",
    "MUSICBRAINZ_ALBUMARTISTID": "MusicBrainz Album Artist Id",
    "MUSICBRAINZ_WORKID": "MusicBrainz Work Id",
}


def vorbis(file):
    for name, values in TAGS.items():
        file[name] = values
    file.save()


def ape(name):
    names = {"ALBUMARTIST": "Album Artist", "TRACKNUMBER": "Track", "DISCNUMBER": "Disc", "DATE": "Year", "REMIXER": "MixArtist"}
    tag = mutagen.apev2.APEv2()
    for key, values in TAGS.items():
        if key in ("TRACKNUMBER", "DISCNUMBER"):
            values = [f"{values[0]}/{TAGS[key.replace('NUMBER', 'TOTAL')][0]}"]
        if key not in ("TRACKTOTAL", "DISCTOTAL"):
            tag[names.get(key, key.capitalize())] = values
    tag.save(name)


TEXTS = {
    "TITLE": "TIT2", "ARTIST": "TPE1", "ALBUM": "TALB", "ALBUMARTIST": "TPE2", "COMPOSER": "TCOM", "GENRE": "TCON",
    "TITLESORT": "TSOT", "ARTISTSORT": "TSOP", "ALBUMSORT": "TSOA", "ALBUMARTISTSORT": "TSO2", "COMPOSERSORT": "TSOC",
    "COMPILATION": "TCMP", "DISCSUBTITLE": "TSST", "MEDIA": "TMED", "LABEL": "TPUB", "DATE": "TDRC",
    "ORIGINALDATE": "TDOR", "ISRC": "TSRC", "LYRICIST": "TEXT", "CONDUCTOR": "TPE3", "REMIXER": "TPE4", "BPM": "TBPM",
}


def id3(tag):
    for name, values in TAGS.items():
        if name in TEXTS:
            tag.add(getattr(mutagen.id3, TEXTS[name])(encoding=3, text=values))
        elif name == "MUSICBRAINZ_TRACKID":
            tag.add(mutagen.id3.UFID(owner="http://musicbrainz.org", data=values[0].encode()))
        elif name not in NUMBERS | {"COMMENT", "LYRICS", "PRODUCER", "PERFORMER"}:
            tag.add(mutagen.id3.TXXX(encoding=3, desc=FREE_NAMES.get(name, name), text=values))
    tag.add(mutagen.id3.TIPL(encoding=3, people=[["producer", "Ida"]]))
    tag.add(mutagen.id3.TMCL(encoding=3, people=[["violin", "Jon"]]))
    tag.add(mutagen.id3.TRCK(encoding=3, text=["3/12"]))
    tag.add(mutagen.id3.TPOS(encoding=3, text=["1/2"]))
    tag.add(mutagen.id3.COMM(encoding=3, lang="eng", desc="", text=["Words"]))
    tag.add(mutagen.id3.USLT(encoding=3, lang="eng", desc="", text="La\nla"))
    lines = [("One", 0), ("Two", 61250)]
    tag.add(mutagen.id3.SYLT(encoding=1, lang="eng", format=2, type=1, desc="Lines", text=lines))
    return tag


ITEMS = {
    "TITLE": "©nam", "ARTIST": "©ART", "ALBUM": "©alb", "ALBUMARTIST": "aART", "COMPOSER": "©wrt", "GENRE": "©gen",
    "TITLESORT": "sonm", "ARTISTSORT": "soar", "ALBUMSORT": "soal", "ALBUMARTISTSORT": "soaa", "COMPOSERSORT": "soco",
    "DATE": "©day", "WORK": "©wrk", "COMMENT": "©cmt", "LYRICS": "©lyr",
}


def mpeg4(name):
    file = mutagen.mp4.MP4(name)
    for key, values in TAGS.items():
        if key in ITEMS:
            file[ITEMS[key]] = values
        elif key not in NUMBERS | {"COMPILATION", "BPM"}:
            key = FREE_NAMES.get(key, "MusicBrainz Track Id" if key == "MUSICBRAINZ_TRACKID" else key)
            key = key.lower() if key.startswith("REPLAYGAIN") else key
            file[f"----:com.apple.iTunes:{key}"] = [value.encode() for value in values]
    (file["trkn"], file["disk"], file["cpil"], file["tmpo"]) = ([(3, 12)], [(1, 2)], True, [120])
    file.save()


def copied(source, name):
    shutil.copy(source, name)
    return name


vorbis(mutagen.flac.FLAC(copied("flac-8-1-8000.flac", "tags.flac")))
vorbis(mutagen.oggvorbis.OggVorbis(copied("vorbis-stereo.ogg", "tags.ogg")))
vorbis(mutagen.oggopus.OggOpus(copied("opus-96k-20.opus", "tags.opus")))
ape(copied("ffmpeg-bare.mp3", "tags-apev2.mp3"))
id3(mutagen.id3.ID3()).save(copied("ffmpeg-bare.mp3", "tags-id3v2.4.mp3"))
# Several values of one field have zeros between them in 2.3 too, as most programs write them.
old = id3(mutagen.id3.ID3())
old.update_to_v23()
old.save(copied("ffmpeg-bare.mp3", "tags-id3v2.3.mp3"), v2_version=3, v23_sep=None)
for file in [
    mutagen.wave.WAVE(copied("source-pcm.wav", "tags.wav")),
    mutagen.aiff.AIFF(copied("aiff-sox-16.aiff", "tags.aiff")),
]:
    file.add_tags()
    id3(file.tags)
    file.save()
mpeg4(copied("mp4-aac.m4a", "tags.m4a"))

# Names of old programs.
file = mutagen.oggvorbis.OggVorbis(copied("vorbis-stereo.ogg", "tags-old.ogg"))
with open("picture.png", "rb") as picture:
    # Longer than the texts that are read.
    file["COVERART"] = base64.b64encode(picture.read() + bytes(30000)).decode()
for name, value in {"COVERARTMIME": "image/PNG", "DISC": "1", "DISCC": "2", "TRACKNUM": "3", "TRACKC": "12"}.items():
    file[name] = value
file.save()
