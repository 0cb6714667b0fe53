public import ArgumentParser
internal import AudioOutput
internal import ByteIO
internal import Commands
internal import Library
internal import NCursesTerminal
public import Playback
internal import Player
internal import PulseOutput

/// `segue [PATH]...`: plays, with a screen if there is a terminal.
struct PlayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Play files, folders, playlists and addresses (the default).")

  @Argument(
    help: """
      Files, folders, playlists (m3u, pls, xspf, asx, cue), http addresses, or - for standard input. Other words: music \
      of the library, such as an album or an artist; 'radio' before a station, 'all', or 'random album'.
      """)
  var inputs: [BytePath] = []

  @OptionGroup var matches: MatchOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Play the tracks of the library that match (see 'segue library').", valueName: "query"),
    completion: .custom(ShellCompletion.query))
  var query: String?

  @Flag(
    name: .customLong("no-ui"), help: "Print one line per event instead of the screen, and exit after the last track.")
  var hasNoUI = false

  @Flag(
    name: .customLong("daemon"),
    help: "Play without a terminal; return when the player takes commands. segue without arguments shows its screen.")
  var isDaemon = false

  @Flag(name: .customLong("no-fork"), help: "With --daemon: stay in the foreground, for systemd.")
  var staysInForeground = false

  @Option(
    help: ArgumentHelp(
      "Write each event as a line of JSON to a file, or - for standard output.", valueName: "file"))
  var events: BytePath?

  @Option(
    help: ArgumentHelp(
      "Audio output: pulse, alsa or alsa:DEVICE (no server), null (real time, no sound) or wav:FILE.",
      valueName: "output"),
    completion: .list(["pulse", "alsa", "null"]))
  var output = OutputChoice.automatic

  @Flag(help: "Let --output wav: replace an existing WAVE file. Files of other types are never replaced.")
  var force = false

  @Option(help: ArgumentHelp("Initial volume, 0 to 100.", valueName: "percent"))
  var volume: Int?

  @OptionGroup var sound: SoundOptions

  @Option(help: ArgumentHelp("Playback speed, 0.5 to 2. The pitch stays.", valueName: "factor"))
  var speed: Double?

  @Option(
    help: ArgumentHelp("Crossfade length in seconds, 0 to 12.", valueName: "seconds"))
  var crossfade: Double?

  @Flag(help: "Play in random order.")
  var shuffle = false

  @Option(
    name: .customLong("repeat"), help: ArgumentHelp("Repeat mode.", valueName: "mode"))
  var repeatMode: PlayQueue.RepeatMode?

  @Option(
    name: .customShort("o"), help: ArgumentHelp("Change a setting, for example mouse=off.", valueName: "name=value"))
  var settings: [String] = []

  @Option(help: ArgumentHelp("Read settings from this file instead of config.", valueName: "file"))
  var config: BytePath?

  @Flag(name: .customLong("no-config"), help: "Ignore the config and keys files.")
  var hasNoConfig = false

  @OptionGroup var protection: ProtectionOptions

  @OptionGroup var streams: StreamOptions

  /// With a screen, no input is needed.
  static let nothingToPlay =
    "nothing to play: give files, folders, playlists or addresses. segue --daemon waits for clients"

  func validate() throws {
    if let volume, !(0...100 ~= volume) { throw ValidationError("--volume must be 0 to 100.") }
    guard 0.5...2 ~= speed ?? 1 else { throw ValidationError("--speed must be 0.5 to 2.") }
    if let crossfade, !(0...12 ~= crossfade) { throw ValidationError("--crossfade must be 0 to 12 seconds.") }
    if matches.list, inputs.isEmpty { throw ValidationError("--list needs words.") }
    if matches.json, !matches.list { throw ValidationError("--json needs --list.") }
    if isDaemon {
      if hasNoUI { throw ValidationError("--daemon and --no-ui exclude each other.") }
      if events == BytePath("-") || output.isStandardOutput || inputs.contains(BytePath("-")) {
        throw ValidationError("--daemon has no standard input and output.")
      }
    } else if staysInForeground {
      throw ValidationError("--no-fork needs --daemon.")
    }
    if events == BytePath("-"), output.isStandardOutput {
      throw ValidationError("--events and --output cannot both write to standard output.")
    }
    if let events, case .wave(let file) = output, events.absolute == file.absolute {
      throw ValidationError("--events and --output cannot both write to \(file).")
    }
  }

  func run() throws {
    if matches.list { return try PlayedWords(inputs).list(json: matches.json) }
    var options = PlayOptions(inputs: inputs)
    if !PlayedWords.areFiles(inputs) { (options.inputs, options.match) = try PlayedWords(inputs).found() }
    if let query { options.inputs += try LibraryCommand.paths(matching: query) }
    options.hasNoUI = hasNoUI
    options.isDaemon = isDaemon
    options.staysInForeground = staysInForeground
    options.events = events
    options.output = output
    options.replacesOutput = force
    options.volume = volume
    options.keepsNoStreams = streams.keepsNothing
    options.isShuffled = shuffle ? true : nil
    options.repeatMode = repeatMode
    options.configuration = config
    options.readsConfiguration = !hasNoConfig
    options.isSandboxed = !protection.hasNoSandbox
    options.settings =
      sound.changes + (speed.map { ["speed=\($0)"] } ?? []) + (crossfade.map { ["crossfade=\($0)"] } ?? []) + settings
    let program = PlayProgram(options)
    // Not in `validate`, which runs before unknown options are reported.
    if options.inputs.isEmpty, !program.isPersistent { throw ValidationError(Self.nothingToPlay) }
    throw ExitCode(program.run().rawValue)
  }
}

extension PlayQueue.RepeatMode: ExpressibleByArgument {
  /// A value of `--repeat`.
  public init?(argument: String) {
    guard let mode = Self.allCases.first(where: { $0.word == argument }) else { return nil }
    self = mode
  }
}

/// Values of `--output`.
enum OutputChoice: ExpressibleByArgument, Sendable, Equatable {
  /// A sound server, or a card where none answers.
  case automatic
  case pulse
  /// A card, by ALSA's name for a device; `nil` for the first one.
  case alsa(String?)
  case null
  case wave(BytePath)

  init?(argument: String) {
    switch argument {
    case "pulse": self = .pulse
    case "alsa": self = .alsa(nil)
    case _ where argument.hasPrefix("alsa:") && argument != "alsa:": self = .alsa(String(argument.dropFirst(5)))
    case "null": self = .null
    case _ where argument.hasPrefix("wav:"):
      self = .wave(BytePath(ByteArguments.bytes(of: String(argument.dropFirst(4)))))
    default: return nil
    }
  }

  /// The file that takes the audio, if any.
  func file(replacesExisting: Bool) -> WAVEDestination? {
    guard case .wave(let path) = self else { return nil }
    return WAVEDestination(path: path, replacesExisting: replacesExisting)
  }

  /// True if audio goes to standard output.
  var isStandardOutput: Bool { if case .wave(BytePath("-")) = self { true } else { false } }

  var defaultValueDescription: String { "pulse, or alsa without a server" }
}
