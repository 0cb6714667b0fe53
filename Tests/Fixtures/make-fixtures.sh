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

# --- ALAC and AAC, for the decoders: what ffmpeg writes.
alac=(ffmpeg -hide_banner -loglevel error -y)
wide_wave() { # wide_wave NAME CHANNELS: 24 bits, a tone and noise of its own in each channel
  local tones=()
  for channel in $(seq "$2"); do tones+=(sine "$((200 + 150 * channel))/$((90 * channel))"); done
  $sox -r 48000 -c "$2" -n -b 24 "$1.wav" synth 20001s "${tones[@]}" synth 20001s pinknoise mix vol 0.6
}
wide_wave source-24-stereo 2
wide_wave source-24-5.1 6
wide_wave source-24-7.1 8
$sox -r 44100 -c 2 -n -b 16 source-silence.wav trim 0 20000s
$sox -r 44100 -c 2 -n -b 16 source-noise.wav synth 20000s whitenoise
for name in 44100-stereo 44100-mono silence noise short-1 short-100 short-1000; do
  jobs+=("${alac[*]} -i source-$name.wav -c:a alac alac-$name.m4a")
done
for name in 24-stereo 24-5.1; do jobs+=("${alac[*]} -i source-$name.wav -c:a alac -sample_fmt s32p alac-$name.m4a"); done
jobs+=("${alac[*]} -i source-24-7.1.wav -af channelmap=channel_layout='7.1(wide)' -c:a alac -sample_fmt s32p alac-24-7.1.m4a")
for order in 1 8 30; do
  jobs+=("${alac[*]} -i source-44100-stereo.wav -c:a alac -min_prediction_order $order -max_prediction_order $order \
    alac-order-$order.m4a")
done
jobs+=("${alac[*]} -i source-44100-stereo.wav -c:a alac -compression_level 0 alac-verbatim.m4a")
adts() { jobs+=("${alac[*]} -t 6 -i source-$1.wav -c:a aac ${*:3} aac-$2.aac"); } # adts SOURCE NAME FFMPEG-OPTION...
adts e2-44100 44100-stereo "-b:a 128k"
adts e2-44100 44100-stereo-without-noise "-aac_pns 0 -b:a 128k"
adts 48000-mono 48000-mono "-aac_pns 0 -b:a 64k"
adts 8000-mono 8000-mono "-aac_pns 0 -b:a 16k"
adts 24-5.1 48000-5.1 "-aac_pns 0 -b:a 384k"
adts 24-7.1 48000-7.1 "-aac_pns 0 -b:a 384k"
adts e2-44100 24000-mono "-ac 1 -ar 24000 -aac_pns 0 -b:a 40k"
adts e2-44100 24000-stereo "-ar 24000 -aac_pns 0 -b:a 64k"
# --- End of ALAC and AAC.

printf '%s\0' "${jobs[@]}" | xargs -0 -P "$(nproc)" -I '{}' sh -c '{}'
rm dense.wav thin.wav
python3 "$here/craft.py"
python3 "$here/craft-aac.py"
python3 "$here/craft-alac.py"
echo "$stamp" > stamp
chmod 755 .
rm -rf "$out"
mv "$made" "$out"
