internal import ByteIO
internal import Library
internal import Commands

enum MPDStickerQuestion: Sendable {
  /// One sticker of an owner, or all.
  case of(StickerOwner, String?)
  /// Owners of a type with a sticker, and those only whose value meets the condition. Songs are looked for in a folder,
  /// others by the start of their names.
  case find(StickerOwner, String, Condition?, Order)
  /// The names of all stickers, or of those of a type; with the types.
  case names(type: String?, hasTypes: Bool)

  /// A condition on the value. Numbers are compared as numbers.
  struct Condition: Sendable {
    private let word: String
    private let value: String

    init(_ word: String, _ value: String) throws(MPDError) {
      guard ["=", "<", ">", "eq", "lt", "gt", "contains", "starts_with"].contains(word) else {
        throw MPDError(code: .argument, text: "bad operator")
      }
      (self.word, self.value) = (word, value)
    }

    func isMet(by text: String) -> Bool {
      let numbers = Int64(text).flatMap { number in Int64(value).map { (number, $0) } }
      return switch word {
      case "=": text == value
      case "<": numbers.map { $0 < $1 } ?? text.utf8.lexicographicallyPrecedes(value.utf8)
      case ">": numbers.map { $0 > $1 } ?? value.utf8.lexicographicallyPrecedes(text.utf8)
      case "eq": numbers.map { $0 == $1 } ?? false
      case "lt": numbers.map { $0 < $1 } ?? false
      case "gt": numbers.map { $0 > $1 } ?? false
      case "contains": text.contains(value)
      default: text.hasPrefix(value)
      }
    }
  }

  /// The order and the part of the answer.
  struct Order: Sendable {
    enum Key: String { case uri, value, value_int }

    var key: Key?
    var isDescending = false
    var window: Range<Int>?

    fileprivate func applied(to found: [Found]) -> ArraySlice<Found> {
      var found = found
      switch key {
      case .uri: found.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      case .value, .value_int:
        // Numbers as numbers, then texts.
        found = found.map { (key: (Int64($0.value) ?? .max, $0.value), row: $0) }.sorted { $0.key < $1.key }.map(\.row)
      case nil: break
      }
      if isDescending { found.reverse() }
      return found[window?.clamped(to: found.indices) ?? found.indices]
    }
  }

  fileprivate typealias Found = (name: String, value: String)

  /// `.missing` for an unknown song.
  func answer(_ view: LibraryView, _ stickers: (StickerStore.Query) -> [Sticker], _ places: MPDPlaces) -> Answer {
    switch self {
    case .of(.song(let path), let name):
      guard let track = view.track(at: path) else { return .missing }
      let facts = MPDSticker.allCases.compactMap { fact in fact.value(of: track).map { (fact.rawValue, String($0)) } }
      let given = stickers(.of(.recording(track.recording))).map { ($0.name, $0.value) }
      return .text(Self.lines((facts + given).sorted { $0.0 < $1.0 }, name))
    case .of(.named(let type, let owner), let name):
      return .text(Self.lines(stickers(.of(.named(type: type, owner))).map { ($0.name, $0.value) }, name))
    case .find(.song(let folder), let name, let condition, let order):
      let found = Self.songs(view, stickers, in: folder, name).filter { condition?.isMet(by: $0.value) ?? true }
      let named = found.map { (name: places.name(of: $0.path), value: $0.value) }
      return .text(Self.lines(order.applied(to: named), key: "file", name))
    case .find(.named(let type, let start), let name, let condition, let order):
      let found = stickers(.named(name, type: type)).compactMap { sticker -> Found? in
        guard case .named(_, let owner) = sticker.owner, owner.hasPrefix(start),
          condition?.isMet(by: sticker.value) ?? true
        else { return nil }
        return (owner, sticker.value)
      }
      return .text(Self.lines(order.applied(to: found), key: type, name))
    case .names(let type, let hasTypes):
      let facts = MPDSticker.allCases.map { (name: $0.rawValue, type: StickerStore.songType) }
      let given = stickers(.all).map { sticker -> (name: String, type: String) in
        if case .named(let type, _) = sticker.owner {
          (sticker.name, type)
        } else {
          (sticker.name, StickerStore.songType)
        }
      }
      let wanted = (facts + given).filter { type == nil || $0.type == type }
      let lines = wanted.map { "name: \($0.name.inOneLine)\n" + (hasTypes ? "type: \($0.type)\n" : "") }
      return .text(Set(lines).sorted().joined())
    }
  }

  /// The songs in a folder with a sticker, in the order of the library.
  private static func songs(
    _ view: LibraryView, _ stickers: (StickerStore.Query) -> [Sticker], in folder: BytePath, _ name: String
  ) -> [(path: BytePath, value: String)] {
    let fact = MPDSticker(rawValue: name)
    var given: [Int: String] = [:]
    for sticker in fact == nil ? stickers(.named(name, type: StickerStore.songType)) : [] {
      guard case .recording(let recording) = sticker.owner else { continue }
      for number in view.index.tracks(ofRecording: recording) { given[number] = sticker.value }
    }
    let numbers = fact == nil ? given.keys.sorted() : Array(0..<view.index.trackCount)
    return numbers.compactMap { number in
      let track = view.track(number)
      guard track.state == .here, let value = given[number] ?? fact?.value(of: track).map({ String($0) }),
        case let path = track.path, path.isInside(folder)
      else { return nil }
      return (path, value)
    }
  }

  private static func lines(_ stickers: [(String, String)], _ name: String?) -> String {
    stickers.filter { name == nil || $0.0 == name }.map { "sticker: \($0.inOneLine)=\($1.inOneLine)\n" }.joined()
  }

  private static func lines(_ found: ArraySlice<Found>, key: String, _ name: String) -> String {
    found.map { "\(key): \($0.name.inOneLine)\nsticker: \(name.inOneLine)=\($0.value.inOneLine)\n" }.joined()
  }
}

extension LibraryView {
  /// The track at a path, if its file is there.
  func track(at path: BytePath) -> LibraryTrack? {
    let parent = path.parent
    var (last, isThere) = (-1, false)
    for number in 0..<index.trackCount {
      let track = track(number)
      if track.folderNumber != last { (last, isThere) = (track.folderNumber, track.folder == parent) }
      if isThere, track.state == .here, track.path == path { return track }
    }
    return nil
  }
}
