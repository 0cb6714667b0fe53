// swift-tools-version: 6.3
import PackageDescription

// Rows from top to bottom: a target imports only from rows below its own (docs/ARCHITECTURE.md).

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  // Where everything is tested; elsewhere another compiler may know other warnings.
  .treatAllWarnings(as: Context.environment["SEGUE_WARNINGS_ARE_ERRORS"] == nil ? .warning : .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// The Makefile has modules with much to compute optimised in debug builds, too, because tests cut and seek every fixture
/// in many ways; the other modules would take three times as long to compile. Not by default: packages with unsafe flags
/// cannot be dependencies.
let optimized: [SwiftSetting] =
  Context.environment["SEGUE_OPTIMIZED_TESTS"] == nil ? [] : [.unsafeFlags(["-O"], .when(configuration: .debug))]

func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict + optimized)
}

/// A module with little to compute.
func light(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(of name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: [.init(stringLiteral: name)] + dependencies, exclude: exclude,
    swiftSettings: strict)
}

/// The programs of Examples, built with the tests, which saves building all modules for that package again. They see only
/// what is public, as a package outside does.
let examples: [Target] =
  Context.environment["SEGUE_OPTIMIZED_TESTS"] == nil
  ? []
  : ["parse", "random-access", "queue", "player", "effect", "record-what-plays"].map { name in
    .executableTarget(
      name: name, dependencies: [name == "parse" ? "SegueContainers" : "SegueAudio"],
      path: "Examples/Sources/" + name, packageAccess: false)
  }

let package = Package(
  name: "segue",
  products: [
    .executable(name: "segue", targets: ["segue"]),
    .library(name: "SegueAudio", targets: ["SegueAudio"]),
    // Needs no C library.
    .library(name: "SegueContainers", targets: ["SegueContainers"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
  ],
  targets: [
    // Row 12: the program.
    .executableTarget(
      name: "segue",
      dependencies: [
        "Remote", "TerminalUI", "RemoteProtocols", "NCursesTerminal", "PulseOutput", "ALSAOutput", "SystemBus",
        "ControlSocket",
        "Player", "Desk", "Commands", "Cells", "Playback", "Library", "Encoding", "Containers", "Database", "Pictures",
        "Decoding", "SignalProcessing", "AudioOutput", "AudioSession", "Sandbox", "Streaming", "AudioModel", "ByteIO",
        "Threads", "CGlibcExtras", "CLibraries",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    // For other programs: each imports the modules that it exports.
    light(
      "SegueAudio",
      [
        "PulseOutput", "Playback", "Encoding", "Containers", "Decoding", "SignalProcessing", "AudioOutput",
        "AudioSession", "Streaming", "ByteIO", "AudioModel", "Threads",
      ]),
    light("SegueContainers", ["Containers", "ByteIO", "AudioModel"]),
    // Row 11: clients, and what plays as a stream over HTTP.
    light(
      "Remote",
      [
        "RemoteProtocols", "SystemBus", "ControlSocket", "Player", "Desk", "Commands", "Playback", "Library",
        "Encoding",
        "AudioModel", "ByteIO", "Threads",
      ]),
    // Row 10: adapters to the outside.
    light("NCursesTerminal", ["Cells", "Pictures", "AudioModel", "Threads", "CNCurses", "CGlibcExtras", "CLibraries"]),
    module("PulseOutput", ["AudioOutput", "AudioModel", "Threads", "CPulse"]),
    module("ALSAOutput", ["AudioOutput", "AudioModel", "Threads", "CALSA"]),
    light("SystemBus", ["RemoteProtocols", "Threads", "CDBus"]),
    light("ControlSocket", ["AudioModel", "ByteIO", "CGlibcExtras"]),
    // Row 9: the screen and the protocols of clients, pure.
    light(
      "TerminalUI",
      [
        "Commands", "Cells", "Playback", "Library", "AudioOutput", "Pictures", "SignalProcessing", "AudioModel",
        "ByteIO",
      ]),
    light(
      "RemoteProtocols",
      [
        "Commands", "Playback", "Library", "Containers", "AudioOutput", "SignalProcessing", "AudioModel", "ByteIO",
      ]),
    // Row 8: the player without an interface.
    light(
      "Player",
      [
        "Desk", "Commands", "Playback", "Library", "SignalProcessing", "AudioOutput", "AudioSession", "Streaming",
        "AudioModel", "ByteIO", "Threads",
      ]),
    // Row 7: every question that is not playback.
    light(
      "Desk",
      [
        "Commands", "Playback", "Library", "Containers", "SignalProcessing", "Streaming", "Database", "Pictures",
        "AudioModel", "ByteIO", "Threads",
      ]),
    // Row 6: what faces say to the player and are told, pure.
    light(
      "Commands",
      [
        "Playback", "Library", "Encoding", "SignalProcessing", "AudioOutput", "AudioSession", "Pictures", "AudioModel",
        "ByteIO",
      ]),
    // Row 5: playback, the music library, encoded sound, and what a terminal shows.
    module(
      "Playback",
      [
        "Containers", "Decoding", "SignalProcessing", "AudioOutput", "AudioSession", "Streaming", "ByteIO",
        "AudioModel",
        "Threads",
      ]),
    module("Library", ["Containers", "SignalProcessing", "Database", "ByteIO", "AudioModel", "Threads", "CPCRE2"]),
    module("Encoding", ["Containers", "SignalProcessing", "AudioOutput", "AudioModel", "CEncoders"]),
    light("Cells", ["Pictures", "AudioModel", "ByteIO"]),
    // Row 4: the parts of playback and of the library.
    module("Containers", ["ByteIO", "AudioModel"]),
    module(
      "Decoding",
      [
        "AudioModel", "ByteIO", "Threads", "CAMR", "CFAAD", "CFLAC", "CLibav", "CMPG123", "COpus", "CVorbis",
        "CGlibcExtras", "CLibraries",
      ]),
    module("AudioOutput", ["AudioModel", "ByteIO", "Threads", "CRubberBand"]),
    light("AudioSession", ["AudioModel"]),
    module("Streaming", ["AudioModel", "ByteIO", "Threads", "CCrypto", "CCurl", "CGlibcExtras"]),
    module("SignalProcessing", ["AudioModel", "CRubberBand", "CSampleRate"]),
    light("Sandbox", ["AudioModel", "ByteIO", "CSandbox"]),
    module("Pictures", ["AudioModel", "CPNG", "CTurboJPEG", "CWebP"]),
    light("Database", ["AudioModel", "ByteIO", "CSQLite"]),
    // Row 3: threads, and the clock.
    module("Threads", ["AudioModel", "CGlibcExtras"]),
    // Row 2: types that all modules share.
    module("ByteIO", ["CGlibcExtras", "CLibraries", "CUchardet"]),
    module("AudioModel", ["CLibraries"]),
    // Row 1: C libraries, each imported by one target; CRubberBand by two (speed, and pitch as an effect); CLibraries,
    // and CGlibcExtras, the functions of glibc that `Glibc` leaves out, by several.
    // The table of the libraries that are opened by name, compiled: notes for packagers are made of it.
    .target(name: "CLibraries", publicHeadersPath: "."),
    .systemLibrary(name: "CGlibcExtras"),
    .systemLibrary(name: "CALSA"),
    .systemLibrary(name: "CCrypto"),
    .systemLibrary(name: "CDBus"),
    .systemLibrary(name: "CEncoders"),
    .systemLibrary(name: "CLibav"),
    .systemLibrary(name: "CPCRE2"),
    .systemLibrary(name: "CPNG"),
    .systemLibrary(name: "CSampleRate"),
    .systemLibrary(name: "CSandbox"),
    .systemLibrary(name: "CTurboJPEG"),
    .systemLibrary(name: "CUchardet"),
    .systemLibrary(name: "CWebP"),
    .systemLibrary(name: "CAMR", providers: [.apt(["libopencore-amrnb-dev", "libopencore-amrwb-dev"])]),
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CFAAD", providers: [.apt(["libfaad-dev"])]),
    .systemLibrary(name: "CMPG123", providers: [.apt(["libmpg123-dev"])]),
    .systemLibrary(name: "CFLAC", providers: [.apt(["libflac-dev"])]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CVorbis", providers: [.apt(["libvorbis-dev"])]),
    .systemLibrary(name: "COpus", providers: [.apt(["libopus-dev"])]),
    .systemLibrary(name: "CRubberBand", providers: [.apt(["librubberband-dev"])]),
    .systemLibrary(name: "CNCurses", providers: [.apt(["libncursesw5-dev"])]),
    .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"])]),
    // Tests mirror Sources. What several of them need: a sound server of their own, child processes.
    .target(
      name: "SoundServerSupport", dependencies: ["AudioOutput", "AudioModel", "CGlibcExtras", "Threads"],
      path: "Tests/Support", exclude: ["bus.py", "logind.py", "notifications.py", "stallingdisk.py"],
      swiftSettings: strict + optimized),
    // Apart, so that programs that use the former do not load the testing library.
    .target(
      name: "TestTraits", dependencies: ["SoundServerSupport", "Threads"], path: "Tests/TestTraits",
      swiftSettings: strict),
    // The engine under commands by chance, on a device whose clock they move.
    .target(
      name: "EngineExercise",
      dependencies: [
        "Playback", "AudioOutput", "AudioSession", "SignalProcessing", "AudioModel", "ByteIO", "Threads",
      ],
      path: "Tests/EngineExercise", swiftSettings: strict + optimized),
    .executableTarget(
      name: "EngineProbe",
      dependencies: [
        "EngineExercise", "Playback", "Streaming", "AudioOutput", "AudioModel", "ByteIO", "SoundServerSupport",
        "Threads",
      ],
      path: "Tests/EngineProbe", swiftSettings: strict),
    tests(
      of: "PulseOutput", ["AudioOutput", "AudioModel", "Threads", "SoundServerSupport", "TestTraits"],
      exclude: ["Replays"]),
    tests(of: "ALSAOutput", ["Playback", "AudioOutput", "AudioModel", "ByteIO", "Threads", "SoundServerSupport"]),
    tests(of: "AudioOutput", ["AudioModel", "ByteIO", "Threads", "SoundServerSupport"]),
    tests(
      of: "Playback",
      [
        "EngineExercise", "EngineProbe", "SoundServerSupport", "SignalProcessing", "AudioSession", "AudioOutput",
        "AudioModel", "ByteIO", "Containers", "Decoding", "Streaming", "TestTraits", "Threads",
      ]),
    tests(of: "Encoding", ["AudioOutput", "AudioModel", "SoundServerSupport"]),
    tests(of: "Library", ["AudioModel", "ByteIO", "Database", "SignalProcessing", "SoundServerSupport", "Threads"]),
    tests(of: "Database", ["ByteIO", "SoundServerSupport"]),
    tests(of: "SegueAudio", ["Encoding", "AudioModel", "SoundServerSupport", "Threads"]),
    tests(of: "SegueContainers"),
    tests(of: "AudioSession", ["AudioModel"]),
    tests(of: "SignalProcessing", ["AudioModel", "SoundServerSupport"]),
    tests(of: "Streaming", ["AudioModel", "ByteIO", "CGlibcExtras", "Threads", "SoundServerSupport", "TestTraits"]),
    tests(of: "ByteIO", ["SoundServerSupport"], exclude: ["CharsetTexts"]),
    tests(of: "Sandbox", ["AudioModel", "ByteIO", "CSandbox", "Threads"]),
    tests(of: "Pictures", ["AudioModel", "Sandbox", "SoundServerSupport", "Threads"]),
    tests(of: "AudioModel"),
    tests(of: "Threads", ["AudioModel"]),
    tests(of: "Decoding", ["Containers", "AudioModel", "CLibav", "CLibraries", "SoundServerSupport"]),
    tests(of: "Containers", ["ByteIO", "AudioModel", "SoundServerSupport"], exclude: ["Goldens"]),
    tests(
      of: "TerminalUI",
      [
        "Commands", "Cells", "Playback", "Library", "AudioOutput", "Pictures", "SignalProcessing", "AudioModel",
        "ByteIO", "SoundServerSupport",
      ], exclude: ["Goldens"]),
    tests(
      of: "Player",
      [
        "Desk", "Commands", "Playback", "Library", "Containers", "AudioOutput", "AudioSession", "SignalProcessing",
        "AudioModel", "ByteIO",
        "Streaming", "Threads", "Database", "Sandbox", "CSandbox", "EngineExercise", "SoundServerSupport",
      ]),
    tests(of: "Commands", ["SignalProcessing", "AudioModel", "ByteIO"]),
    tests(of: "Cells", ["Pictures", "AudioModel"]),
    tests(
      of: "Desk",
      [
        "Commands", "Playback", "Library", "SignalProcessing", "AudioModel", "ByteIO", "Streaming", "Threads",
        "Database", "SoundServerSupport",
      ]),
    tests(
      of: "RemoteProtocols",
      [
        "Commands", "Playback", "Library", "AudioOutput", "SignalProcessing", "AudioModel", "ByteIO",
        "SoundServerSupport",
      ]),
    tests(of: "SystemBus", ["AudioModel", "RemoteProtocols", "SoundServerSupport", "Threads"]),
    tests(of: "ControlSocket", ["AudioModel", "ByteIO", "CGlibcExtras", "SoundServerSupport"]),
    tests(of: "NCursesTerminal", ["TerminalProbe", "Cells", "Pictures", "AudioModel", "SoundServerSupport"]),
    tests(
      of: "segue",
      [
        "TerminalUI", "Commands", "Cells", "Player", "Playback", "AudioOutput", "AudioModel", "ByteIO",
        "SoundServerSupport", "TestTraits",
      ]),
    .testTarget(
      name: "ProgramTests",
      dependencies: [
        "segue", "Commands", "Player", "Desk", "Playback", "Library", "PulseOutput", "SignalProcessing", "AudioModel",
        "ByteIO", "AudioOutput", "SoundServerSupport", "TestTraits", "Threads",
      ], exclude: ["Goldens"], swiftSettings: strict),
    .executableTarget(
      name: "TerminalProbe",
      dependencies: [
        "NCursesTerminal", "TerminalUI", "Commands", "Playback", "Pictures", "AudioModel", "ByteIO",
      ],
      path: "Tests/TerminalProbe", swiftSettings: strict),
  ] + examples
)
