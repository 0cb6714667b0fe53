internal import AudioModel
internal import ByteIO
internal import Commands
internal import Playback

/// A line for status bars: text with fields in braces, `{artist} - {title}`.
///
/// `{artist|station|name}` is the first of these that is known. A part in brackets is left out if none of its fields is
/// known: `[{artist} - ]{title}`. `\` quotes the next character, and `\n` is a line feed.
public struct StatusTemplate: Sendable, Hashable {
  public struct SyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem, and a form that works.
    public var description: String
  }

  private indirect enum Part: Hashable {
    case text(String)
    case field([Field])
    case group([Part])
  }

  private let parts: [Part]
  /// The largest number of fields, because a tag may be long.
  private static let fieldLimit = 100

  public init(_ text: String) throws(SyntaxError) {
    guard text.unicodeScalars.count(where: { $0 == "{" }) <= Self.fieldLimit else {
      throw SyntaxError(description: "the format has more than \(Self.fieldLimit) fields")
    }
    var rest = text.unicodeScalars[...]
    parts = try Self.parts(&rest, isGroup: false, depth: 0)
  }

  private static func parts(
    _ rest: inout Substring.UnicodeScalarView, isGroup: Bool, depth: Int
  ) throws(SyntaxError) -> [Part] {
    guard depth < 8 else { throw SyntaxError(description: "[ is nested too deep in the format") }
    var parts: [Part] = []
    var text = ""
    func take() {
      if !text.isEmpty { parts.append(.text(text)) }
      text = ""
    }
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\\":
        guard let next = rest.popFirst() else { throw SyntaxError(description: "the format ends with \\") }
        text.unicodeScalars.append(next == "n" ? "\n" : next)
      case "{":
        take()
        parts.append(.field(try fields(&rest)))
      case "[":
        take()
        parts.append(.group(try Self.parts(&rest, isGroup: true, depth: depth + 1)))
      case "]" where isGroup:
        take()
        return parts
      default: text.unicodeScalars.append(scalar)
      }
    }
    guard !isGroup else { throw SyntaxError(description: "the closing ] is missing in the format") }
    take()
    return parts
  }

  private static func fields(_ rest: inout Substring.UnicodeScalarView) throws(SyntaxError) -> [Field] {
    guard let end = rest.firstIndex(of: "}") else {
      throw SyntaxError(description: "the closing } is missing in the format")
    }
    let names = String(rest[..<end]).split(separator: "|", omittingEmptySubsequences: false)
    rest = rest[rest.index(after: end)...]
    return try names.map { (name) throws(SyntaxError) in
      if let field = Field(rawValue: String(name)) { return field }
      let known = Field.allCases.map(\.rawValue).joined(separator: ", ")
      throw SyntaxError(description: "unknown field \"\(name)\" in the format. Fields: \(known)")
    }
  }

  /// The line for a player.
  ///
  /// - Parameter isPrintable: True for fields of one line each, without control characters; false for fields as they are,
  ///   but without zero bytes, which may separate them.
  public func text(_ player: PlayerSnapshot, isPrintable: Bool = false) -> String {
    Self.text(parts, player) { isPrintable ? $0.printable : $0.replacing("\0", with: "") }.text
  }

  private static func text(
    _ parts: [Part], _ player: PlayerSnapshot, _ shown: (String) -> String
  ) -> (text: String, isKnown: Bool) {
    var (text, isKnown) = ("", false)
    for part in parts {
      switch part {
      case .text(let literal): text += literal
      case .field(let fields):
        guard let value = fields.lazy.compactMap({ $0.value(player) }).first else { continue }
        text += shown(value)
        isKnown = true
      case .group(let parts):
        let group = Self.text(parts, player, shown)
        guard group.isKnown else { continue }
        text += group.text
        isKnown = true
      }
    }
    return (text, isKnown)
  }

  public enum Field: String, Sendable, Hashable, CaseIterable {
    case state, sign, reason, title, artist, album, albumArtist, track, disc, date, genre, composer, chapter, name, path
    case station, position, duration, remaining, percent, volume, muted, shuffle, `repeat`, speed, row, length, device

    /// The value as text; `nil` if unknown.
    func value(_ player: PlayerSnapshot) -> String? {
      let text: String? =
        switch self {
        case .state: player.snapshot.state.word
        case .sign: player.snapshot.state.sign
        case .reason: player.snapshot.reason.eventName
        case .title: player.title
        case .artist: player.artist
        case .album: player.album
        case .albumArtist: player.tags?.albumArtist
        case .track: player.tags?.trackNumber.map(String.init)
        case .disc: player.tags?.discNumber.map(String.init)
        case .date: player.tags?.date
        case .genre: player.tags?.genre
        case .composer: player.tags?.composer
        case .chapter: player.chapter
        case .name: player.title ?? player.entry?.location.name
        case .path: player.entry.map { player.whole($0.location).description }
        case .station: player.isLoaded ? player.snapshot.stream?.stationName : nil
        case .position: player.isLoaded ? timeText(player.position) : nil
        case .duration: player.duration.map { timeText($0) }
        case .remaining: player.duration.map { timeText(max(0, $0 - player.position)) }
        case .percent: player.duration.map { String(Int(max(0, min(100, player.position / $0 * 100)))) }
        case .volume: String(player.volumePercent)
        case .muted: player.isMuted ? "muted" : nil
        case .shuffle: player.queue.isShuffled ? "shuffle" : nil
        case .repeat: player.queue.repeatMode == .off ? nil : player.queue.repeatMode.word
        case .speed: player.settings.speed == 1 ? nil : written(player.settings.speed)
        case .row: player.row.map { String($0 + 1) }
        case .length: String(player.queue.entries.count)
        case .device: player.snapshot.route?.description
        }
      return text.flatMap { $0.isEmpty ? nil : $0 }
    }
  }
}

extension PlaybackState {
  /// The state as the sign of the screen.
  fileprivate var sign: String {
    switch self {
    case .stopped: "■"
    case .playing: "▶"
    case .waiting: "…"
    case .paused: "⏸"
    }
  }
}
