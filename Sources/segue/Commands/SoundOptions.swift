public import ArgumentParser
public import SignalProcessing

/// What `play` and `decode` do to the sound.
struct SoundOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Which loudness tags count (ReplayGain, R128).", valueName: "mode"))
  var gain: GainMode?

  // Unconditional: a value may begin with a minus.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Decibels to be added, -24 to 24; the tags' peak, or a limiter, prevents clipping.",
      valueName: "dB"))
  var preamp: Double?

  @Option(
    name: .customLong("eq"), parsing: .unconditional,
    help: ArgumentHelp(
      "An equaliser: \(Equalizer.presets.map(\.name).joined(separator: ", ")); or ten gains in dB, -12 to 12, with commas"
        + " between them, for 31.5 Hz to 16 kHz.", valueName: "preset|gains"),
    completion: .list(Equalizer.presets.map(\.name)))
  var equalizer: Equalizer?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("From -1, only what is on the left, over 0 to 1.", valueName: "side"))
  var balance: Double?

  func validate() throws {
    guard -24...24 ~= preamp ?? 0 else { throw ValidationError("--preamp takes decibels from -24 to 24.") }
    guard -1...1 ~= balance ?? 0 else { throw ValidationError("--balance takes a number from -1 to 1.") }
  }

  /// All of it.
  var settings: SoundSettings {
    var settings = SoundSettings()
    settings.gainMode = gain ?? .off
    settings.preamp = preamp ?? 0
    settings.equalizer = equalizer ?? .flat
    settings.balance = balance ?? 0
    return settings
  }

  /// Those that are named, as settings of the player.
  var changes: [String] {
    let values = [
      ("gain", gain?.rawValue), ("preamp", preamp.map { "\($0)" }), ("balance", balance.map { "\($0)" }),
      ("eq", equalizer.map { $0.gains.map { "\($0)" }.joined(separator: ",") }),
    ]
    return values.compactMap { name, value in value.map { "\(name)=\($0)" } }
  }
}

extension GainMode: ExpressibleByArgument {}

extension Equalizer: ExpressibleByArgument {
  /// A preset's name, or ten gains.
  public init?(argument: String) { self.init(argument) }

  /// What stands for it on the command line.
  public var defaultValueDescription: String { presetName ?? "gains" }
}
