package import ByteIO
public import SignalProcessing

/// A setting of the player for `set name=value`. `SettingTable.swift` has a row for each.
public enum Setting: String, Sendable, Hashable, CaseIterable {
  /// The settings, by their names in commands.
  case session, resume, timeshift, reconnects, music, charset, lyrics, listenbrainz, lastfm, notify
  /// The program that gets events.
  case onEvent = "on-event"
  /// The programs that know where the bytes of some addresses are.
  case resolver
  /// The address for clients of MPD on the network.
  case remoteMPD = "remote-mpd"
  /// The password of these clients.
  case remoteMPDPassword = "remote-mpd-password"
  /// The address at which the sound is served.
  case stream
  /// The password of those who listen there, or open the page.
  case streamPassword = "stream-password"
  case streamFormat = "stream-format"
  case streamBitRate = "stream-bitrate"
  /// There is a page for browsers.
  case web
  case crossfade, gain
  /// The loudness of the library's tracks is measured.
  case measureGain = "measure-gain"
  case preamp, eq, balance, effects, speed, output

  /// True if a change to this value by hand outlasts a restart. Only the file `config` opens ports or names servers for
  /// good: addresses may have passwords.
  public func keeps(_ value: String) -> Bool { row.isKept && !value.contains("://") }

  /// Those that commands cannot change, as they would give rights to all who can send one.
  public static let fixed = allCases.filter(\.row.isFixed)

  /// Passwords. They stand in the file `config` only, and are never shown.
  public static let secret = allCases.filter(\.row.isSecret)

  /// The meaning, for Help and manual.
  public var help: String { row.help }

  /// The possible values, if they can be listed.
  public var values: [String] { row.values }
}

/// The values of all settings; at first the defaults.
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
  /// True if the desktop shows each track.
  public var notify = false
  /// The programs that run outside the sandbox.
  public var programs = ProgramSettings()
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
  public mutating func set(_ setting: Setting, to value: String) -> String? { setting.row.set(&self, value) }

  /// The value of a setting in the form that `set` takes.
  public func text(of setting: Setting) -> String { setting.row.text(self) }

  /// A sentence with the value of a setting and the other possible values.
  public func sentence(on setting: Setting) -> String {
    let value = text(of: setting)
    if setting == .effects, value == "none" { return "no effects; try: effect add reverb" }
    let hint = setting.row.hint ?? (setting.values.isEmpty ? setting.help : "choose \(listed(setting.values))")
    return "\(setting.rawValue) is \(value.isEmpty ? "not set" : value); \(hint)"
  }
}

extension Settings {
  /// Texts that do not name their character set are read in that of the setting from now on.
  public func applyCharset() {
    // To ask iconv(3) for an unknown name takes time, and this is a part of each start.
    Charset.chosen = charset == "auto" ? nil : Charset(charset)
  }

  /// The service for lyrics; `nil` if only tags and files are used.
  package var lyricsServer: WebAddress? { server(lyrics, off: "local", on: "online", "https://lrclib.net") }

  /// The interface of Last.fm.
  package static let lastFMAddress = "https://ws.audioscrobbler.com/2.0/"

  /// The server of Last.fm; `nil` if none is wanted.
  package var lastFMServer: WebAddress? { server(lastfm, Self.lastFMAddress) }

  /// The server of ListenBrainz; `nil` if none is wanted.
  package var listenServer: WebAddress? { server(listenbrainz, "https://api.listenbrainz.org") }

  private func server(_ value: String, off: String = "off", on: String = "on", _ standard: String) -> WebAddress? {
    value == off ? nil : WebAddress(value == on ? standard : value)
  }
}
