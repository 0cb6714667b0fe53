#!/usr/bin/env bash
# Makes the sound files that the tests read: .build/fixtures, or $SEGUE_FIXTURES. Nothing of it is ever committed.
# Made again only when this folder's scripts or the encoder change; two runs at once do not disturb each other.
# Sources are a sweep plus noise, never silence or one tone: a wrong place in them sounds, and compares, wrong.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${SEGUE_FIXTURES:-$here/../../.build/fixtures}
mkdir -p "$(dirname "$out")"
exec 9> "$out.lock"
flock 9
stamp=$({ cat "$here"/*.sh "$here"/*.py; lame --version; } | sha256sum)
[ "$(cat "$out/stamp" 2> /dev/null)" != "$stamp" ] || exit 0
made=$(mktemp -d "$out.XXXXXX")
trap 'rm -rf "$made"' EXIT
cd "$made"

# source NAME RATE CHANNELS FRAMES: 16-bit WAVE; each channel has a sweep of its own. -R: SoX' noise is the same in each run.
sox='sox -R -D'
source_wave() {
  local sweeps=(sine 180/5000)
  [ "$3" = 1 ] || sweeps+=(sine 3500/120)
  $sox -r "$2" -c "$3" -n -b 16 "$1.wav" synth "$4s" "${sweeps[@]}" synth "$4s" pinknoise mix vol 0.6
}

# Every job is one line of shell, so that all processors encode.
jobs=()
encode() { # encode SOURCE NAME LAME-OPTION...
  jobs+=("lame --quiet ${*:3} $1.wav $2.mp3")
}

for rate in 44100 48000 32000 22050 16000 8000; do
  case $rate in
    22050 | 16000) constant='64 128 160' ;; # MPEG-2 and 2.5 end at 160 and 64 kbit/s.
    8000) constant='24 32 64' ;;
    *) constant='128 160 320' ;;
  esac
  for channels in mono stereo; do
    name=$rate-$channels
    source_wave "source-$name" $rate $([ $channels = mono ] && echo 1 || echo 2) $((rate * 27 / 10 + 331))
    mode="--resample $(awk "BEGIN { print $rate / 1000 }") -m $([ $channels = mono ] && echo m || echo j)"
    for bits in $constant; do encode "source-$name" "lame-$name-cbr$bits" "$mode --cbr -b $bits"; done
    encode "source-$name" "lame-$name-abr150" "$mode --abr 150"
    encode "source-$name" "lame-$name-v2" "$mode -V 2"
    encode "source-$name" "lame-$name-v5" "$mode -V 5"
  done
done

# CONTRACTS E.2, to the frame.
source_wave source-e2-44100 44100 2 454230
source_wave source-e2-22050 22050 2 227115
source_wave source-e2-48000 48000 2 144000
encode source-e2-44100 e2-44100-cbr160 "--cbr -b 160"
encode source-e2-44100 e2-44100-cbr320 "--cbr -b 320"
encode source-e2-44100 e2-44100-v2 "-V 2"
encode source-e2-44100 e2-44100-abr150 "--abr 150"
encode source-e2-22050 e2-22050-cbr64 "--resample 22.05 --cbr -b 64"
encode source-e2-48000 e2-48000-cbr128 "--cbr -b 128"

# No Xing header. The long one is dense, then thin, then dense: its first frames tell nothing of its length.
encode source-e2-44100 vbr-without-header "-t -V 2"
encode source-e2-44100 cbr-without-header "-t --cbr -b 128"
$sox -r 44100 -c 2 -n -b 16 dense.wav synth 15 pinknoise vol 0.7
$sox -r 44100 -c 2 -n -b 16 thin.wav synth 30 sine 220/880 sine 330/440 vol 0.2
$sox dense.wav thin.wav dense.wav source-vbr-60s.wav
encode source-vbr-60s vbr-60s-without-header "-t -V 2"
encode source-vbr-60s vbr-60s "-V 2"

# Packets too small to hold an Info header, so that nothing tells what to trim.
encode source-8000-mono cbr-too-thin-for-info "--resample 8 -m m --cbr -b 16"

# Other encoders.
ffmpeg=(ffmpeg -hide_banner -loglevel error -y -i source-44100-stereo.wav -map_metadata -1)
jobs+=("${ffmpeg[*]} -b:a 128k ffmpeg-cbr128.mp3" "${ffmpeg[*]} -q:a 4 ffmpeg-vbr.mp3")
jobs+=("${ffmpeg[*]} -b:a 128k -write_xing 0 -id3v2_version 0 ffmpeg-bare.mp3" "${ffmpeg[*]} -b:a 192k ffmpeg.mp2")

# Very short ones: gapless must give back exactly so many frames.
for frames in 1 100 1000 4410; do
  source_wave source-short-$frames 44100 2 $frames
  encode source-short-$frames short-$frames "--cbr -b 128"
done

# One sweep, cut at a frame that is no packet boundary.
source_wave source-gapless 44100 2 200003
$sox source-gapless.wav source-gapless-1.wav trim 0 98765s
$sox source-gapless.wav source-gapless-2.wav trim 98765s
encode source-gapless-1 gapless-1 "--cbr -b 192"
encode source-gapless-2 gapless-2 "--cbr -b 192"

# --- FLAC, Vorbis, Opus -------------------------------------------------------------------------------------------------

# flac-BITS-CHANNELS-RATE.flac beside the WAVE file it was made of.
encode_flac() { # encode_flac BITS CHANNELS RATE FRAMES FLAC-OPTION...
  python3 "$here/craft-noise.py" "$1" "$2" "$3" "$4" > "flac-$1-$2-$3.wav"
  jobs+=("flac --silent --channel-map=none --lax ${*:5} flac-$1-$2-$3.wav")
}
encode_flac 4 1 8000 5000
encode_flac 8 1 8000 20011
encode_flac 12 2 12345 9001 -b 576
encode_flac 16 1 44100 1
encode_flac 16 2 44100 60000 -8
encode_flac 20 3 48000 10007
encode_flac 24 2 96000 30001 -8 -b 4608
encode_flac 32 2 192001 20000
for channels in 4 5 6 7 8; do encode_flac 16 $channels 48000 9000; done
encode_flac 24 8 655350 9000 -b 16384

# Each channel with a sweep of its own, so that a swapped one is noticed; ffmpeg knows the order of channels by the layout.
for layout in mono stereo 3.0 quad 5.0 5.1 6.1 7.1; do
  case $layout in mono) channels=1 ;; stereo) channels=2 ;; 3.0) channels=3 ;; quad) channels=4 ;; *) channels=$((${layout%.*} + ${layout#*.})) ;; esac
  sweeps=()
  for ((channel = 0; channel < channels; channel++)); do sweeps+=(sine "$((200 + 150 * channel))/$((5000 - 400 * channel))"); done
  $sox -r 48000 -c $channels -n -b 16 source-xiph-$layout.wav synth 48123s "${sweeps[@]}" synth 48123s pinknoise mix vol 0.4
  from=(ffmpeg -hide_banner -loglevel error -y -guess_layout_max 0 -channel_layout "$layout" -i "source-xiph-$layout.wav" -bitexact)
  jobs+=("${from[*]} -c:a libvorbis -q:a 4 vorbis-$layout.ogg")
  jobs+=("${from[*]} -c:a libopus -b:a $((64 * channels))k -mapping_family $((channels > 2)) opus-$layout.opus")
done
jobs+=("oggenc -Q -s 1 -q 5 -o vorbis-oggenc-q5.ogg source-44100-stereo.wav" "oggenc -Q -s 1 -q -1 -o vorbis-oggenc-8000.ogg source-8000-mono.wav")
jobs+=("oggenc -Q -s 1 -q 9 -o vorbis-oggenc-short.ogg source-short-1000.wav")
jobs+=("ffmpeg -hide_banner -loglevel error -y -i source-44100-stereo.wav -strict -2 -c:a vorbis -bitexact vorbis-ffmpeg.ogg")
for milliseconds in 2.5 5 10 20 40 60; do
  jobs+=("opusenc --quiet --serial 1 --framesize $milliseconds --bitrate 96 source-48000-stereo.wav opus-96k-$milliseconds.opus")
done
jobs+=("opusenc --quiet --serial 1 --bitrate 10 --speech source-16000-mono.wav opus-silk.opus")
jobs+=("opusenc --quiet --serial 1 --bitrate 26 --speech source-48000-mono.wav opus-hybrid.opus")
jobs+=("ffmpeg -hide_banner -loglevel error -y -i source-48000-stereo.wav -c:a libopus -frame_duration 120 -bitexact opus-120ms.opus")
jobs+=("ffmpeg -hide_banner -loglevel error -y -i source-xiph-quad.wav -c:a libopus -mapping_family 255 -bitexact opus-family-255.opus")
# --- end of FLAC, Vorbis, Opus ------------------------------------------------------------------------------------------

# --- FLAC and Ogg as files ----------------------------------------------------------------------------------------------

ffmpeg -hide_banner -loglevel error -f lavfi -i 'nullsrc=size=200x150,noise=alls=100:all_seed=1' -frames:v 1 -bitexact picture.png
printf 'FILE "x" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 00:01:15\n' > tracks.cue
jobs+=("flac --silent -S 1s -T TITLE=Tagged -T ARTIST=One -T ARTIST=Two -T REPLAYGAIN_TRACK_GAIN=-6.5dB --cuesheet=tracks.cue \
  '--picture=3|image/png|Front|200x150x24|picture.png' -o flac-tagged.flac source-44100-stereo.wav 2> /dev/null")
jobs+=("flac --silent --ogg --serial-number=1 -T TITLE=Ogg -o ogg-flac.oga source-44100-stereo.wav")
jobs+=("opusenc --quiet --serial 1 --title Tagged --artist One --comment R128_TRACK_GAIN=256 --picture '3|image/png|Front|200x150x24|picture.png' source-48000-stereo.wav opus-tagged.opus")
jobs+=("oggenc -Q -s 1 -q 5 -t Tagged -a One -c CHAPTER001=00:00:00.000 -c CHAPTER001NAME=First -o vorbis-tagged.ogg source-44100-stereo.wav")
for part in 1 2; do
  jobs+=("oggenc -Q -s $part -q 5 -o part-$part-vorbis.ogg source-gapless-$part.wav")
  jobs+=("opusenc --quiet --serial $part source-gapless-$part.wav part-$part-opus.opus")
done
video=(ffmpeg -hide_banner -loglevel error -y -f lavfi -i testsrc=size=176x144:duration=2.7 -i source-44100-stereo.wav)
jobs+=("${video[*]} -c:v libtheora -c:a libvorbis -bitexact theora-vorbis.ogv" "${video[*]} -c:v libtheora -an -bitexact theora.ogv")
jobs+=("ffmpeg -hide_banner -loglevel error -y -i source-16000-mono.wav -c:a libspeex -bitexact speex.ogg")
# --- end of FLAC and Ogg as files ---------------------------------------------------------------------------------------

printf '%s\0' "${jobs[@]}" | xargs -0 -P "$(nproc)" -I '{}' sh -c '{}'
rm dense.wav thin.wav
# Of FLAC and Ogg, what ffprobe finds: NAME.packets with size and duration of each.
cat part-[12]-vorbis.ogg > chained-vorbis.ogg
cat part-[12]-opus.opus > chained-opus.opus
cat vorbis-stereo.ogg speex.ogg part-2-vorbis.ogg > chained-others.ogg
for file in flac-*.flac vorbis-*.ogg opus-*.opus ogg-flac.oga theora-vorbis.ogv; do
  echo "ffprobe -v error -select_streams a -show_entries packet=size,duration -of csv=p=0 $file > $file.packets"
done | xargs -d '\n' -P "$(nproc)" -I '{}' sh -c '{}'
python3 "$here/craft.py"
echo "$stamp" > stamp
chmod 755 .
rm -rf "$out"
mv "$made" "$out"
