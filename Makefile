# `make play` and `make test` install all they need on Debian 12 and 13 with Swift 6.3; the other
# targets expect that.

PREFIX ?= /usr/local
SWIFT ?= swift

PROGRAM := .build/release/segue
# The static libstdc++ in a folder of its own, so that the linker does not find the shared one.
STATIC := $(CURDIR)/.build/static
CXX_LIBRARY := $(lastword $(wildcard /usr/lib/gcc/$(shell uname -m)-linux-gnu/*/libstdc++.a))
# The static standard library makes the start twice as fast; libstdc++ and libgcc save another seventh. Identical code
# folding, stripped symbols (STRIP= keeps them), packed relocations (glibc 2.36) and no exported symbols make the program
# a third smaller. Functions that run at start-up and during playback are linked side by side (`make order`), so that
# fewer pages are read. The program is position independent, because it reads untrusted files. Releases have no run-time
# checks of exclusive access: debug builds and tests have them. Without incremental code generation, object files have no
# hash (.swift_modhash) of the folder's name, so that the program is the same wherever it was built.
STRIP ?= -Xlinker -s
RELEASE := -c release --product segue --static-swift-stdlib --disable-local-rpath -Xswiftc -use-ld=lld \
  -Xswiftc -enforce-exclusivity=unchecked -Xlinker --icf=all $(STRIP) -Xlinker -z -Xlinker pack-relative-relocs \
  -Xlinker --no-export-dynamic -Xswiftc -Xfrontend -Xswiftc -function-sections \
  -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen \
  -Xlinker --symbol-ordering-file=scripts/startup-order -Xlinker --no-warn-symbol-ordering \
  -Xswiftc -L'$(STATIC)' -Xlinker -l:libgcc_eh.a

BUILD_PACKAGES := g++ libcurl4-openssl-dev libfaad-dev libflac-dev libmpg123-dev libncurses-dev \
  libopencore-amrnb-dev libopencore-amrwb-dev libopus-dev libpulse-dev librubberband-dev libsqlite3-dev \
  libvorbis-dev
TEST_PACKAGES := binutils cmus curl dbus-bin dbus-daemon ffmpeg fish flac groff-base icecast2 lame libasound2 libasound2-plugins libfribidi0 libglib2.0-bin libmp3lame0 \
  libpcre2-8-0 libpng16-16 libsamplerate0 libsox-fmt-base libsox-fmt-mp3 libturbojpeg0 libuchardet0 libwebp7 locales mkvtoolnix mpc mpg123 \
  musepack-tools ncmpcpp \
  ncurses-term nginx-light openssl opus-tools pipewire playerctl \
  pipewire-pulse pulseaudio pulseaudio-utils python3 python3-fusepy python3-mpd python3-mutagen sox supysonic tmux vorbis-tools wireplumber zsh

# Transitions between two streams, exact to the frame in real time: these tests run one after another.
ALONE := Transitions between formats
# The tests with a sound server that also run with PipeWire, one after another: in parallel they fail on a busy machine.
PIPEWIRE := PulseOutputTests 'Changing devices' 'Losing the sound server' Torture
# Tests without a server, a terminal or a network; the codecs are separate (test-formats).
PURE := ^(AudioModel|AudioSession|ByteIO|Cells|Commands|Containers|Database|Library|Pictures|Player|RemoteProtocols|SignalProcessing|TerminalUI)Tests\.
PURE_PLAYBACK := ^(AudioOutput|Playback|Streaming)Tests\.
NETWORKED := /(BadNetwork|EncodingChange|HLSFeed|HLSPlayback|HostileNetwork|Live|NetworkPlayback|NetworkReading|SharedReading|Station|Waveform)Tests\.swift
# Pure but long tests: every file cut and damaged in every way, seeks to many places, random commands.
LONG := in any file|/([A-Za-z0-9]*Robustness|Truncation|Exercise|Libav|Format)Tests\.swift
# Optimises the modules under test (Package.swift), which halves the processor time. `swift build` without this variable
# rebuilds them.
export SEGUE_OPTIMIZED_TESTS := 1
# Without the index of editors, which takes a twentieth of the time.
DEBUG := --disable-index-store
export SWIFT

.PHONY: all play test test-program test-playback test-modules test-formats test-screen test-pulseaudio test-pipewire check check-modules check-playback check-fuzz examples docs test-tools test-build test-sounds bench bench-formats fuzz fuzz-nightly order lint fixtures headers release install install-files uninstall deb dist try-distributions pictures clean

all: release

# Builds the player and plays the demo album, or other music: make play MUSIC=~/music
MUSIC ?= Resources/demo
play:
	@scripts/install-packages $(BUILD_PACKAGES) ffmpeg pulseaudio-utils
	@$(MAKE) --no-print-directory release
	@scripts/start-sound-server
	@$(PROGRAM) $(MUSIC)

# Runs the pure tests, except the longest.
check: test-tools
	@$(SIDE_BY_SIDE) check-modules check-playback

check-modules:
	@scripts/run-tests --filter '$(PURE)' --skip '$(LONG)'

check-playback:
	@scripts/run-tests --filter '$(PURE_PLAYBACK)' --skip '$(NETWORKED)' --skip '$(LONG)'

# With SEGUE_CLIENT_COMMANDS=1000000 ten clients send so many random commands; without it, 600. With
# SEGUE_EXERCISE_RUNS=2500 the engine gets 100,000 random commands; without it, 100 runs of 40 commands.
test: test-tools
	@$(SIDE_BY_SIDE) test-program test-playback test-modules examples check-fuzz docs
	@$(SIDE_BY_SIDE) test-screen test-pulseaudio test-pipewire test-formats

# Tests in real time run after most of the tests that need much processor time.
SIDE_BY_SIDE := $(MAKE) --no-print-directory --jobs --keep-going --output-sync=target

test-program:
	@scripts/run-tests --filter '^segueTests'

# These tests wait for servers and time limits, so others can run meanwhile.
test-playback:
	@scripts/run-tests --filter '^(Playback|Streaming)Tests'

test-modules:
	@scripts/run-tests --skip '^(segue|Playback|Streaming|Containers|Decoding|NCursesTerminal|Program|PulseOutput)Tests'

# One test at a time, at a lower priority: the tests in real time run meanwhile.
test-formats:
	@nice -n 5 scripts/run-tests --no-parallel --filter '^(Containers|Decoding)Tests'

test-screen:
	@scripts/run-tests --filter '^NCursesTerminalTests'
	@scripts/run-tests --filter '^ProgramTests' --skip '$(ALONE)'

test-pulseaudio:
	@scripts/run-tests --filter '^PulseOutputTests'
	@scripts/run-tests --no-parallel --filter '$(ALONE)'

test-pipewire:
	@for suite in $(PIPEWIRE); do \
	  SEGUE_SOUND_SERVER=pipewire scripts/run-tests --no-parallel --filter "$$suite" || exit 1; done

# Prepares the tests. The sound files are made, and what only the tests need is installed, while the compiler works.
test-tools: headers
	@scripts/install-packages $(BUILD_PACKAGES)
	@$(MAKE) --no-print-directory --jobs test-build test-sounds

# The compiler does not notice when modules change that SegueAudio exports: what imports it is compiled anew.
test-build:
	@touch Examples/Sources/*/*.swift Tests/SegueAudioTests/*.swift
	$(SWIFT) build $(DEBUG) --build-tests

test-sounds:
	@scripts/install-packages $(TEST_PACKAGES)
	@$(MAKE) --no-print-directory fixtures

# Runs the programs of Examples, which are built with the tests, and checks their output; and loads their own package, as
# a reader would build it.
examples: fixtures
	@env -u SEGUE_OPTIMIZED_TESTS $(SWIFT) package --package-path Examples --scratch-path .build/examples \
	  show-dependencies > /dev/null
	@scripts/try-examples .build/debug

# Fuzz targets are no part of the package: compiles them with its modules, so that they do not fall behind.
check-fuzz:
	@nice -n 19 scripts/fuzz check

# Builds the documentation of SegueAudio as a site, .build/docs/site. Fails at warnings and at symbols without comments.
docs:
	$(SWIFT) build $(DEBUG) --target SegueAudio
	@scripts/make-docs .build/debug/Modules .build/docs

fixtures:
	@Tests/Fixtures/make-fixtures.sh

# The compiler does not notice when a header of Sources/C... changes: all is compiled anew then.
headers:
	@mkdir -p .build; [ -e .build/headers ] || touch -d @0 .build/headers
	@[ -z "$$(find Sources/C* -name '*.h' -newer .build/headers)" ] || find Sources -name '*.swift' -exec touch {} +
	@touch .build/headers

release: headers
	@command -v $(SWIFT) > /dev/null || { echo "Swift 6.3 is needed: swift.org/install/linux says how to get it." >&2; exit 1; }
	@mkdir -p '$(STATIC)' $(CXX_LIBRARY:%=&& ln -sf % '$(STATIC)')
	$(SWIFT) build $(RELEASE)

# Measures the player and prints the figures beside their budgets; some of them: make bench METRICS='start seek'
bench: release
	@scripts/install-packages $(TEST_PACKAGES)
	@scripts/bench $(PROGRAM) $(METRICS)

# Measures parsers and decoders beside ffprobe and the codecs' own commands (docs/FIGURES.md):
# make bench-formats FORMATS='decode flac mp3'
bench-formats: release
	@scripts/install-packages $(TEST_PACKAGES) faad
	@scripts/bench-formats $(PROGRAM) $(FORMATS)

# Fuzzes the parsers, our own decoders, whole tracks, pictures, and the lines of clients, FUZZ seconds for each target;
# some of them:
# make fuzz FUZZ=3600 TARGETS='mpeg ogg'
FUZZ ?= 600
TARGETS ?= mpeg adts ac3 amr wave aiff caf next mp4 matroska flac ogg any decoders tracks pictures texts tags \
  control cmus mpd http query
fuzz: fixtures
	@scripts/fuzz $(FUZZ) $(TARGETS)

# Fuzzes all targets, NIGHTLY seconds each, and continues after findings. Prints a table of processor time, executions
# and findings.
NIGHTLY ?= 1800
fuzz-nightly: fixtures
	@FUZZ_NIGHTLY=yes scripts/fuzz $(NIGHTLY) $(TARGETS)

# Writes the list of the functions that run at start-up and during playback, which the linker puts side by side. Repeat
# it after functions were renamed.
order:
	@scripts/install-packages binutils pulseaudio pulseaudio-utils valgrind
	@$(MAKE) --no-print-directory release STRIP=
	@scripts/start-sound-server
	@scripts/order-functions $(PROGRAM) Resources/demo > .build/startup-order
	@mv .build/startup-order scripts/startup-order

lint:
	@scripts/lint-citations
	@scripts/lint-types
	@scripts/lint-rooms
	@scripts/lint-imports
	@scripts/lint-documentation
	$(SWIFT) format lint --strict --recursive --configuration .swift-format Package.swift Sources Tests Examples

# The program itself prints the completions, so they match its commands.
SHARE = $(DESTDIR)$(PREFIX)/share
COMPLETIONS = $(SHARE)/bash-completion/completions/segue $(SHARE)/zsh/$(ZSH_FOLDER)/_segue \
  $(SHARE)/fish/vendor_completions.d/segue.fish
ZSH_FOLDER ?= site-functions
ICON = $(SHARE)/icons/hicolor/scalable/apps/segue.svg
METAINFO = $(SHARE)/metainfo/io.github.segue_player.segue.metainfo.xml
DATE = $(shell git log -1 --format=%cs 2> /dev/null || date -u +%F)
UNITS = $(DESTDIR)$(PREFIX)/lib/systemd/user

install: release
	@$(MAKE) --no-print-directory install-files

install-files:
	install -D -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/segue
	install -D -m 644 docs/segue.1 $(SHARE)/man/man1/segue.1
	install -D -m 644 Resources/segue.desktop $(SHARE)/applications/segue.desktop
	install -D -m 644 Resources/segue.svg $(ICON)
	sed "s/@VERSION@/$$($(PROGRAM) --version)/; s/@DATE@/$(DATE)/" Resources/segue.metainfo.xml | \
	  install -D -m 644 /dev/stdin $(METAINFO)
	sed 's|@PREFIX@|$(PREFIX)|' Resources/segue.service | install -D -m 644 /dev/stdin $(UNITS)/segue.service
	install -D -m 644 Resources/segue.socket -t $(UNITS)
	set -- $(COMPLETIONS); for shell in bash zsh fish; do \
	  $(PROGRAM) --generate-completion-script $$shell | install -D -m 644 /dev/stdin $$1; shift; done

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/segue $(SHARE)/man/man1/segue.1 $(SHARE)/applications/segue.desktop \
	  $(ICON) $(METAINFO) $(UNITS)/segue.service $(UNITS)/segue.socket $(COMPLETIONS)

# Builds a Debian package: .build/segue_VERSION_ARCHITECTURE.deb. `make try-distributions` installs and tries it.
deb: release
	@scripts/install-packages dpkg-dev
	@scripts/make-deb $(PROGRAM)

# Packs program, documents and an installer for any Linux with glibc 2.36, with SHA256SUMS and recipes for Arch, RPM and
# Nix (docs/RELEASING.md): .build/dist
dist: release
	@scripts/install-packages binutils xz-utils
	@scripts/make-dist $(PROGRAM)

# Installs the package in bare Debian 12, 13 and sid, decodes there with each known version of FFmpeg, and prints a
# table. Takes 1.5 GB.
try-distributions: deb fixtures
	@scripts/install-packages debootstrap python3-pip
	@scripts/try-distributions

# Draws the pictures of the screen for README and manual.
pictures: release
	@scripts/install-packages tmux ffmpeg python3-mutagen
	@scripts/screenshots $(PROGRAM)

clean:
	rm -rf .build
