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
