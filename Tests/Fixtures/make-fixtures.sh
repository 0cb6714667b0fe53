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
export PYTHONDONTWRITEBYTECODE=1

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

# Durations that are known to the frame.
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

# Free format: headers that do not tell the bit rate.
encode source-44100-stereo free-400 "--freeformat -b 400"
encode source-48000-mono free-123-mono "--resample 48 -m m --freeformat -b 123"
encode source-22050-stereo free-200 "--resample 22.05 --freeformat -b 200"

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

# Frames with sync words that say all: each layout of AC-3, E-AC-3 and AAC at some rate.
framed() { # framed NAME SOURCE FFMPEG-OPTION...
  jobs+=("ffmpeg -hide_banner -loglevel error -y -i $2.wav -map_metadata -1 -bitexact ${*:3} $1")
}
framed framed-ac3-mono.ac3 source-48000-mono -b:a 96k
framed framed-ac3-stereo.ac3 source-44100-stereo -b:a 192k
framed framed-ac3-surround.ac3 source-32000-stereo -ac 6 -b:a 448k
framed framed-ac3-quad.ac3 source-48000-stereo -ac 4 -b:a 320k
framed framed-eac3-stereo.eac3 source-48000-stereo -b:a 128k
framed framed-eac3-surround.eac3 source-44100-stereo -ac 6 -b:a 384k
framed framed-adts-mono.aac source-8000-mono -b:a 24k -f adts
framed framed-adts-stereo.aac source-22050-stereo -b:a 96k -f adts
framed framed-adts-surround.aac source-48000-stereo -ac 6 -b:a 256k -f adts

# --- PCM, G.711, ADPCM, AC-3, AMR ---------------------------------------------------------------------------------------
ffmpeg="ffmpeg -hide_banner -loglevel error -y -bitexact"
$sox -r 44100 -c 2 -n -b 32 source-pcm.wav synth 5001s sine 180/5000 sine 3500/120 synth 5001s pinknoise mix vol 0.6
for format in u8 s8 s16le s16be s24le s24be s32le s32be; do jobs+=("$ffmpeg -i source-pcm.wav -f $format pcm.$format"); done
# Louder than full scale.
for format in f32le f32be f64le f64be; do
  jobs+=("$ffmpeg -i source-pcm.wav -af aformat=dbl,volume=3:precision=double -f $format pcm.$format")
done
for channels in 1 2; do
  $sox source-pcm.wav -b 16 source-adpcm-$channels.wav remix $(seq -s ' ' $channels)
  for codec in ima ms; do jobs+=("$sox source-adpcm-$channels.wav -e $codec-adpcm adpcm-$codec-sox-$channels.wav"); done
  for codec in ima_wav ms; do
    jobs+=("$ffmpeg -i source-adpcm-$channels.wav -c:a adpcm_$codec adpcm-${codec%_wav}-ffmpeg-$channels.wav")
  done
  jobs+=("$ffmpeg -i source-adpcm-$channels.wav -c:a adpcm_ima_qt adpcm-ima4-$channels.aiff")
done
# A sweep for each channel; that of the LFE lies where it passes.
for layout in mono stereo quad 5.1; do
  sweeps=(sine 300/2000 sine 2500/400 sine 900/5000 sine 40/90 sine 5000/3000 sine 700/1500)
  case $layout in mono) channels=1 ;; stereo) channels=2 ;; quad) channels=4 ;; 5.1) channels=6 ;; esac
  $sox -r 48000 -c $channels -n -b 16 source-ac3-$layout.wav synth 12345s "${sweeps[@]:0:2*channels}" vol 0.5
  for codec in ac3 eac3; do
    jobs+=("$ffmpeg -guess_layout_max 0 -channel_layout $layout -i source-ac3-$layout.wav -c:a $codec -b:a $((64 + 64 * channels))k $codec-$layout.$codec")
  done
done
for mode in 0 1 2 3 4 5 6 7; do jobs+=("$sox source-8000-mono.wav -C $mode amr-$mode.amr-nb trim 0 5003s"); done
jobs+=("$sox source-8000-mono.wav -C 7 amr-long.amr-nb repeat 2")
# --- end of PCM, G.711, ADPCM, AC-3, AMR --------------------------------------------------------------------------------
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
  jobs+=("${alac[*]} -t 0.7 -i source-$name.wav -c:a alac alac-$name.m4a")
done
for name in 24-stereo 24-5.1; do jobs+=("${alac[*]} -t 0.7 -i source-$name.wav -c:a alac -sample_fmt s32p alac-$name.m4a"); done
jobs+=("${alac[*]} -t 0.7 -i source-24-7.1.wav -af channelmap=channel_layout='7.1(wide)' -c:a alac -sample_fmt s32p alac-24-7.1.m4a")
for order in 1 8 30; do
  jobs+=("${alac[*]} -t 0.7 -i source-44100-stereo.wav -c:a alac -min_prediction_order $order -max_prediction_order $order \
    alac-order-$order.m4a")
done
jobs+=("${alac[*]} -t 0.7 -i source-44100-stereo.wav -c:a alac -compression_level 0 alac-verbatim.m4a")
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
jobs+=("oggenc -Q -s 1 -q 0 -o vorbis-loud.ogg flac-16-2-44100.wav" "opusenc --quiet --serial 1 flac-16-2-44100.wav opus-loud.opus")
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
# --- WAVE, AIFF, CAF, NeXT: every coding that ffmpeg or SoX writes, of the 5001 frames in source-pcm.wav. ------------------
tags=(title=Té artist=Artist album=Album track=3 date=1999 genre=Jazz comment=Comment)
chunked=(ffmpeg -hide_banner -loglevel error -y -i source-pcm.wav -bitexact ${tags[@]/#/-metadata })
chunked() { for codec in "${@:2}"; do jobs+=("${chunked[*]} -c:a $codec ${1%.*}-$codec.${1#*.}"); done; } # chunked NAME.EXTENSION CODEC...
chunked wave.wav pcm_{u8,{s16,s24,s32,f32,f64}le,alaw,mulaw} adpcm_{ms,ima_wav} libmp3lame ac3
jobs+=("${chunked[*]} -rf64 always -c:a pcm_s24le rf64-pcm_s24le.wav")
chunked wave64.w64 pcm_{u8,{s16,s24,s32,f32,f64}le,alaw,mulaw} adpcm_{ms,ima_wav}
jobs+=("${chunked[*]} -c:a pcm_s16le -f w64 - | cat > wave64-pipe.w64")
chunked+=(-write_id3v2 1)
chunked aiff.aiff pcm_{s8,{s16,s24,s32,f32,f64}be,s16le,alaw,mulaw} adpcm_ima_qt
chunked caf.caf pcm_{s8,s16le,s16be,s24le,s24be,s32le,f32le,f64be,alaw,mulaw} adpcm_ima_qt alac flac libopus libmp3lame ac3
chunked next.au pcm_{s8,{s16,s24,s32,f32,f64}be,alaw,mulaw}
# The sizes in their headers were never filled in.
jobs+=("${chunked[*]} -c:a pcm_s16le -f wav - > wave-pipe.wav" "${chunked[*]} -c:a pcm_s16be -f aiff - > aiff-pipe.aiff")
jobs+=("$sox -t wav - -t aiff - < source-pcm.wav | cat > aiff-sox-pipe.aiff" "$sox source-pcm.wav -b 16 -L -t au next-sox-little.au")
for bits in 8 16 24 32; do
  jobs+=("$sox source-pcm.wav -b $bits -B -t wav rifx-$bits.wav" "$sox source-pcm.wav -b $bits aiff-sox-$bits.aiff" \
    "$sox source-pcm.wav -b $bits wave64-sox-$bits.w64")
done
jobs+=("$sox source-pcm.wav -e float -b 32 -B -t wav rifx-float.wav")
# --- end of WAVE, AIFF, CAF, NeXT ---------------------------------------------------------------------------------------

# MPEG-4 and QuickTime: codings, orders of boxes, fragments, other tracks between, tags. What ffprobe says of each packet
# lies beside.
mpeg4() { # mpeg4 NAME SOURCE FFMPEG-OPTION...
  jobs+=("ffmpeg -hide_banner -loglevel error -y -i $2.wav ${*:3} -map_metadata -1 -bitexact $1 \
    && ffprobe -v error -select_streams a -show_entries packet=pos,size -of csv=p=0 $1 > $1.packets")
}
mpeg4 mp4-aac.m4a source-e2-44100 -b:a 128k
mpeg4 mp4-aac-faststart.m4a source-e2-44100 -b:a 128k -movflags +faststart
mpeg4 mp4-aac-mono.m4b source-22050-mono -b:a 48k
mpeg4 mp4-aac-surround.mp4 source-48000-stereo -ac 6 -b:a 256k
kinds='-use_editlist 0 -aac_tns 0 -aac_pns 0'
mpeg4 mp4-aac-kinds-stereo.m4a source-44100-stereo "$kinds" -b:a 160k
mpeg4 mp4-aac-kinds-mono.m4a source-44100-stereo "$kinds" -ac 1 -b:a 128k
mpeg4 mp4-aac.mov source-44100-stereo -b:a 128k
mpeg4 mp4-aac.3gp source-16000-mono -c:a aac -b:a 32k
mpeg4 mp4-aac.3g2 source-16000-mono -c:a aac -b:a 32k -movflags +faststart
mpeg4 mp4-alac.m4a source-e2-44100 -c:a alac
mpeg4 mp4-alac-faststart.mov source-48000-mono -c:a alac -sample_fmt s32p -movflags +faststart
mpeg4 mp4-flac.mp4 source-44100-stereo -c:a flac -strict -2
mpeg4 mp4-opus.mp4 source-48000-stereo -c:a libopus -movflags +faststart
mpeg4 mp4-mp3.mp4 source-44100-stereo -c:a libmp3lame
mpeg4 mp4-mp3.mov source-22050-stereo -c:a libmp3lame
mpeg4 mp4-ac3.mp4 source-44100-stereo -c:a ac3
mpeg4 mp4-eac3.mp4 source-48000-stereo -c:a eac3 -ac 6
for coding in s16le s16be s24le s24be s32be f32le f64be u8 mulaw alaw; do
  mpeg4 mp4-pcm-$coding.mov source-8000-stereo -c:a pcm_$coding
done
mpeg4 mp4-pcm-s16le-faststart.mov source-48000-stereo -c:a pcm_s16le -movflags +faststart
mpeg4 mp4-ima4.mov source-16000-stereo -c:a adpcm_ima_qt
mpeg4 mp4-fragments.m4a source-44100-stereo -movflags +empty_moov -frag_duration 500000
mpeg4 mp4-fragments-base-moof.mp4 source-44100-stereo -movflags +empty_moov+default_base_moof -frag_duration 300000
mpeg4 mp4-fragments-behind-moov.m4a source-44100-stereo -frag_duration 500000
mpeg4 mp4-fragments-edited.mp4 source-44100-stereo -movflags +empty_moov+delay_moov -frag_duration 500000
mpeg4 mp4-fragments-indexed.mp4 source-44100-stereo -movflags +dash+global_sidx -frag_duration 500000
mpeg4 mp4-fragments-opus.mp4 source-48000-stereo -c:a libopus -movflags +empty_moov -frag_duration 500000
mpeg4 mp4-fragments-alac.m4a source-44100-stereo -c:a alac -movflags +empty_moov -frag_duration 500000
mpeg4 mp4-fragments-pcm.mov source-8000-stereo -c:a pcm_s16le -movflags +empty_moov -frag_duration 500000
video='-f lavfi -t 2.7 -i testsrc=size=64x48:rate=10 -map 0:a -map 1:v -c:v mpeg4 -b:v 20k'
mpeg4 mp4-video.mp4 source-44100-stereo "$video" -b:a 96k -movflags +faststart
mpeg4 mp4-video-first.mov source-8000-stereo "${video/-map 0:a -map 1:v/-map 1:v -map 0:a}" -c:a pcm_s16le
tags='-map_metadata -1 -metadata title=Sweep -metadata artist=Ärtist -metadata album_artist=All -metadata album=Album -metadata track=3/12
  -metadata disc=1/2 -metadata date=2024-05-06 -metadata genre=Noise -metadata composer=SoX -metadata comment=Words
  -metadata lyrics=La'
printf ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1250\ntitle=One\n' > chapters.txt
printf '[CHAPTER]\nTIMEBASE=1/1000\nSTART=1250\nEND=2700\ntitle=Zwölf\n' >> chapters.txt
mpeg4 mp4-tags.m4a source-8000-mono "-f lavfi -i color=red:size=8x8:rate=1:duration=1 -map 0 -map 1 -c:v png -frames:v 1" \
  "-disposition:v attached_pic -c:a aac -b:a 24k" $tags
mpeg4 mp4-tags.mov source-8000-mono -c:a pcm_s16le $tags
mpeg4 mp4-tags.3gp source-8000-mono -c:a aac -b:a 24k $tags
jobs+=("ffmpeg -hide_banner -loglevel error -y -i source-8000-mono.wav -f ffmetadata -i chapters.txt -map_chapters 1 \
  -map_metadata 1 -c:a aac -b:a 24k -movflags +faststart -bitexact mp4-chapters.m4b")
mpeg4 mp4-video-fragments.mp4 source-44100-stereo "$video" -g 5 -movflags +frag_keyframe+empty_moov

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
jobs+=("ffmpeg -hide_banner -loglevel error -y -i source-16000-mono.wav -c:a libspeex -bitexact -f ogg speex-ogg.bin")
# --- What only libavformat reads: libav-NAME, beside each what ffmpeg makes of it (libav-NAME.pcm, 16 bits) ----------------

movie='-f lavfi -t 2.7 -i testsrc=size=64x48:rate=10 -map 0:a -map 1:v -c:v mpeg4 -b:v 20k'
libav() { # libav NAME SOURCE FFMPEG-OPTION...
  jobs+=("ffmpeg -hide_banner -loglevel error -y -i $2.wav ${*:3} -bitexact libav-$1 \
    && ffmpeg -hide_banner -loglevel error -y $decoder -i libav-$1 -map 0:a -f s16le -bitexact libav-$1.pcm")
}
libav_tags='-metadata title=Sweep -metadata artist=Ärtist -metadata album=Album -metadata track=3/12 -metadata genre=Noise'
decoder=
libav wmav2.wma source-e2-44100 -c:a wmav2 -b:a 96k $libav_tags
libav wmav1.wma source-44100-stereo -c:a wmav1 -b:a 96k
libav tta.tta source-e2-44100 $libav_tags
libav wavpack.wv source-e2-44100 $libav_tags
libav wavpack-24.wv flac-24-2-96000 -sample_fmt s32p -c:a wavpack
decoder="-c:a mp2float" libav mp2.ts source-e2-44100 -c:a mp2 -f mpegts
libav aac.ts source-e2-44100 -c:a aac -aac_pns 0 -f mpegts
decoder="-c:a mp2float" libav video.ts source-44100-stereo "$movie" -c:a mp2 -f mpegts
libav mp3.flv source-e2-44100 -c:a libmp3lame
libav aac.flv source-44100-stereo -c:a aac -aac_pns 0
libav mp3.avi source-e2-44100 -c:a libmp3lame
libav pcm.avi source-44100-stereo -c:a pcm_s16le
libav video.avi source-44100-stereo "$movie" -c:a libmp3lame
libav vorbis.mov source-44100-stereo -c:a libvorbis -strict -2
libav pcm.voc source-44100-stereo
libav gsm.w64 source-8000-mono -c:a libgsm_ms -f w64
libav speex.speex source-16000-mono -c:a libspeex -f ogg
libav gsm.gsm-wave source-8000-mono -c:a libgsm_ms -f wav
libav dts.dts source-44100-stereo -c:a dca -strict -2
libav wavpack.mka source-44100-stereo -c:a wavpack
libav truehd.mka source-44100-stereo -c:a truehd -strict -2
libav dts.mka source-44100-stereo -c:a dca -strict -2
libav wmav2.mka source-44100-stereo -c:a wmav2
# Covers and chapters (picture.png is made below).
jobs+=("ffmpeg -hide_banner -loglevel error -y -i source-44100-stereo.wav -f ffmetadata -i chapters.txt -map_chapters 1 \
  -attach picture.png -metadata:s:t mimetype=image/png -metadata:s:t filename=cover.png -c:a wavpack -bitexact libav-cover.mka")
jobs+=("ffmpeg -hide_banner -loglevel error -y -i source-44100-stereo.wav -f ffmetadata -i chapters.txt -map_chapters 1 \
  -c:a wmav2 -bitexact libav-chapters.wma")
libav aac.loas source-44100-stereo -c:a aac -aac_pns 0 -f latm
decoder="-c:a mp2float" libav mp2.mpg source-44100-stereo -c:a mp2 -f vob
# Musepack as ffmpeg decodes it, without what mpcdec leaves out: the filter's delay, the silence in front of a part that
# was cut out, and the padding; and as mpcdec decodes it (libav-NAME.mpc.wav).
musepack() { # musepack NAME FIRST-FRAME END-FRAME COMMAND
  local name=libav-$1.mpc
  jobs+=("$4 && mpcdec $name $name.wav > $name.log 2>&1 && ffmpeg -hide_banner -loglevel error -y -i $name \
    -af atrim=start_sample=$((481 + $2)):end_sample=$((481 + $3)) -f s16le -bitexact $name.pcm")
}
encode="mpcenc --silent --overwrite source-e2-44100.wav"
musepack musepack 0 454230 "$encode libav-musepack.mpc > mpcenc.log 2>&1"
musepack musepack-cut 10000 100000 "$encode whole.mpc > mpcenc-whole.log 2>&1 \
  && mpccut -s 10000 -e 100000 whole.mpc libav-musepack-cut.mpc > mpccut.log 2>&1"
# --- end of FLAC and Ogg as files ---------------------------------------------------------------------------------------

# Matroska and WebM: each codec, sizes that were never filled in, video between, lacing, tags of both kinds.
matroska() { # matroska NAME SOURCE FFMPEG-OPTION...
  jobs+=("ffmpeg -hide_banner -loglevel error -y -i $2.wav ${*:3} -map_metadata -1 -bitexact $1")
}
matroska mkv-opus.webm source-48000-stereo -c:a libopus -cluster_time_limit 500
matroska mkv-opus-silk.webm source-16000-mono -c:a libopus -b:a 12k -application voip -cluster_time_limit 700
matroska mkv-opus-surround.mka source-xiph-5.1 -c:a libopus -b:a 256k -mapping_family 1
matroska mkv-opus-live.webm source-48000-stereo -c:a libopus -f webm -live 1 -cluster_time_limit 500
jobs+=("ffmpeg -hide_banner -loglevel error -y -i source-48000-stereo.wav -c:a libopus -bitexact -f webm - | cat > mkv-opus-pipe.webm")
matroska mkv-opus-cues-first.webm source-48000-stereo -c:a libopus -cluster_time_limit 500 -cues_to_front 1
matroska mkv-vorbis.webm source-44100-stereo -c:a libvorbis -cluster_time_limit 500
matroska mkv-aac.mka source-e2-44100 -c:a aac -b:a 96k -aac_pns 0 -cluster_time_limit 1000
matroska mkv-flac.mka source-44100-stereo -c:a flac -cluster_time_limit 500
matroska mkv-alac.mka source-44100-stereo -c:a alac
matroska mkv-mp3.mka source-44100-stereo -c:a libmp3lame
matroska mkv-mp3-22050.mka source-22050-stereo -c:a libmp3lame -cluster_time_limit 500
matroska mkv-mp2.mka source-44100-stereo -c:a mp2
matroska mkv-ac3.mka source-48000-stereo -c:a ac3
matroska mkv-eac3.mka source-48000-stereo -c:a eac3
for coding in s16le s16be s24le s24be s32le f32le f64le u8; do
  matroska mkv-pcm-$coding.mka source-8000-stereo -c:a pcm_$coding
done
matroska mkv-acm.mka source-8000-stereo -c:a pcm_alaw
matroska mkv-video.mkv source-44100-stereo '-f lavfi -t 2.7 -i testsrc=size=64x48:rate=10 -map 1:v -map 0:a -c:v mpeg4 -b:v 20k' -c:a flac
jobs+=("ffmpeg -hide_banner -loglevel error -y -i source-8000-mono.wav -f ffmetadata -i chapters.txt -attach picture.png \
  -map_chapters 1 -map_metadata 1 $(echo ${tags#-map_metadata -1}) -metadata:s:t mimetype=image/png -metadata:s:t filename=cover.png \
  -c:a flac -bitexact mkv-tags.mka")
mkvmerge='mkvmerge --quiet --deterministic 1'
levels='<Tags><Tag><Targets><TargetTypeValue>50</TargetTypeValue></Targets>
  <Simple><Name>TITLE</Name><String>The album</String></Simple><Simple><Name>ARTIST</Name><String>All of them</String></Simple>
  <Simple><Name>TOTAL_PARTS</Name><String>12</String></Simple><Simple><Name>DATE_RELEASED</Name><String>2024</String></Simple></Tag>
  <Tag><Targets><TargetTypeValue>30</TargetTypeValue></Targets><Simple><Name>TITLE</Name><String>The track</String></Simple>
  <Simple><Name>ARTIST</Name><String>One</String><Simple><Name>SORT_WITH</Name><String>Eno</String></Simple></Simple>
  <Simple><Name>PART_NUMBER</Name><String>3</String></Simple>
  <Simple><Name>REPLAYGAIN_GAIN</Name><String>-6.5 dB</String></Simple></Tag></Tags>'
echo "$levels" > levels.xml
printf 'CHAPTER01=00:00:00.000\nCHAPTER01NAME=One\nCHAPTER02=00:00:01.250\nCHAPTER02NAME=Two\n' > chapters-simple.txt
# --- end of Matroska and WebM: what mkvmerge makes of others comes below.
# Files in which frames of MPEG audio and AAC lie among other bytes.
foreign() { jobs+=("ffmpeg -hide_banner -loglevel error -y -i source-44100-stereo.wav ${*:2} -map_metadata -1 -bitexact $1"); }
for kind in mka ts mpg flv avi nut; do foreign foreign-mp3.$kind -c:a libmp3lame; done
for kind in mka ts flv; do foreign foreign-aac.$kind -c:a aac; done
foreign foreign-ac3.ts -c:a ac3
foreign foreign-mp2.mpg -c:a mp2
foreign foreign.m2ts -c:a ac3 -f mpegts -mpegts_m2ts_mode 1
foreign foreign.wma -c:a wmav2
foreign foreign.wv -c:a wavpack
foreign foreign.tta -c:a tta

printf '%s\0' "${jobs[@]}" | xargs -0 -P "$(nproc)" -I '{}' sh -c '{}'
rm dense.wav thin.wav
# Of FLAC and Ogg, what ffprobe finds: NAME.packets with size and duration of each.
cat part-[12]-vorbis.ogg > chained-vorbis.ogg
cat part-[12]-opus.opus > chained-opus.opus
cat vorbis-stereo.ogg speex-ogg.bin part-2-vorbis.ogg > chained-others.bin
for file in flac-*.flac vorbis-*.ogg opus-*.opus ogg-flac.oga theora-vorbis.ogv; do
  echo "ffprobe -v error -select_streams a -show_entries packet=size,duration -of csv=p=0 $file > $file.packets"
done | xargs -d '\n' -P "$(nproc)" -I '{}' sh -c '{}'
for file in caf-{alac,libopus,libmp3lame,ac3}.caf wave-{libmp3lame,ac3}.wav; do
  ffprobe -v error -show_entries packet=size,pos -of csv=p=0 "$file" > "$file.packets"
done
# mkvmerge puts packets of Opus and AC-3 together in blocks.
for name in opus-tagged.opus framed-ac3-stereo.ac3 mkv-mp3.mka mkv-video.mkv vorbis-stereo.ogg; do
  $mkvmerge --no-date -o "mkv-merged-${name%.*}.mka" "$name"
done
$mkvmerge --no-date --global-tags levels.xml --chapters chapters-simple.txt --attachment-mime-type image/png --attach-file picture.png \
  -o mkv-levels.mka mkv-flac.mka
for file in mkv-*; do
  ffprobe -v error -select_streams a:0 -show_entries packet=size -of csv=p=0 "$file" > "$file.packets"
done
python3 "$here/craft.py"
for file in adpcm-{short,cut}-*.wav; do
  ffmpeg -hide_banner -loglevel error -y -i "$file" -f s16le "${file%.wav}.pcm"
done
python3 "$here/craft-mp4-groups.py"
python3 "$here/craft-aac.py"
# HE-AAC that only the packets tell of: a configuration of 2 bytes that says AAC of half the rate.
copy=(ffmpeg -hide_banner -loglevel error -y -bitexact)
"${copy[@]}" -i aac-he-stereo.aac -c copy mp4-he-implicit.m4a
"${copy[@]}" -i aac-he-v2.aac -c copy -movflags +faststart mp4-he-v2-implicit.m4a
"${copy[@]}" -i mp4-he-implicit.m4a -c copy -movflags +empty_moov -frag_duration 500000 mp4-he-fragments.m4a
python3 "$here/craft-aac-kinds.py"
for pair in aac-44100-stereo-without-noise.aac:aac-plain mp4-aac-{kinds-stereo,ld,eld}.m4a:; do
  name=${pair#*:}
  ffmpeg -hide_banner -loglevel error -y -i "${pair%:*}" -f s16le "${name:-${pair%.m4a:}}.s16"
done
python3 "$here/craft-alac.py"
# Debian's own Python has Debian's mutagen.
/usr/bin/python3 "$here/craft-tags.py"
python3 "$here/craft-hostile.py"
python3 "$here/craft-dsd.py"
python3 "$here/craft-hostile-libav.py"
echo "$stamp" > stamp
chmod 755 .
rm -rf "$out"
mv "$made" "$out"
