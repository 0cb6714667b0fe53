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

BUILD_PACKAGES := libavcodec-dev libcurl4-openssl-dev libfaad-dev libflac-dev libmpg123-dev libncurses-dev \
  libopencore-amrnb-dev libopencore-amrwb-dev libopus-dev libpulse-dev librubberband-dev libvorbis-dev
TEST_PACKAGES := dbus-bin dbus-daemon ffmpeg fish flac groff-base icecast2 lame libfribidi0 libsox-fmt-base \
  libsox-fmt-mp3 locales mpg123 ncurses-term nginx-light openssl opus-tools pipewire pipewire-pulse pulseaudio pulseaudio-utils \
  python3 sox tmux vorbis-tools wireplumber zsh

REAL_TIME := NCursesTerminalTests PlayerTests PulseOutputTests
# Two streams, put together to the frame on a clock that runs: nothing else may keep them from it.
ALONE := Joints of formats

.PHONY: all play test bench bench-formats fuzz order lint fixtures release install install-files uninstall deb try-deb pictures clean

all: release

# Builds the player and plays the demo album, or what is named: make play MUSIC=~/music
MUSIC ?= Resources/demo
play:
	@scripts/install-packages $(BUILD_PACKAGES) pulseaudio-utils
	@$(MAKE) --no-print-directory release
	@scripts/start-sound-server
	@$(PROGRAM) $(MUSIC)

test:
	@scripts/install-packages $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@$(MAKE) --no-print-directory fixtures
	$(SWIFT) build --build-tests
	@scripts/again 1 $(SWIFT) test --skip-build --disable-xctest $(REAL_TIME:%=--skip %)
	@# What is heard and seen as time passes, by itself.
	@for suite in $(REAL_TIME); do \
	  scripts/again 3 $(SWIFT) test --skip-build --disable-xctest --filter $$suite --skip "$(ALONE)" || exit 1; done
	@scripts/again 3 $(SWIFT) test --skip-build --disable-xctest --no-parallel --filter "$(ALONE)"
	@# The same through PipeWire, one by one, as far as it has what is tested.
	@for suite in PulseOutputTests 'Changing devices' 'Losing the sound server' Torture; do \
	  SEGUE_SOUND_SERVER=pipewire scripts/again 3 \
	    $(SWIFT) test --skip-build --disable-xctest --no-parallel --filter "$$suite" || exit 1; done

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

# Feeds the parsers, our own decoders and whole tracks with damaged input, each FUZZ seconds long, all or some:
# make fuzz FUZZ=3600 TARGETS='mpeg ogg'
FUZZ ?= 600
TARGETS ?= mpeg adts ac3 amr wave aiff caf next mp4 flac ogg any decoders tracks
fuzz: fixtures
	@scripts/fuzz $(FUZZ) $(TARGETS)

# Writes down anew which functions are called to start and to play, to be linked side by side.
order:
	@scripts/install-packages pulseaudio pulseaudio-utils valgrind
	@$(MAKE) --no-print-directory release STRIP=
	@scripts/start-sound-server
	@scripts/order-functions $(PROGRAM) Resources/demo > .build/startup-order
	@mv .build/startup-order scripts/startup-order

lint:
	$(SWIFT) format lint --strict --recursive --configuration .swift-format Package.swift Sources Tests

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
	set -- $(COMPLETIONS); for shell in bash zsh fish; do \
	  $(PROGRAM) --generate-completion-script $$shell | install -D -m 644 /dev/stdin $$1; shift; done

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/segue $(SHARE)/man/man1/segue.1 $(COMPLETIONS)

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
