internal import ByteIO
internal import Encoding
internal import Playback
internal import SignalProcessing

struct SettingRow: Sendable {
  typealias Refusal = @Sendable (String) -> String

  var help: String
  var values: [String] = []
  /// The end of the sentence on the setting; `nil` for the values, or the help.
  var hint: String?
  var isKept = true
  /// False if commands can change it.
  var isFixed = false
  var isSecret = false
  /// The same setting of the engine, if it is one.
  var engineSetting: (@Sendable (Settings) -> PlaybackSetting)?
  var text: @Sendable (Settings) -> String
  /// Changes the value; returns the reason if it is not possible.
  var set: @Sendable (inout Settings, String) -> String?
}

extension Setting {
  var row: SettingRow { Self.rows[self] ?? newRow }

  private static let rows = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.newRow) })

  private static let presets = Equalizer.presets.map(\.name)

  private var newRow: SettingRow {
    switch self {
    case .session: flag(\.session, "restore the session at start").unkept
    case .resume:
      optional(
        \.resume,
        "continue tracks of this many minutes or more, audiobooks and podcasts where they were left, 1 to 1000; off",
        needs("1 to 1000 minutes or off"), within(1...1000))
    case .timeshift:
      integer(\.timeshift, "time-shift window of a station in minutes, 0 to 120", 0...120, unit: " minutes")
        .sending { .timeShift(Double($0.timeshift) * 60) }
    case .reconnects: integer(\.reconnects, "reconnect attempts, 1 to 1000", 1...1000)
    case .music: value(\.music, "first folder of Files", text: { $0 }) { $0 }
    case .charset:
      value(
        \.charset,
        "character set of texts that do not name theirs (tags, titles of stations, cue sheets, playlists), or auto: guessed",
        values: ["auto"] + Charset.names, text: { $0 }
      ) { $0 == "auto" ? $0 : Charset($0)?.name }
      // The engine publishes after any command: with the texts of the current track, read again.
      .sending { .crossfade($0.crossfade) }
    case .lyrics:
      server(
        \.lyrics, "look for lyrics in tags and files, or also at lrclib.net: local, online, or the address of a server",
        ["local", "online"]
      ).unkept
    case .listenbrainz:
      server(\.listenbrainz, "send listens to ListenBrainz: on, off, or the address of another server", ["on", "off"])
    case .lastfm:
      server(
        \.lastfm, "send listens to Last.fm, after segue lastfm: on, off, or the address of another server",
        ["on", "off"])
    case .notify: flag(\.notify, "show each track in a notification of the desktop, with its cover and buttons")
    case .onEvent:
      optional(\.programs.onEvent, "program that gets events as JSON; only in config", needs("a program, or off")) {
        ProgramLine($0)
      }.fixed
    case .resolver:
      optional(
        \.programs.resolver, "hosts, and the program that finds the sound of their pages; only in config",
        needs("HOST PROGRAM, or off")
      ) { Resolvers($0) }.fixed
    case .remoteMPD:
      address(\.remoteMPD, "port, or ADDRESS:PORT, for clients of MPD on the network; off for none", "0.0.0.0:6600")
    case .remoteMPDPassword: password(\.remoteMPDPassword, "their password; only in config")
    case .stream:
      address(\.stream.address, "serve what plays over HTTP: port, or ADDRESS:PORT; off", "0.0.0.0:8000")
    case .streamPassword:
      password(\.stream.password, "the password of those who listen there, or open the page; only in config")
    case .streamFormat: choice(\.stream.format, "the format that is served")
    case .streamBitRate:
      integer(\.stream.bitRate, "its bit rate in kbit/s, 32 to 320; not for flac", 32...320, unit: " kbit/s")
    case .web: flag(\.stream.hasPage, "serve a page for browsers, at the address of stream or port 8000").unkept
    case .crossfade:
      value(
        \.crossfade, "crossfade length in seconds, 0 to 12", refusal: needs("0 to 12 seconds"),
        text: written, read: within(0...12)
      ).sending { .crossfade($0.crossfade) }
    case .gain: choice(\.gain, "ReplayGain mode").sending { .gain($0.gain, preamp: $0.preamp) }
    case .measureGain: flag(\.measureGain, "measure tracks of the library without ReplayGain, at idle")
    case .preamp:
      level(\.preamp, "extra gain in dB, with a limiter, -24 to 24", -24...24)
        .sending { .gain($0.gain, preamp: $0.preamp) }
    case .eq:
      value(
        \.eq, "equaliser: a preset, or ten gains in dB, -12 to 12, separated by commas", values: Self.presets,
        hint: "presets: \(Self.presets.joined(separator: ", "))",
        refusal: unknown(Self.presets, ", or ten gains in dB like 3,0,-2.5,…"), text: { $0 }
      ) { Equalizer($0)?.words }.sending { .equalizer($0.sound.equalizer) }
    case .balance: level(\.balance, "-1 left, 0 centre, 1 right", -1...1).sending { .balance($0.balance) }
    case .effects:
      SettingRow(
        help: "effects with semicolons between them: reverb size=0.6; crossfeed",
        hint: "effect add NAME, effect load PRESET, effect remove NUMBER and effect clear change it",
        engineSetting: { .effects($0.sound.effects) }, text: { $0.effects }
      ) { settings, value in
        do throws(EffectList.TextError) {
          settings.effects = try EffectList(value, files: Settings.effectFiles).words
          return nil
        } catch { return error.description }
      }
    case .speed:
      level(\.speed, "playback speed, 0.5 to 2, with the pitch kept", 0.5...2).sending { .speed($0.speed) }
    case .output:
      value(
        \.output, "output device by its name, if it is there; default for the one of the sound server",
        refusal: { _ in "output needs the name of a device, or default" }, text: { $0 }
      ) { $0.isEmpty ? nil : $0 }
    }
  }
}

// MARK: Kinds of rows

extension Setting {
  private typealias Path<Value> = any WritableKeyPath<Settings, Value> & Sendable

  private func flag(_ path: Path<Bool>, _ help: String) -> SettingRow {
    value(path, help, values: ["on", "off"], text: { $0 ? "on" : "off" }) { ["on": true, "off": false][$0] }
  }

  private func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ path: Path<Value>, _ help: String
  ) -> SettingRow {
    value(path, help, values: Value.allCases.map(\.rawValue), text: { $0.rawValue }) { Value(rawValue: $0) }
  }

  private func integer(_ path: Path<Int>, _ help: String, _ range: ClosedRange<Int>, unit: String = "") -> SettingRow {
    let need = "\(range.lowerBound) to \(range.upperBound)\(unit)"
    return value(path, help, refusal: needs(need), text: { String($0) }, read: within(range))
  }

  /// A number that has a command of its own.
  private func level(_ path: Path<Double>, _ help: String, _ range: ClosedRange<Double>) -> SettingRow {
    let bounds = "\(written(range.lowerBound)) to \(written(range.upperBound))"
    return value(
      path, help, hint: "\(rawValue) \(bounds) sets it",
      refusal: { "\(rawValue) \($0) is \(Double($0) == nil ? "no number" : "out of range") (\(bounds))" },
      text: written, read: within(range))
  }

  /// A value, or `off`.
  private func optional<Value: CustomStringConvertible & Sendable>(
    _ path: Path<Value?>, _ help: String, _ refusal: @escaping SettingRow.Refusal,
    _ read: @escaping @Sendable (String) -> Value?
  ) -> SettingRow {
    value(path, help, refusal: refusal, text: { $0?.description ?? "off" }) {
      $0 == "off" ? .some(nil) : read($0).map(Optional.some)
    }
  }

  private func address(_ path: Path<ListenAddress?>, _ help: String, _ example: String) -> SettingRow {
    optional(path, help, needs("a port, ADDRESS:PORT like \(example), or off")) { ListenAddress($0) }.unkept
  }

  private func server(_ path: Path<String>, _ help: String, _ values: [String]) -> SettingRow {
    value(
      path, help, values: values, hint: "choose \(listed(values + ["the address of a server"]))",
      refusal: unknown(values + ["an http or https address"]), text: { $0 }
    ) { values.contains($0) || $0.hasPrefix("https://") || $0.hasPrefix("http://") ? $0 : nil }
  }

  /// Stands in the file `config` only, and is never shown.
  private func password(_ path: Path<String>, _ help: String) -> SettingRow {
    value(path, help, text: { $0.isEmpty ? "" : "set" }) { $0 }.fixed.with { $0.isSecret = true }
  }

  /// - Parameter read: Returns `nil` if the value is not possible. Without `refusal`, the reason lists the values.
  private func value<Value>(
    _ path: Path<Value>, _ help: String, values: [String] = [], hint: String? = nil,
    refusal: SettingRow.Refusal? = nil, text: @escaping @Sendable (Value) -> String,
    read: @escaping @Sendable (String) -> Value?
  ) -> SettingRow {
    let refusal = refusal ?? unknown(values)
    return SettingRow(help: help, values: values, hint: hint, text: { text($0[keyPath: path]) }) { settings, text in
      guard let value = read(text) else { return refusal(text) }
      settings[keyPath: path] = value
      return nil
    }
  }

  private func unknown(_ values: [String], _ more: String = "") -> SettingRow.Refusal {
    { "unknown \(rawValue) \"\($0)\". Choose \(listed(values))\(more)" }
  }

  private func needs(_ need: String) -> SettingRow.Refusal { { "\(rawValue) must be \(need), not \"\($0)\"" } }
}

/// Reads a number of the range.
private func within<Value: LosslessStringConvertible & Comparable & Sendable>(
  _ range: ClosedRange<Value>
) -> @Sendable (String) -> Value? {
  { Value($0).flatMap { range ~= $0 ? $0 : nil } }
}

extension SettingRow {
  /// The same, but changes by hand do not outlast a restart.
  fileprivate var unkept: Self { with { $0.isKept = false } }

  /// The same, but it stands in the file `config` only.
  fileprivate var fixed: Self { unkept.with { $0.isFixed = true } }

  fileprivate func sending(_ setting: @escaping @Sendable (Settings) -> PlaybackSetting) -> Self {
    with { $0.engineSetting = setting }
  }

  fileprivate func with(_ change: (inout Self) -> Void) -> Self {
    var row = self
    change(&row)
    return row
  }
}
