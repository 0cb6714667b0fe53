internal import ByteIO
internal import Library
internal import Commands

/// A sticker of songs, by the names that clients have agreed on (github.com/jcorporation/mpd-stickers). The listener's
/// facts in the library are the stickers.
enum MPDSticker: String, CaseIterable {
  case rating, like, playCount, skipCount, lastPlayed

  init(named name: String) throws(MPDError) {
    guard let sticker = MPDSticker(rawValue: name) else {
      let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
      throw MPDError(code: .argument, text: "no sticker \"\(name)\" here; there are \(names)")
    }
    self = sticker
  }

  /// The value of a track; `nil` if it has none.
  func value(of track: LibraryTrack) -> Int64? {
    switch self {
    case .rating: track.rating.map(Int64.init)
    case .like: track.isLoved ? 2 : nil
    case .playCount: track.plays > 0 ? Int64(track.plays) : nil
    case .skipCount: track.skips > 0 ? Int64(track.skips) : nil
    case .lastPlayed: track.lastPlayed
    }
  }

  /// The change that gives the sticker this value; `nil` removes it.
  func change(to text: String?) throws(MPDError) -> RatingChange {
    switch (self, text, text.flatMap { Int($0) }) {
    case (.rating, nil, _): return .set(nil)
    case (.rating, _, let rating?) where 0...10 ~= rating: return .set(rating)
    case (.rating, _, _): throw MPDError(code: .argument, text: "rating is a number from 0 to 10")
    case (.like, nil, _), (.like, _, 1): return .love(false)
    case (.like, _, 2): return .love(true)
    case (.like, _, _): throw MPDError(code: .argument, text: "like is 2 (loved) or 1 (neutral); 0 is not kept here")
    case (.playCount, _, _), (.skipCount, _, _), (.lastPlayed, _, _):
      throw MPDError(code: .argument, text: "\(rawValue) cannot be changed: plays and skips are counted here")
    }
  }
}

/// A question about stickers, for the library.
enum MPDStickerQuestion: Sendable {
  /// One sticker, or all of a song.
  case song(BytePath, MPDSticker?)
  /// Songs in a folder with a sticker, and those only whose value meets the condition.
  case find(BytePath, MPDSticker, Condition?, Order)

  /// A condition on the value.
  struct Condition: Sendable {
    var word: String
    var value: String

    init(_ word: String, _ value: String) throws(MPDError) {
      guard ["=", "<", ">", "eq", "lt", "gt", "contains", "starts_with"].contains(word) else {
        throw MPDError(code: .argument, text: "bad operator")
      }
      (self.word, self.value) = (word, value)
    }

    func isMet(by number: Int64) -> Bool {
      switch word {
      case "=", "eq": Int64(value) == number
      case "<", "lt": Int64(value).map { number < $0 } ?? false
      case ">", "gt": Int64(value).map { number > $0 } ?? false
      case "contains": String(number).contains(value)
      default: String(number).hasPrefix(value)
      }
    }
  }

  /// The order and the part of the answer.
  struct Order: Sendable {
    enum Key: String { case uri, value, value_int }

    var key: Key?
    var isDescending = false
    var window: Range<Int>?
  }

  /// `.missing` for an unknown song.
  func answer(_ view: LibraryView, _ places: MPDPlaces) -> Answer {
    switch self {
    case .song(let path, let sticker):
      guard let track = view.track(at: path) else { return .missing }
      let stickers = sticker.map { [$0] } ?? MPDSticker.allCases.sorted { $0.rawValue < $1.rawValue }
      return .text(stickers.compactMap { Self.line($0, $0.value(of: track)) }.joined())
    case .find(let folder, let sticker, let condition, let order):
      var found: [(name: String, value: Int64)] = []
      for number in 0..<view.index.trackCount {
        let track = view.track(number)
        guard track.state == .here, let value = sticker.value(of: track), condition?.isMet(by: value) ?? true,
          case let path = track.path, path.isInside(folder)
        else { continue }
        found.append((places.name(of: path), value))
      }
      switch order.key {
      case .uri: found.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      case .value, .value_int: found.sort { $0.value < $1.value }
      case nil: break
      }
      if order.isDescending { found.reverse() }
      return .text(
        found[order.window?.clamped(to: found.indices) ?? found.indices].map { name, value in
          "file: \(name)\n" + (Self.line(sticker, value) ?? "")
        }.joined())
    }
  }

  private static func line(_ sticker: MPDSticker, _ value: Int64?) -> String? {
    value.map { "sticker: \(sticker.rawValue)=\($0)\n" }
  }
}

/// The commands about stickers.
enum MPDStickers: MPDTopic {
  static let commands: [Entry] = [
    entry("sticker", 3...64) { (words, player, state) throws(MPDError) in
      guard player.library != nil else {
        throw MPDError(code: .unknown, text: "sticker database is disabled: there is no library")
      }
      guard words[1] == "song" else { throw MPDError(code: .argument, text: "unknown sticker domain") }
      guard let path = state.places.path(of: words[2]) else { throw .noSong }
      switch (words[0], words.count) {
      case ("get", 4): return known(path, try MPDSticker(named: words[3]), state)
      case ("list", 3): return known(path, nil, state)
      case ("set", 5):
        return change(path, [try MPDSticker(named: words[3]).change(to: words[4])], state)
      case ("inc", 5), ("dec", 5):
        guard try MPDSticker(named: words[3]) == .rating else {
          throw MPDError(code: .argument, text: "only rating can be changed by a number")
        }
        let change = try unsigned(words[4])
        return MPDStickers.change(path, [.by(words[0] == "inc" ? change : -change)], state)
      case ("delete", 3): return remove(path, nil, state)
      case ("delete", 4): return remove(path, try MPDSticker(named: words[3]), state)
      case ("find", 4...): return try find(path, Array(words.dropFirst(3)), state)
      default: throw MPDError(code: .argument, text: "bad request")
      }
    },
    question("stickernames", 0...0) { (_, _, _) throws(MPDError) in
      .done(MPDSticker.allCases.map { "name: \($0.rawValue)\n" }.sorted().joined())
    },
    question("stickertypes", 0...0) { (_, _, _) throws(MPDError) in .done("stickertype: song\n") },
    question("stickernamestypes", 0...1) { (words, _, _) throws(MPDError) in
      guard words.first ?? "song" == "song" else { throw MPDError(code: .argument, text: "unknown sticker domain") }
      return .done(MPDSticker.allCases.map { "name: \($0.rawValue)\ntype: song\n" }.sorted().joined())
    },
  ]

  private static let noSticker = MPDError(code: .noExist, text: "no such sticker")

  /// One sticker of a song, or all.
  private static func known(_ path: BytePath, _ sticker: MPDSticker?, _ state: MPDState) -> MPDStep {
    ask(.stickers(.song(path, sticker)), state, orElse: .noSong) { text in
      text.isEmpty && sticker != nil ? .fail(noSticker) : .done(text)
    }
  }

  private static func change(_ path: BytePath, _ changes: [RatingChange], _ state: MPDState) -> MPDStep {
    ask(.stickers(.song(path, nil)), state, orElse: .noSong) { _ in
      .perform(changes.map { .library(.rate($0, [path])) }, refusal: .system)
    }
  }

  private static func remove(_ path: BytePath, _ sticker: MPDSticker?, _ state: MPDState) -> MPDStep {
    ask(.stickers(.song(path, sticker)), state, orElse: .noSong) { text in
      let stickers = sticker.map { [$0] } ?? [.rating, .like].filter { text.contains("sticker: \($0.rawValue)=") }
      guard !text.isEmpty, !stickers.isEmpty else { return .fail(noSticker) }
      do throws(MPDError) {
        let changes = try stickers.map { (sticker) throws(MPDError) in try sticker.change(to: nil) }
        return .perform(changes.map { .library(.rate($0, [path])) }, refusal: .system)
      } catch { return .fail(error) }
    }
  }

  /// `NAME [OPERATOR VALUE] [sort KEY] [window START:END]`.
  private static func find(_ path: BytePath, _ words: [String], _ state: MPDState) throws(MPDError) -> MPDStep {
    var rest = words[...]
    var order = MPDStickerQuestion.Order()
    while rest.count >= 3, let option = rest.dropLast().last, option == "sort" || option == "window" {
      let value = rest[rest.endIndex - 1]
      if option == "window" { order.window = try range(value, count: Int(Int32.max)) }
      if option == "sort" {
        order.isDescending = value.hasPrefix("-")
        guard let key = MPDStickerQuestion.Order.Key(rawValue: order.isDescending ? String(value.dropFirst()) : value)
        else { throw MPDError(code: .argument, text: "Unknown sort tag") }
        order.key = key
      }
      rest = rest.dropLast(2)
    }
    guard rest.count == 1 || rest.count == 3 else { throw MPDError(code: .argument, text: "bad request") }
    let sticker = try MPDSticker(named: rest[0])
    let condition = rest.count == 3 ? try MPDStickerQuestion.Condition(rest[1], rest[2]) : nil
    return ask(.stickers(.find(path, sticker, condition, order)), state, orElse: .noSong)
  }
}
