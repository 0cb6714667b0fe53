# `make play` and `make test` do all their own set-up on Debian 12 with Swift 6.3; the rest expects it done.

PREFIX ?= /usr/local
SWIFT ?= swift

PROGRAM := .build/release/segue
# The C++ library below Swift's, where it is found without its shared twin.
STATIC := $(CURDIR)/.build/static
CXX_LIBRARY := $(lastword $(wildcard /usr/lib/gcc/$(shell uname -m)-linux-gnu/*/libstdc++.a))
# Swift's library linked in: twice as fast to start, and a seventh more with what is below it. Equal functions folded,
# symbols left out (STRIP=), relocations packed (glibc 2.36), nothing exported: a third smaller. What is called to start
# and to play lies together (`make order`), so that fewer pages are read. Position independent all the same, because it
# reads files of strangers. What debug builds and tests check at run time, that nobody else uses what is being changed,
# releases need not check again.
STRIP ?= -Xlinker -s
RELEASE := -c release --product segue --static-swift-stdlib --disable-local-rpath -Xswiftc -use-ld=lld \
  -Xswiftc -enforce-exclusivity=unchecked -Xlinker --icf=all $(STRIP) -Xlinker -z -Xlinker pack-relative-relocs \
  -Xlinker --no-export-dynamic -Xswiftc -Xfrontend -Xswiftc -function-sections \
  -Xlinker --symbol-ordering-file=scripts/startup-order -Xlinker --no-warn-symbol-ordering \
  -Xswiftc -L'$(STATIC)' -Xlinker -l:libgcc_eh.a

BUILD_PACKAGES := libavcodec-dev libavformat-dev libcurl4-openssl-dev libfaad-dev libflac-dev libmpg123-dev libncurses-dev \
  libopencore-amrnb-dev libopencore-amrwb-dev libopus-dev libpulse-dev librubberband-dev libsqlite3-dev \
  libvorbis-dev
TEST_PACKAGES := cmus dbus-bin dbus-daemon ffmpeg fish flac groff-base icecast2 lame libfribidi0 libglib2.0-bin \
  libpng16-16 libsox-fmt-base libsox-fmt-mp3 libturbojpeg0 libwebp7 locales mkvtoolnix mpc mpg123 musepack-tools \
  ncurses-term nginx-light openssl opus-tools pipewire playerctl \
  pipewire-pulse pulseaudio pulseaudio-utils python3 python3-mutagen sox tmux vorbis-tools wireplumber zsh

# Two streams, joined to the frame in real time: one test after another.
ALONE := Joints of formats
# What PipeWire has of the tests with a sound server, one test after another: beside each other they fail on a busy machine.
PIPEWIRE := PulseOutputTests 'Changing devices' 'Losing the sound server' Torture
# No server, no terminal, no network; the codecs have tests of their own.
PURE := ^(AudioModel|AudioSession|ByteIO|Containers|Database|Library|Pictures|Player|RemoteProtocols|SignalProcessing|TerminalUI)Tests\.
PURE_PLAYBACK := ^(AudioOutput|Playback|Streaming)Tests\.
NETWORKED := /(BadNetwork|EncodingChange|HLSFeed|HLSPlayback|HostileNetwork|Live|NetworkPlayback|NetworkReading|SharedReading|Station|Waveform)Tests\.swift
# Pure, but long: every file cut and damaged in every way, seeks to many places of each,
# random commands.
LONG := in any file|/([A-Za-z0-9]*Robustness|Truncation|Exercise|Libav|Format)Tests\.swift
# The modules under test are optimised (Package.swift): half the processor time. `swift build` alone builds them anew.
export SEGUE_OPTIMIZED_TESTS := 1
export SWIFT

.PHONY: all play test test-program test-playback test-modules test-formats test-pulseaudio test-pipewire check check-modules check-playback examples test-tools bench bench-formats fuzz fuzz-nightly order lint fixtures release install install-files uninstall deb try-deb pictures clean

all: release

# Builds the player and plays the demo album, or what is named: make play MUSIC=~/music
MUSIC ?= Resources/demo
play:
	@scripts/install-packages $(BUILD_PACKAGES) pulseaudio-utils
	@$(MAKE) --no-print-directory release
	@scripts/start-sound-server
	@$(PROGRAM) $(MUSIC)

# The pure tests only, without the longest.
check: test-tools
	@$(SIDE_BY_SIDE) check-modules check-playback

check-modules:
	@scripts/run-tests --filter '$(PURE)' --skip '$(LONG)'

check-playback:
	@scripts/run-tests --filter '$(PURE_PLAYBACK)' --skip '$(NETWORKED)' --skip '$(LONG)'

# SEGUE_EXERCISE_RUNS=2500 has the engine obey 100,000 random commands (100 runs of 40 commands without it).
test: test-tools
	@$(SIDE_BY_SIDE) test-program test-playback test-modules
	@$(SIDE_BY_SIDE) test-pulseaudio test-pipewire test-formats
	@$(MAKE) --no-print-directory examples

# What plays in real time comes after most of what takes the processors' time.
SIDE_BY_SIDE := $(MAKE) --no-print-directory --jobs --keep-going --output-sync=target

test-program:
	@scripts/run-tests --filter '^segueTests'

# They wait for servers and time limits while the others count.
test-playback:
	@scripts/run-tests --filter '^(Playback|Streaming)Tests'

test-modules:
	@scripts/run-tests --skip '^(segue|Playback|Streaming|Containers|Decoding|NCursesTerminal|Program|PulseOutput)Tests'

# Beside what plays, one at a time.
test-formats:
	@nice -n 5 scripts/run-tests --no-parallel --filter '^(Containers|Decoding)Tests'

test-pulseaudio:
	@scripts/run-tests --filter '^NCursesTerminalTests'
	@scripts/run-tests --filter '^ProgramTests' --skip '$(ALONE)'
	@scripts/run-tests --filter '^PulseOutputTests'
	@scripts/run-tests --no-parallel --filter '$(ALONE)'

test-pipewire:
	@for suite in $(PIPEWIRE); do \
	  SEGUE_SOUND_SERVER=pipewire scripts/run-tests --no-parallel --filter "$$suite" || exit 1; done

# What the tests need: packages, sound files, the build.
test-tools:
	@scripts/install-packages $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@$(MAKE) --no-print-directory fixtures
	$(SWIFT) build --build-tests

# Builds the programs of Examples, as a package of their own, runs them, and checks what they print.
examples: fixtures
	env -u SEGUE_OPTIMIZED_TESTS $(SWIFT) build --package-path Examples --scratch-path .build/examples
	@scripts/try-examples .build/examples/debug

fixtures:
	@Tests/Fixtures/make-fixtures.sh

release:
	@command -v $(SWIFT) > /dev/null || { echo "Swift 6.3 is needed: swift.org/install/linux says how to get it." >&2; exit 1; }
	@mkdir -p '$(STATIC)' $(CXX_LIBRARY:%=&& ln -sf % '$(STATIC)')
	$(SWIFT) build $(RELEASE)

# Prints what the player costs beside what it may cost: all of it, or some: make bench METRICS='start seek'
bench: release
	@scripts/install-packages $(TEST_PACKAGES)
	@scripts/bench $(PROGRAM) $(METRICS)

# Prints how fast containers are parsed and codecs decoded, beside ffprobe and the codecs' own commands (docs/FIGURES.md):
# make bench-formats FORMATS='decode flac mp3'
bench-formats: release
	@scripts/install-packages $(TEST_PACKAGES) faad
	@scripts/bench-formats $(PROGRAM) $(FORMATS)

# Feeds the parsers, our own decoders, whole tracks and pictures with damaged input, each FUZZ seconds long, all or
# some: make fuzz FUZZ=3600 TARGETS='mpeg ogg'
FUZZ ?= 600
TARGETS ?= mpeg adts ac3 amr wave aiff caf next mp4 matroska flac ogg any decoders tracks pictures
fuzz: fixtures
	@scripts/fuzz $(FUZZ) $(TARGETS)

# The same through all targets, whatever one finds, each NIGHTLY seconds long; ends with a table of processor time,
# executions and findings.
NIGHTLY ?= 1800
fuzz-nightly: fixtures
	@FUZZ_NIGHTLY=yes scripts/fuzz $(NIGHTLY) $(TARGETS)

# Writes down anew which functions are called to start and to play, to be linked side by side.
order:
	@scripts/install-packages pulseaudio pulseaudio-utils valgrind
	@$(MAKE) --no-print-directory release STRIP=
	@scripts/start-sound-server
	@scripts/order-functions $(PROGRAM) Resources/demo > .build/startup-order
	@mv .build/startup-order scripts/startup-order

lint:
	@scripts/lint-citations
	@scripts/lint-types
	@scripts/lint-documentation
	$(SWIFT) format lint --strict --recursive --configuration .swift-format Package.swift Sources Tests Examples

# The completions come from the program, so that they know what it knows.
SHARE = $(DESTDIR)$(PREFIX)/share
COMPLETIONS = $(SHARE)/bash-completion/completions/segue $(SHARE)/zsh/$(ZSH_FOLDER)/_segue \
  $(SHARE)/fish/vendor_completions.d/segue.fish
ZSH_FOLDER ?= site-functions

install: release
	@$(MAKE) --no-print-directory install-files

install-files:
	install -D -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/segue
	install -D -m 644 docs/segue.1 $(SHARE)/man/man1/segue.1
	install -D -m 644 Resources/segue.desktop $(SHARE)/applications/segue.desktop
	set -- $(COMPLETIONS); for shell in bash zsh fish; do \
	  $(PROGRAM) --generate-completion-script $$shell | install -D -m 644 /dev/stdin $$1; shift; done

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/segue $(SHARE)/man/man1/segue.1 $(SHARE)/applications/segue.desktop $(COMPLETIONS)

# A package for Debian: .build/segue_VERSION_ARCHITECTURE.deb. `make try-deb` installs it in a bare Debian and tries it.
deb: release
	@scripts/install-packages dpkg-dev
	@scripts/make-deb $(PROGRAM)

try-deb: deb
	@scripts/install-packages debootstrap
	@scripts/try-deb

# The screens of README and manual, as they are.
pictures: release
	@scripts/install-packages tmux python3
	@scripts/screenshots $(PROGRAM)

clean:
	rm -rf .build
