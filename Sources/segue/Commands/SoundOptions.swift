public import ArgumentParser
public import SignalProcessing

/// Options of `play` and `decode` for the sound.
struct SoundOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Loudness tags to apply (ReplayGain, R128).", valueName: "mode"))
  var gain: GainMode?

  // Unconditional: a value may begin with a minus.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Extra gain in dB, -24 to 24. The peak in the tags, or a limiter, prevents clipping.",
      valueName: "dB"))
  var preamp: Double?

  @Option(
    name: .customLong("eq"), parsing: .unconditional,
    help: ArgumentHelp(
      "Equaliser: \(Equalizer.presets.map(\.name).joined(separator: ", ")); or ten gains in dB, -12 to 12, separated by"
        + " commas, for 31.5 Hz to 16 kHz.", valueName: "preset|gains"),
    completion: .list(Equalizer.presets.map(\.name)))
  var equalizer: Equalizer?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Balance: -1 left, 0 centre, 1 right.", valueName: "side"))
  var balance: Double?

  func validate() throws {
    guard -24...24 ~= preamp ?? 0 else { throw ValidationError("--preamp must be -24 to 24 (dB).") }
    guard -1...1 ~= balance ?? 0 else { throw ValidationError("--balance must be -1 to 1.") }
  }

  var settings: SoundSettings {
    var settings = SoundSettings()
    settings.gainMode = gain ?? .off
    settings.preamp = preamp ?? 0
    settings.equalizer = equalizer ?? .flat
    settings.balance = balance ?? 0
    return settings
  }

  /// The given options as settings of the player.
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

  /// Its form on the command line.
  public var defaultValueDescription: String { presetName ?? "gains" }
}
