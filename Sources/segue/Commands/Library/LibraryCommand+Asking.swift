internal import ArgumentParser
internal import AudioModel
internal import ByteIO
internal import Commands
internal import Desk
internal import Library
internal import Player

// Questions to the library.
extension LibraryCommand {
  /// `segue library search QUERY`
  struct Search: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "search", abstract: "Print the tracks of a query, the best first.")

    @Flag(help: "Print one JSON object per track, each on its own line.") var json = false
    @Flag(help: "Print only paths.") var paths = false
    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "Words and conditions; without any, all tracks.", completion: .custom(ShellCompletion.query))
    var query: [String] = []

    func run() throws {
      let query = try LibraryCommand.query(query)
      let view = try protection.library().view()
      let tracks = LibrarySearch(view).tracks(query, seed: UInt64.random(in: 0 ... .max))
      var output = LineWriter()
      for number in tracks {
        let track = view.track(number)
        if paths, !json { output.add(track.path) } else { output.add(json ? track.json.description : track.line) }
      }
      output.flush()
    }
  }

  /// `segue library list [artists|albums|genres|folders|bad]`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List artists, albums, genres, the added folders or unreadable files.",
      discussion: """
        'bad' lists the files that could not be read as sound, and why. A scan tries them again after they change, and \
        after segue or the library that it lacked is installed. Files and folders that the system did not let the last \
        scan read are listed after them; each scan tries them again.
        """)

    /// The things to list.
    enum Subject: String, ExpressibleByArgument, CaseIterable { case artists, albums, genres, folders, bad }

    @Flag(help: "Print JSON objects, one per line.") var json = false
    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "artists, albums, genres, folders or bad.") var subject = Subject.artists

    func run() throws {
      var output = LineWriter()
      func add(_ text: String, _ object: JSON) { output.add(json ? object.description : text.printable) }
      let library = try protection.library()
      switch subject {
      case .bad:
        for file in try UnreadStore(library).bad(limit: .max) + UnreadStore(library).refused() {
          add("\(file.path): \(file.reason)", file.json)
        }
      case .folders:
        let (pins, limit) = (try PinStore(library).all(), try PinStore(library).byteLimit())
        for root in try library.roots() where root.state != .forgotten {
          let away = root.state == .away ? "  (away: \(root.reason ?? "not there"))" : ""
          let server = root.path.isOnServer ? LibraryCommand.account(named: root.path.description, in: library) : nil
          let place = server.map { "  (\($0.place))" } ?? ""
          let kept = pins.filter { $0.isWanted && $0.path.isBelow(root.path) }
          add(
            root.path.description + place + away + (kept.isEmpty ? "" : "  (\(kept.room(of: limit)))"),
            [
              "path": .string(root.path.description), "state": .string(root.state == .away ? "away" : "here"),
              "reason": JSON(root.reason), "server": JSON(server?.address.description),
              "pinned": JSON(kept.count), "pinnedBytes": JSON(kept.reduce(0) { $0 + ($1.byteCount ?? 0) }),
            ])
        }
      case .artists:
        let view = try library.view()
        for number in 0..<view.index.artistCount {
          let artist = view.artist(number)
          add(
            "\(artist.name)  (\(counted(artist.albums.count, "album")), \(counted(artist.trackCount, "track")))",
            [
              "artist": .string(artist.name), "albums": JSON(artist.albums.count), "tracks": JSON(artist.trackCount),
            ])
        }
      case .albums:
        let view = try library.view()
        for number in 0..<view.index.albumCount {
          let album = view.album(number)
          add(
            "\(album.artist) - \(album.title)" + (album.year.map { "  (\($0))" } ?? ""),
            [
              "album": .string(album.title), "artist": .string(album.artist),
              "albumArtists": .array(album.artists.map { .string($0) }), "year": JSON(album.year),
              "tracks": JSON(album.tracks.count), "duration": JSON(album.duration),
              "compilation": .bool(album.isCompilation), "rule": .string("\(album.rule)"),
            ])
        }
      case .genres:
        let view = try library.view()
        var counts: [String: Int] = [:]
        for number in 0..<view.index.trackCount {
          for genre in view.track(number).genres { counts[genre, default: 0] += 1 }
        }
        for (genre, count) in counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
          add("\(genre)  (\(count))", ["genre": .string(genre), "tracks": JSON(count)])
        }
      }
      output.flush()
    }
  }

  /// `segue library stats`
  struct Stats: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "stats", abstract: "Print statistics of the library.")

    @Flag(help: "Print one JSON object.") var json = false
    @OptionGroup var protection: ProtectionOptions

    func run() throws {
      let library = try protection.library()
      let (view, badCount) = (try library.view(), try UnreadStore(library).badCount())
      let bad = try UnreadStore(library).bad(limit: 1000) + UnreadStore(library).refused()
      let loudness = try LoudnessStore(library).counts()
      var (seconds, missing, away, plays, rated) = (0.0, 0, 0, 0, 0)
      for number in 0..<view.index.trackCount {
        let track = view.track(number)
        seconds += track.duration ?? 0
        missing += track.state == .missing ? 1 : 0
        away += track.state == .away ? 1 : 0
        plays += track.plays
        rated += track.rating == nil ? 0 : 1
      }
      let index = view.index
      let facts: [(String, Int)] = [
        ("tracks", index.trackCount), ("albums", index.albumCount), ("artists", index.artistCount),
        ("missing", missing), ("away", away), ("bad", badCount), ("plays", plays), ("rated", rated),
        ("measured", loudness.measured), ("unmeasurable", loudness.failed),
        ("hours", Int(seconds / 3600)),
      ]
      var output = LineWriter()
      if json {
        output.add(
          JSON.object(facts.map { ($0.0, JSON($0.1)) } + [("badFiles", .array(bad.map(\.json)))]).description)
      } else {
        for (name, count) in facts { output.add("\(name): \(count)") }
        for file in bad { output.add("cannot be read: \(file.path): \(file.reason)".printable) }
      }
      output.flush()
    }
  }
}

extension BadFile {
  fileprivate var json: JSON { ["path": .string(path.description), "reason": .string(reason)] }
}

extension LibraryTrack {
  /// The object of `search --json`: unknown is `null`.
  var json: JSON {
    func texts(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }
    return [
      "path": .string(path.description), "title": .string(title), "artists": texts(artists),
      "album": album.rule == .noAlbum ? .null : .string(album.title), "albumArtists": texts(album.artists),
      "disc": JSON(disc), "track": JSON(track), "year": JSON(year), "genres": texts(genres),
      "duration": JSON(duration), "rating": JSON(rating), "loved": .bool(isLoved), "plays": JSON(plays),
      "added": .string(addedText), "state": .string(stateText), "server": JSON(path.server),
    ]
  }

  private var stateText: String {
    switch state {
    case .missing: "missing"
    case .away: "away"
    default: "here"
    }
  }

  /// `Artist - Title  (Album)`, and where it is, if not in a folder that is here: `  [home, away]`.
  var line: String {
    let album = album.rule == .noAlbum ? "" : "  (\(album.title))"
    let place = [path.server, state == .here ? nil : stateText].compactMap(\.self).joined(separator: ", ")
    return ((artist.map { "\($0) - " } ?? "") + title + album + (place.isEmpty ? "" : "  [\(place)]")).printable
  }
}
