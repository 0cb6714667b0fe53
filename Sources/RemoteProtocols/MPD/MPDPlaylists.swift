internal import ByteIO
internal import Library
internal import Playback
internal import Player

/// Saved playlists.
enum MPDPlaylists: MPDTopic {
  static let commands: [Entry] = [
    entry("listplaylists", 0...0) { (_, _, state) throws(MPDError) in
      guard let folder = state.places.playlists else { return .done("") }
      return .ask(.listing(folder, isRecursive: false, withFacts: false)) { answer, _ in
        .done(names(answer))
      }
    },
    entry("listplaylist", 1...2) { (words, _, state) throws(MPDError) in
      let places = state.places
      return try entries(of: words, state, withFacts: false) { item in "file: \(places.name(of: item.location))\n" }
    },
    entry("listplaylistinfo", 1...2) { (words, _, state) throws(MPDError) in
      let state = state
      return try entries(of: words, state, withFacts: true) { item in
        MPDSong(item.location, item.facts, modified: item.modified, state.places).text(tagTypes: state.tagTypes)
      }
    },
    entry("load", 1...3) { (words, _, state) throws(MPDError) in
      try change(words[0], state) { (items, _) throws(MPDError) in
        let rows = words.count > 1 ? try range(words[1], count: items.count) : items.indices
        return .perform([.edit(.add(items[rows].map(\.location), .end))])
      }
    },
    entry("save", 1...2) { (words, player, state) throws(MPDError) in
      let path = try path(words[0], state)
      let locations = player.queue.entries.map(\.location)
      switch words.count > 1 ? words[1] : "create" {
      case "create":
        return .ask(.playlist(path, withFacts: false)) { answer, _ in
          if case .items = answer { return .fail(MPDError(code: .exist, text: "Playlist already exists")) }
          return write(locations, path)
        }
      case "replace": return try change(words[0], state) { (_, path) throws(MPDError) in write(locations, path) }
      case "append":
        return try change(words[0], state) { (items, path) throws(MPDError) in
          write(items.map(\.location) + locations, path)
        }
      default: throw MPDError(code: .argument, text: "Unrecognized save mode")
      }
    },
    entry("rm", 1...1) { (words, _, state) throws(MPDError) in
      .ask(.removePlaylist(try path(words[0], state))) { answer, _ in done(answer) }
    },
    entry("rename", 2...2) { (words, _, state) throws(MPDError) in
      .ask(.renamePlaylist(try path(words[0], state), to: try path(words[1], state))) { answer, _ in done(answer) }
    },
    entry("playlistclear", 1...1) { (words, _, state) throws(MPDError) in write([], try path(words[0], state)) },
    entry("playlistadd", 2...3) { (words, _, state) throws(MPDError) in
      guard let place = state.places.path(of: words[1]) else { throw .noSong }
      return insert(
        [MediaLocation(written: place.bytes, in: BytePath("/"))], into: words[0], at: words.count > 2 ? words[2] : nil,
        state)
    },
    entry("playlistdelete", 2...2) { (words, _, state) throws(MPDError) in
      try change(words[0], state) { (items, path) throws(MPDError) in
        var locations = items.map(\.location)
        locations.removeSubrange(try range(words[1], count: locations.count))
        return write(locations, path)
      }
    },
    entry("playlistmove", 3...3) { (words, _, state) throws(MPDError) in
      try change(words[0], state) { (items, path) throws(MPDError) in
        var locations = items.map(\.location)
        let rows = try range(words[1], count: locations.count)
        let moved = Array(locations[rows])
        locations.removeSubrange(rows)
        let target = try unsigned(words[2])
        guard target <= locations.count else { throw .badIndex }
        locations.insert(contentsOf: moved, at: target)
        return write(locations, path)
      }
    },
    entry("playlistlength", 1...1) { (words, _, state) throws(MPDError) in
      .ask(.playlist(try path(words[0], state), withFacts: true)) { answer, _ in
        guard case .items(let items) = answer else { return .fail(noPlaylist) }
        let seconds = items.reduce(0) { $0 + ($1.facts?.duration ?? 0) }
        return .done("songs: \(items.count)\nplaytime: \(Int(min(seconds, 1e15).rounded()))\n")
      }
    },
  ]

  /// The names in the folder of playlists.
  static func names(_ answer: DiskAnswer) -> String {
    guard case .items(let items) = answer else { return "" }
    return items.filter { $0.kind == .playlist }.map { item in
      "playlist: \(stem(item.location.name).inOneLine)\nLast-Modified: \(UTCTime.text(item.modified))\n"
    }.joined()
  }

  /// Inserts songs into a playlist, which may be a new one; at its end without a position.
  static func insert(_ songs: [MediaLocation], into name: String, at position: String?, _ state: MPDState) -> MPDStep {
    let path: BytePath
    do throws(MPDError) { path = try self.path(name, state) } catch { return .fail(error) }
    return .ask(.playlist(path, withFacts: false)) { answer, _ in
      var locations: [MediaLocation] = []
      if case .items(let items) = answer { locations = items.map(\.location) }
      let row = position.map { Int($0) ?? -1 } ?? locations.count
      guard 0...locations.count ~= row else { return .fail(.badIndex) }
      locations.insert(contentsOf: songs, at: row)
      return write(locations, path)
    }
  }

  private static let noPlaylist = MPDError(code: .noExist, text: "No such playlist")

  /// A name without its extension.
  private static func stem(_ name: String) -> String {
    name.hasSuffix(".m3u8") ? String(name.dropLast(5)) : name.hasSuffix(".m3u") ? String(name.dropLast(4)) : name
  }

  private static func path(_ name: String, _ state: MPDState) throws(MPDError) -> BytePath {
    guard !name.isEmpty, name.first != ".", !name.contains("/"), !name.contains(where: \.isNewline),
      name.utf8.count <= 240
    else {
      throw MPDError(
        code: .argument,
        text: "playlist name is invalid: playlist names may not contain slashes, newlines or carriage returns")
    }
    guard let folder = state.places.playlists else {
      throw MPDError(code: .system, text: "there is no folder of playlists")
    }
    return folder.appending(BytePath(name + ".m3u8"))
  }

  private static func done(_ answer: DiskAnswer) -> MPDStep {
    switch answer {
    case .items, .text, .locations, .cover, .file, .done: .done("")
    case .missing: .fail(noPlaylist)
    case .exists: .fail(MPDError(code: .exist, text: "Playlist exists already"))
    case .failed(let reason): .fail(MPDError(code: .system, text: reason))
    }
  }

  private static func write(_ locations: [MediaLocation], _ path: BytePath) -> MPDStep {
    .ask(.writePlaylist(locations, path)) { answer, _ in done(answer) }
  }

  /// Reads a playlist and continues with its entries.
  private static func change(
    _ name: String, _ state: MPDState, _ body: @escaping ([DiskItem], BytePath) throws(MPDError) -> MPDStep
  ) throws(MPDError) -> MPDStep {
    let path = try path(name, state)
    return .ask(.playlist(path, withFacts: false)) { answer, _ in
      guard case .items(let items) = answer else { return .fail(noPlaylist) }
      do throws(MPDError) { return try body(items, path) } catch { return .fail(error) }
    }
  }

  private static func entries(
    of words: [String], _ state: MPDState, withFacts: Bool, _ text: @escaping (DiskItem) -> String
  ) throws(MPDError) -> MPDStep {
    .ask(.playlist(try path(words[0], state), withFacts: withFacts)) { answer, _ in
      guard case .items(let items) = answer else { return .fail(noPlaylist) }
      do throws(MPDError) {
        let rows = words.count > 1 ? try range(words[1], count: items.count) : items.indices
        return .done(items[rows].map(text).joined())
      } catch { return .fail(error) }
    }
  }
}
