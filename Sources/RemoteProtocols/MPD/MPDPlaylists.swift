internal import ByteIO
internal import Library
internal import Playback
internal import Commands

/// Stored playlists: those of the library, and the files that clients of earlier versions have saved. A new one is of the
/// library.
enum MPDPlaylists: MPDTopic {
  static let commands: [Entry] = [
    question("listplaylists", 0...0) { (_, _, state) throws(MPDError) in
      .ask(.playlists(in: state.places.playlists)) { answer, _ in .done(names(answer)) }
    },
    question("listplaylist", 1...2) { (words, _, state) throws(MPDError) in songs(of: words, .names, state) },
    question("listplaylistinfo", 1...2) { (words, _, state) throws(MPDError) in songs(of: words, .descriptions, state)
    },
    question("searchplaylist", 2...64) { (words, _, state) throws(MPDError) in
      let options = try MPDDatabase.options(words.dropFirst())
      let filter = try MPDFilter(options.words, isExact: false, state)
      return songs(of: [words[0]], .found(filter, options.order), state)
    },
    question("playlistlength", 1...1) { (words, _, state) throws(MPDError) in
      .ask(.songs(SongQuestion(MPDQuestion(.playlist(readable(words[0], state), .length), state)))) { answer, _ in
        guard case .text(let text) = answer else { return fail(answer, words[0]) }
        return .done(text)
      }
    },
    entry("load", 1...3) { (words, player, state) throws(MPDError) in
      let target = try words.dropFirst(2).first.map { (word) throws(MPDError) in try MPDQueue.position(word, player) }
      let rows = words.count > 1 ? try range(words[1], count: Int(Int32.max)) : nil
      return read(words[0], at: readable(words[0], state)) { (items, _) throws(MPDError) in
        let wanted = items[rows?.clamped(to: items.indices) ?? items.indices]
        return MPDQueue.add(wanted.filter { $0.kind == .song }.map(\.location), to: target)
      }
    },
    entry("save", 1...2) { (words, player, state) throws(MPDError) in
      let name = words[0]
      let songs = player.queue.entries.map(\.location)
      switch words.count > 1 ? words[1] : "create" {
      case "create":
        return .ask(.playlist(place(name, state))) { answer, _ in
          if case .playlist = answer { return .fail(MPDError(code: .exist, text: "Playlist already exists")) }
          return create(name, songs)
        }
      case "replace": return change(name, state) { _ in (.replace(name, entries(songs)), songs) }
      case "append": return change(name, state) { old in (.add(name, entries(songs)), old + songs) }
      default: throw MPDError(code: .argument, text: "Unrecognized save mode")
      }
    },
    entry("rm", 1...1) { (words, _, state) throws(MPDError) in
      read(words[0], at: place(words[0], state)) { (_, origin) throws(MPDError) in
        switch origin {
        case .library: edit(.delete([words[0]]))
        case .file(let file): .ask(.removePlaylist(file)) { answer, _ in done(answer, words[0]) }
        }
      }
    },
    entry("rename", 2...2) { (words, _, state) throws(MPDError) in
      let (name, new) = (words[0], words[1])
      let target = place(new, state)
      return read(name, at: place(name, state)) { (_, origin) throws(MPDError) in
        .ask(.playlist(target)) { answer, _ in
          if case .playlist = answer { return .fail(MPDError(code: .exist, text: "Playlist exists already")) }
          guard target.isValid else { return .fail(invalidName) }
          return switch origin {
          case .library: edit(.rename(name, to: new))
          case .file(let file): .ask(.renamePlaylist(file, to: new)) { answer, _ in done(answer, name) }
          }
        }
      }
    },
    entry("playlistclear", 1...1) { (words, _, state) throws(MPDError) in
      change(words[0], state) { _ in (.replace(words[0], []), []) }
    },
    entry("playlistadd", 2...3) { (words, _, state) throws(MPDError) in
      guard let path = state.places.path(of: words[1]) else { throw .noSong }
      let location = MediaLocation(written: path.bytes, in: BytePath("/"))
      let (state, position) = (state, words.count > 2 ? words[2] : nil)
      guard case .file(let file) = location else { return insert([location], into: words[0], at: position, state) }
      // A folder stands for all songs in it.
      return .ask(.listing(file, isRecursive: true, withFacts: false)) { answer, _ in
        guard case .items(let items) = answer else {
          return .fail(MPDError(code: .noExist, text: "No such directory"))
        }
        return insert(items.filter { $0.kind == .song }.map(\.location), into: words[0], at: position, state)
      }
    },
    entry("playlistdelete", 2...2) { (words, _, state) throws(MPDError) in
      change(words[0], state) { (songs) throws(MPDError) in
        let rows = try range(words[1], count: songs.count)
        var left = songs
        left.removeSubrange(rows)
        return (.remove(words[0], numbers: rows.map { $0 + 1 }), left)
      }
    },
    entry("playlistmove", 3...3) { (words, _, state) throws(MPDError) in
      change(words[0], state) { (songs) throws(MPDError) in
        let (rows, target) = (try range(words[1], count: Int(Int32.max)), try unsigned(words[2]))
        guard !rows.isEmpty, rows.upperBound <= songs.count, target <= songs.count - rows.count else { throw badRange }
        var arranged = songs
        arranged.removeSubrange(rows)
        arranged.insert(contentsOf: songs[rows], at: target)
        return (.moveRange(words[0], rows.lowerBound + 1...rows.upperBound, to: target + 1), arranged)
      }
    },
  ]

  /// The answer to `listplaylists`. Longer names than MPD's limit are left out.
  static func names(_ answer: Answer) -> String {
    guard case .playlists(let playlists) = answer else { return "" }
    return playlists.lazy.filter { $0.name.utf8.count <= MPDLines.nameByteLimit }.map { playlist in
      "playlist: \(playlist.name.inOneLine)\nLast-Modified: \(UTCTime.text(playlist.modified))\n"
    }.joined()
  }

  /// Inserts songs into a playlist, which may be a new one; at its end without a position.
  static func insert(_ songs: [MediaLocation], into name: String, at position: String?, _ state: MPDState) -> MPDStep {
    .ask(.playlist(place(name, state))) { answer, _ in
      guard case .playlist(let items, let origin) = answer else {
        return position.map { $0 == "0" } ?? true ? create(name, songs) : .fail(badPosition)
      }
      let row = position.map { Int($0) ?? -1 } ?? items.count
      guard 0...items.count ~= row else { return .fail(badPosition) }
      var locations = items.map(\.location)
      locations.insert(contentsOf: songs, at: row)
      let added = entries(songs)
      return write(
        position == nil ? .add(name, added) : .insert(name, added, before: row + 1), locations, to: origin, name)
    }
  }

  // MARK: Names

  private static let noPlaylist = MPDError(code: .noExist, text: "No such playlist")
  private static let invalidName = MPDError(code: .argument, text: "Bad playlist name")
  private static let badPosition = MPDError(code: .argument, text: "Bad position")
  private static let badRange = MPDError(code: .argument, text: "Bad range")

  private static func place(_ name: String, _ state: MPDState) -> PlaylistPlace {
    PlaylistPlace(name: name, folder: state.places.playlists)
  }

  /// The place of a playlist that is only read: `lsinfo` names those in the music folder, too.
  private static func readable(_ name: String, _ state: MPDState) -> PlaylistPlace {
    PlaylistPlace(name: name, folder: state.places.playlists, musicFile: state.places.path(of: name))
  }

  /// The failure of a question about a playlist.
  private static func fail(_ answer: Answer, _ name: String) -> MPDStep {
    fail(answer, orElse: PlaylistPlace(name: name, folder: nil).isValid ? noPlaylist : invalidName)
  }

  private static func done(_ answer: Answer, _ name: String) -> MPDStep {
    switch answer {
    case .done: .done("")
    case .exists: .fail(MPDError(code: .exist, text: "Playlist exists already"))
    default: fail(answer, name)
    }
  }

  // MARK: Reading

  /// Lines about the songs of a playlist, or of a range of them.
  private static func songs(of words: [String], _ form: MPDQuestion.PlaylistForm, _ state: MPDState) -> MPDStep {
    .ask(.songs(SongQuestion(MPDQuestion(.playlist(readable(words[0], state), form), state)))) { answer, _ in
      guard case .lines(let lines) = answer else { return fail(answer, words[0]) }
      do throws(MPDError) {
        let rows = words.count > 1 ? try range(words[1], count: lines.count) : lines.indices
        return .done(lines[rows].joined())
      } catch { return .fail(error) }
    }
  }

  /// Reads a playlist and continues with its entries.
  private static func read(
    _ name: String, at place: PlaylistPlace,
    _ body: @escaping ([DiskItem], PlaylistOrigin) throws(MPDError) -> MPDStep
  ) -> MPDStep {
    .ask(.playlist(place)) { answer, _ in
      guard case .playlist(let items, let origin) = answer else { return fail(answer, name) }
      do throws(MPDError) { return try body(items, origin) } catch { return .fail(error) }
    }
  }

  // MARK: Changing

  private static func entries(_ songs: [MediaLocation]) -> [CollectedEntry] {
    songs.map { CollectedEntry(location: $0) }
  }

  private static func edit(_ edit: PlaylistEdit) -> MPDStep {
    .perform([.library(.playlist(.edit(edit)))], refusal: .system)
  }

  private static func create(_ name: String, _ songs: [MediaLocation]) -> MPDStep {
    PlaylistPlace(name: name, folder: nil).isValid ? edit(.create(name, entries(songs))) : .fail(invalidName)
  }

  /// Changes a playlist: one of the library by an edit, a file by its new songs.
  private static func change(
    _ name: String, _ state: MPDState,
    _ body: @escaping ([MediaLocation]) throws(MPDError) -> (edit: PlaylistEdit, songs: [MediaLocation])
  ) -> MPDStep {
    read(name, at: place(name, state)) { (items, origin) throws(MPDError) in
      let (edit, songs) = try body(items.map(\.location))
      return write(edit, songs, to: origin, name)
    }
  }

  private static func write(
    _ change: PlaylistEdit, _ songs: [MediaLocation], to origin: PlaylistOrigin, _ name: String
  ) -> MPDStep {
    switch origin {
    case .library: edit(change)
    case .file(let file) where file.fileExtension.hasPrefix("m3u"):
      .ask(.writePlaylist(songs, file)) { answer, _ in done(answer, name) }
    case .file: .fail(MPDError(code: .system, text: "only playlist files in the form m3u can be changed"))
    }
  }
}
