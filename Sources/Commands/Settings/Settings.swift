internal import AudioModel
package import ByteIO
internal import Encoding
internal import Playback
public import SignalProcessing

public struct Settings: Sendable, Hashable {
  /// True if the next start restores the session.
  public var session = true
  /// Tracks of so many minutes, 1...1000, continue where they were left; `nil` for none.
  public var resume: Int? = 20
  /// Minutes of a station that are kept to seek back in, 0...120.
  public var timeshift = 10
  /// Attempts in a row after a lost connection, 1...1000.
  public var reconnects = 10
  /// The first folder of Files; empty for the usual one.
  public var music = ""
  /// The character set of texts that do not name theirs; `auto` to guess it.
  public var charset = "auto"
  /// `local`, `online`, or the address of a server with the interface of LRCLIB.
  public var lyrics = "local"
  /// `on`, `off`, or the address of a server with the interface of ListenBrainz.
  public var listenbrainz = "off"
  /// Listens for Last.fm: `on`, `off` or the address of another server.
  public var lastfm = "off"
  /// The address for clients of MPD on the network; `nil` for none.
  public var remoteMPD: ListenAddress?
  /// Their password; empty for none. Never shown.
  public var remoteMPDPassword = ""
  /// The sound that others can listen to.
  public var stream = StreamSettings()
  /// Seconds, 0...12.
  public var crossfade = 0.0
  /// The loudness tags that apply.
  public var gain = GainMode.off
  /// True if the loudness of the library's tracks without ReplayGain is measured.
  public var measureGain = false
  /// Decibels, -24...24.
  public var preamp = 0.0
  /// The equaliser in the form of the command language.
  public var eq = "flat"
  /// -1...1.
  public var balance = 0.0
  /// Effects in the form of the command language.
  public var effects = "none"
  /// 0.5...2.
  public var speed = 1.0
  /// The sound server's name of the output device, or `standardOutput`.
  public var output = standardOutput

  /// The value of `output` for the sound server's default.
  public static let standardOutput = "default"

  public init() {}

  /// Changes a setting; returns the reason if the value is not possible.
  public mutating func set(_ setting: Setting, to value: String) -> String? {
    switch setting {
    case .session, .measureGain:
      guard let isOn = ["on": true, "off": false][value] else {
        return "unknown \(setting.rawValue) \"\(value)\". Choose on or off"
      }
      if setting == .session { session = isOn } else { measureGain = isOn }
    case .resume:
      let minutes = Int(value)
      guard value == "off" || minutes.map({ 1...1000 ~= $0 }) == true else {
        return "resume must be 1 to 1000 minutes or off, not \"\(value)\""
      }
      resume = minutes
    case .music: music = value
    case .charset:
      let chosen = Charset(value)
      guard chosen != nil || value == "auto" else {
        return "unknown charset \"\(value)\". Choose \(listed(setting.values))"
      }
      charset = chosen?.name ?? value
    case .output:
      guard !value.isEmpty else { return "output needs the name of a device, or default" }
      output = value
    case .lyrics, .listenbrainz, .lastfm:
      guard setting.values.contains(value) || value.hasPrefix("https://") || value.hasPrefix("http://") else {
        let choice = listed(setting.values + ["an http or https address"])
        return "unknown \(setting.rawValue) \"\(value)\". Choose \(choice)"
      }
      switch setting {
      case .lyrics: lyrics = value
      case .lastfm: lastfm = value
      default: listenbrainz = value
      }
    case .remoteMPD:
      remoteMPD = ListenAddress(value)
      guard remoteMPD != nil || value == "off" else { return Self.addressRefusal(setting, "0.0.0.0:6600", value) }
    case .remoteMPDPassword: remoteMPDPassword = value
    case .stream, .streamPassword, .streamFormat, .streamBitRate: return stream.set(setting, to: value)
    case .crossfade:
      guard let seconds = Double(value), 0...12 ~= seconds else {
        return "crossfade must be 0 to 12 seconds, not \"\(value)\""
      }
      crossfade = seconds
    case .timeshift:
      guard let minutes = Int(value), 0...120 ~= minutes else {
        return "timeshift must be 0 to 120 minutes, not \"\(value)\""
      }
      timeshift = minutes
    case .reconnects:
      guard let count = Int(value), 1...1000 ~= count else { return "reconnects must be 1 to 1000, not \"\(value)\"" }
      reconnects = count
    case .gain, .preamp, .eq, .balance, .effects, .speed: return setSound(setting, to: value)
    }
    return nil
  }

  static func addressRefusal(_ setting: Setting, _ example: String, _ value: String) -> String {
    "\(setting.rawValue) must be a port, ADDRESS:PORT like \(example), or off, not \"\(value)\""
  }

  private mutating func setSound(_ setting: Setting, to value: String) -> String? {
    let number = Double(value)
    switch setting {
    case .gain:
      guard let mode = GainMode(rawValue: value) else {
        return "unknown gain \"\(value)\". Choose \(listed(setting.values))"
      }
      gain = mode
    case .eq:
      guard let equalizer = Equalizer(value) else {
        return "unknown eq \"\(value)\". Choose \(listed(setting.values)), or ten gains in dB like 3,0,-2.5,…"
      }
      eq = equalizer.words
    case .effects:
      do throws(EffectList.TextError) { effects = try EffectList(value, files: Self.effectFiles).words } catch {
        return error.description
      }
    case .preamp:
      guard let number, -24...24 ~= number else {
        return "preamp \(value) is \(number == nil ? "no number" : "out of range") (-24 to 24)"
      }
      preamp = number
    case .balance:
      guard let number, -1...1 ~= number else {
        return "balance \(value) is \(number == nil ? "no number" : "out of range") (-1 to 1)"
      }
      balance = number
    default:
      guard let number, 0.5...2 ~= number else {
        return "speed \(value) is \(number == nil ? "no number" : "out of range") (0.5 to 2)"
      }
      speed = number
    }
    return nil
  }
}

extension Settings {
  /// The value of a setting in the form that `set` takes.
  public func text(of setting: Setting) -> String {
    switch setting {
    case .session: session ? "on" : "off"
    case .resume: resume.map { String($0) } ?? "off"
    case .timeshift: String(timeshift)
    case .reconnects: String(reconnects)
    case .music: music
    case .charset: charset
    case .lyrics: lyrics
    case .listenbrainz: listenbrainz
    case .lastfm: lastfm
    case .remoteMPD: remoteMPD?.description ?? "off"
    case .remoteMPDPassword: remoteMPDPassword.isEmpty ? "" : "set"
    case .stream: stream.address?.description ?? "off"
    case .streamPassword: stream.password.isEmpty ? "" : "set"
    case .streamFormat: stream.format.rawValue
    case .streamBitRate: String(stream.bitRate)
    case .crossfade: written(crossfade)
    case .gain: gain.rawValue
    case .measureGain: measureGain ? "on" : "off"
    case .preamp: written(preamp)
    case .eq: eq
    case .balance: written(balance)
    case .effects: effects
    case .speed: written(speed)
    case .output: output
    }
  }

  /// A sentence with the value of a setting and the other possible values.
  public func sentence(on setting: Setting) -> String {
    let value = text(of: setting)
    if setting == .effects, value == "none" { return "no effects; try: effect add reverb" }
    let choice =
      switch setting {
      case .eq: "presets: \(setting.values.joined(separator: ", "))"
      case .preamp: "preamp -24 to 24 sets it"
      case .effects: "effect add NAME, effect load PRESET, effect remove NUMBER and effect clear change it"
      case .balance: "balance -1 to 1 sets it"
      case .speed: "speed 0.5 to 2 sets it"
      case .lyrics, .listenbrainz, .lastfm: "choose \(listed(setting.values + ["the address of a server"]))"
      default: setting.values.isEmpty ? "\(setting.help)" : "choose \(listed(setting.values))"
      }
    return "\(setting.rawValue) is \(value.isEmpty ? "not set" : value); \(choice)"
  }
}

extension Settings {
  /// Texts that do not name their character set are read in that of the setting from now on.
  public func applyCharset() {
    // To ask iconv(3) for an unknown name takes time, and this is a part of each start.
    Charset.chosen = charset == "auto" ? nil : Charset(charset)
  }

  /// The service for lyrics; `nil` if only tags and files are used.
  package var lyricsServer: WebAddress? {
    switch lyrics {
    case "local": nil
    case "online": WebAddress("https://lrclib.net")
    default: WebAddress(lyrics)
    }
  }

  /// The interface of Last.fm.
  package static let lastFMAddress = "https://ws.audioscrobbler.com/2.0/"

  /// The server of Last.fm; `nil` if none is wanted.
  package var lastFMServer: WebAddress? {
    switch lastfm {
    case "off": nil
    case "on": WebAddress(Self.lastFMAddress)
    default: WebAddress(lastfm)
    }
  }

  /// The server of ListenBrainz; `nil` if none is wanted.
  package var listenServer: WebAddress? {
    switch listenbrainz {
    case "off": nil
    case "on": WebAddress("https://api.listenbrainz.org")
    default: WebAddress(listenbrainz)
    }
  }
}
