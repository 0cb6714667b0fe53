internal import ByteIO
internal import Library
internal import Commands

/// A sticker of songs that is a fact of the listener in the library, by the name that clients have agreed on
/// (github.com/jcorporation/mpd-stickers).
enum MPDSticker: String, CaseIterable {
  case rating, like, playCount, skipCount, lastPlayed

  func value(of track: LibraryTrack) -> Int64? {
    switch self {
    case .rating: track.rating.map(Int64.init)
    case .like: track.isLoved ? 2 : nil
    case .playCount: track.plays > 0 ? Int64(track.plays) : nil
    case .skipCount: track.skips > 0 ? Int64(track.skips) : nil
    case .lastPlayed: track.lastPlayed
    }
  }

  func change(_ change: StickerStore.Change) throws(MPDError) -> RatingChange {
    switch (self, change) {
    case (.rating, .remove): return .set(nil)
    case (.rating, .add(let number, _)): return .by(Int(clamping: number))
    case (.rating, .set(let text)):
      guard let rating = Int(text), 0...10 ~= rating else {
        throw MPDError(code: .argument, text: "rating is a number from 0 to 10")
      }
      return .set(rating)
    case (.like, .remove), (.like, .set("1")): return .love(false)
    case (.like, .set("2")): return .love(true)
    case (.like, .set):
      throw MPDError(code: .argument, text: "like is 2 (loved) or 1 (neutral); 0 is not kept here")
    case (.like, .add): throw MPDError(code: .argument, text: "like cannot be changed by a number")
    case (.playCount, _), (.skipCount, _), (.lastPlayed, _):
      throw MPDError(code: .argument, text: "\(rawValue) cannot be changed: plays and skips are counted here")
    }
  }
}

enum MPDStickers: MPDTopic {
  /// The types that are no tags.
  private static let types = ["filter", "playlist", StickerStore.songType]

  /// The tags whose values may have stickers (MPD's `sticker_allowed_tags`).
  private static let tags = [
    "Artist", "Album", "AlbumArtist", "Title", "Genre", "Composer", "Performer", "Conductor", "Work", "Ensemble",
    "Location", "Label", "MUSICBRAINZ_ARTISTID", "MUSICBRAINZ_ALBUMID", "MUSICBRAINZ_ALBUMARTISTID",
    "MUSICBRAINZ_RELEASETRACKID", "MUSICBRAINZ_WORKID",
  ]

  static let commands: [Entry] = [
    entry("sticker", 3...64) { (words, player, state) throws(MPDError) in
      guard player.library != nil else { throw noLibrary }
      let (type, uri) = (try domain(words[1]), words[2])
      var owner = StickerOwner.named(type: type, uri)
      if type == StickerStore.songType {
        guard let path = state.places.path(of: uri) else { throw .noSong }
        owner = .song(path)
      }
      switch (words[0], words.count) {
      case ("get", 4): return known(owner, words[3], state)
      case ("list", 3): return known(owner, nil, state)
      case ("set", 5): return try change(owner, words[3], .set(words[4]), state)
      case ("inc", 5), ("dec", 5):
        let number = Int64(try unsigned(words[4]))
        return try change(owner, words[3], .add(words[0] == "inc" ? number : -number, otherwise: words[4]), state)
      case ("delete", 3): return remove(owner, nil, state)
      case ("delete", 4): return remove(owner, words[3], state)
      case ("find", 4...): return try find(owner, Array(words.dropFirst(3)), state)
      default: throw MPDError(code: .argument, text: "bad request")
      }
    },
    question("stickernames", 0...0) { (_, _, state) throws(MPDError) in
      names(nil, hasTypes: false, state)
    },
    question("stickertypes", 0...0) { (_, _, _) throws(MPDError) in
      .done((types + tags).map { "stickertype: \($0)\n" }.joined())
    },
    question("stickernamestypes", 0...1) { (words, _, state) throws(MPDError) in
      names(try words.first.map { (word) throws(MPDError) in try domain(word) }, hasTypes: true, state)
    },
  ]

  private static let noLibrary = MPDError(
    code: .unknown, text: "sticker database is disabled: there is no library")
  private static let noSticker = MPDError(code: .noExist, text: "no such sticker")

  private static func domain(_ word: String) throws(MPDError) -> String {
    if types.contains(word) { return word }
    guard let tag = MPDTag.named(word), tags.contains(tag) else {
      throw MPDError(code: .argument, text: "unknown sticker domain")
    }
    return tag
  }

  private static func names(_ type: String?, hasTypes: Bool, _ state: MPDState) -> MPDStep {
    ask(.stickers(.names(type: type, hasTypes: hasTypes)), state, orElse: noLibrary)
  }

  private static func known(_ owner: StickerOwner, _ name: String?, _ state: MPDState) -> MPDStep {
    ask(.stickers(.of(owner, name)), state, orElse: .noSong) { text in
      text.isEmpty && name != nil ? .fail(noSticker) : .done(text)
    }
  }

  /// Changes a sticker, if its owner exists.
  private static func change(
    _ owner: StickerOwner, _ name: String, _ change: StickerStore.Change, _ state: MPDState
  ) throws(MPDError) -> MPDStep {
    let command = try command(owner, name, change)
    let perform = MPDStep.perform([command], refusal: .system)
    switch owner {
    case .song: return ask(.stickers(.of(owner, name)), state, orElse: .noSong) { _ in perform }
    case .named("playlist", let playlist):
      return .ask(.playlist(PlaylistPlace(name: playlist, folder: state.places.playlists))) { answer, _ in
        guard case .playlist = answer else {
          return fail(answer, orElse: MPDError(code: .noExist, text: "No such playlist"))
        }
        return perform
      }
    case .named("filter", let filter):
      _ = try MPDFilter([filter], isExact: true, state)
      return perform
    case .named(let tag, let value):
      let filter = try MPDFilter([tag, value], isExact: true, state)
      return ask(.count(filter, groups: []), state, orElse: .noSong) { text in
        text.hasPrefix("songs: 0\n") ? .fail(MPDError(code: .noExist, text: "No such \(tag)")) : perform
      }
    }
  }

  private static func command(
    _ owner: StickerOwner, _ name: String, _ change: StickerStore.Change
  ) throws(MPDError) -> Command {
    if case .song(let path) = owner, let fact = MPDSticker(rawValue: name) {
      return .library(.rate(try fact.change(change), [path]))
    }
    return .library(.sticker(owner, name: name, change))
  }

  private static func remove(_ owner: StickerOwner, _ name: String?, _ state: MPDState) -> MPDStep {
    ask(.stickers(.of(owner, name)), state, orElse: .noSong) { text in
      do throws(MPDError) {
        if let name {
          guard !text.isEmpty else { return .fail(noSticker) }
          return .perform([try command(owner, name, .remove)], refusal: .system)
        }
        let names = text.split(separator: "\n").map { String($0.dropFirst("sticker: ".count).prefix { $0 != "=" }) }
        let facts = if case .song = owner { Set(MPDSticker.allCases.map(\.rawValue)) } else { Set<String>() }
        // Of the facts only those that can be changed.
        var commands = try [MPDSticker.rating, .like].map(\.rawValue).filter {
          facts.contains($0) && names.contains($0)
        }
        .map { (name) throws(MPDError) in try command(owner, name, .remove) }
        if !facts.isSuperset(of: names) { commands.append(.library(.sticker(owner, name: nil, .remove))) }
        return commands.isEmpty ? .fail(noSticker) : .perform(commands, refusal: .system)
      } catch { return .fail(error) }
    }
  }

  /// `NAME [OPERATOR VALUE] [sort KEY] [window START:END]`.
  private static func find(_ owner: StickerOwner, _ words: [String], _ state: MPDState) throws(MPDError) -> MPDStep {
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
    let condition = rest.count == 3 ? try MPDStickerQuestion.Condition(rest[1], rest[2]) : nil
    return ask(.stickers(.find(owner, rest[0], condition, order)), state, orElse: .noSong)
  }
}
