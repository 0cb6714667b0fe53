internal import ByteIO
internal import Library
internal import Playback
internal import Player

/// The music folder in place of a database: it is read for each request.
enum MPDDatabase: MPDTopic {
  static let commands: [Entry] = [
    entry("lsinfo", 0...1) { (words, _, state) throws(MPDError) in
      let name = words.first ?? ""
      let step = try listing(name, state, isRecursive: false, withFacts: true)
      guard name.isEmpty || name == "/", let playlists = state.places.playlists,
        case .ask(let question, let body) = step
      else { return step }
      // The root has the saved playlists, too.
      return .ask(question) { answer, player in
        guard case .done(let text) = body(answer, player) else { return body(answer, player) }
        return .ask(.listing(playlists, isRecursive: false, withFacts: false)) { answer, _ in
          .done(text + MPDPlaylists.names(answer))
        }
      }
    },
    entry("listall", 0...1) { (words, _, state) throws(MPDError) in
      try listing(words.first ?? "", state, isRecursive: true, withFacts: false)
    },
    entry("listallinfo", 0...1) { (words, _, state) throws(MPDError) in
      try listing(words.first ?? "", state, isRecursive: true, withFacts: true)
    },
    entry("listfiles", 0...1) { (words, _, state) throws(MPDError) in
      let path = try folder(words.first ?? "", state)
      return .ask(.listing(path, isRecursive: false, withFacts: false)) { answer, _ in
        items(answer) { items in
          items.map { item in
            let name = item.location.name.inOneLine
            let size = item.kind == .folder ? "" : "size: \(item.byteCount)\n"
            return (item.kind == .folder ? "directory: " : "file: ") + "\(name)\n\(size)" + modified(item)
          }.joined()
        }
      }
    },
    entry("find", 1...64) { (words, _, state) throws(MPDError) in try find(words, state, isExact: true) },
    entry("search", 1...64) { (words, _, state) throws(MPDError) in try find(words, state, isExact: false) },
    entry("findadd", 1...64) { (words, _, state) throws(MPDError) in
      try found(words, state, isExact: true) { songs in .perform(adding(songs)) }
    },
    entry("searchadd", 1...64) { (words, _, state) throws(MPDError) in
      try found(words, state, isExact: false) { songs in .perform(adding(songs)) }
    },
    entry("count", 1...64) { (words, _, state) throws(MPDError) in
      try found(words, state, isExact: true) { songs in
        let seconds = songs.reduce(0) { $0 + ($1.facts?.duration ?? 0) }
        return .done("songs: \(songs.count)\nplaytime: \(Int(min(seconds, 1e15).rounded()))\n")
      }
    },
    entry("list", 1...64) { (words, _, state) throws(MPDError) in try list(words, state) },
    entry("update", 0...1) { (_, _, state) throws(MPDError) in update(&state) },
    entry("rescan", 0...1) { (_, _, state) throws(MPDError) in update(&state) },
  ]

  private static func update(_ state: inout MPDState) -> MPDStep {
    state.updates += 1
    state.events = [.update, .database]
    return .done("updating_db: \(state.updates)\n")
  }

  private static func folder(_ name: String, _ state: MPDState) throws(MPDError) -> BytePath {
    guard let path = state.places.path(of: name == "/" ? "" : name) else {
      throw MPDError(code: .noExist, text: "No such directory")
    }
    return path
  }

  private static func modified(_ item: DiskItem) -> String {
    item.modified > 0 ? "Last-Modified: \(UTCTime.text(item.modified))\n" : ""
  }

  private static func items(_ answer: DiskAnswer, _ body: ([DiskItem]) -> String) -> MPDStep {
    switch answer {
    case .items(let items): .done(body(items))
    case .done: .done("")
    case .cover, .file, .missing, .exists, .failed: .fail(MPDError(code: .noExist, text: "No such directory"))
    }
  }

  private static func listing(
    _ name: String, _ state: MPDState, isRecursive: Bool, withFacts: Bool
  ) throws(MPDError) -> MPDStep {
    let path = try folder(name, state)
    return .ask(.listing(path, isRecursive: isRecursive, withFacts: withFacts)) { answer, _ in
      items(answer) { items in
        items.map { item in
          let name = state.places.name(of: item.location)
          switch item.kind {
          case .folder: return "directory: \(name)\n" + (withFacts ? modified(item) : "")
          case .playlist: return "playlist: \(name)\n" + (withFacts ? modified(item) : "")
          case .song: return withFacts ? song(item, state) : "file: \(name)\n"
          case .other: return ""
          }
        }.joined()
      }
    }
  }

  private static func song(_ item: DiskItem, _ state: MPDState) -> String {
    MPDSong.text(
      name: state.places.name(of: item.location), item.facts, tagTypes: state.tagTypes,
      modified: item.modified > 0 ? UTCTime.text(item.modified) : nil)
  }

  // MARK: Searching

  /// Takes `sort TAG` and `window START:END` off the end of the words.
  private static func options(
    _ words: [String]
  ) throws(MPDError) -> (words: ArraySlice<String>, sort: String?, window: Range<Int>?) {
    var rest = words[...]
    var (sort, window): (String?, Range<Int>?) = (nil, nil)
    while rest.count >= 3, let name = rest.dropLast().last, ["sort", "window", "position"].contains(name) {
      let value = rest[rest.endIndex - 1]
      if name == "sort" { sort = value }
      if name == "window" { window = try range(value, count: Int(Int32.max)) }
      rest = rest.dropLast(2)
    }
    return (rest, sort, window)
  }

  private static func found(
    _ words: [String], _ state: MPDState, isExact: Bool, _ body: @escaping ([DiskItem]) -> MPDStep
  ) throws(MPDError) -> MPDStep {
    let (rest, sort, window) = try options(words)
    let filter = try MPDFilter(rest, isExact: isExact)
    return .ask(.listing(state.places.music, isRecursive: true, withFacts: true)) { answer, _ in
      guard case .items(let items) = answer else { return body([]) }
      var songs = items.filter { $0.kind == .song && filter.matches($0.facts, state.places.name(of: $0.location)) }
      if let sort {
        let tag = (sort.hasPrefix("-") ? String(sort.dropFirst()) : sort).lowercased()
        let key = { (item: DiskItem) in
          MPDSong.tags(item.facts).first { $0.0.lowercased() == tag }?.1 ?? ""
        }
        let keyed = songs.map { ($0, key($0)) }.sorted { $0.1.lowercased() < $1.1.lowercased() }
        songs = sort.hasPrefix("-") ? keyed.reversed().map(\.0) : keyed.map(\.0)
      }
      if let window { songs = Array(songs[window.clamped(to: songs.indices)]) }
      return body(songs)
    }
  }

  private static func find(_ words: [String], _ state: MPDState, isExact: Bool) throws(MPDError) -> MPDStep {
    try found(words, state, isExact: isExact) { songs in .done(songs.map { song($0, state) }.joined()) }
  }

  private static func adding(_ songs: [DiskItem]) -> [Command] {
    songs.isEmpty ? [] : [.edit(.add(songs.map(\.location), .end))]
  }

  /// `list TYPE [FILTER] [group TYPE]...`, and the old form `list album ARTIST`.
  private static func list(_ words: [String], _ state: MPDState) throws(MPDError) -> MPDStep {
    let tag = try tagName(words[0])
    var rest = words.dropFirst()
    var groups: [String] = []
    while rest.count >= 2, rest[rest.endIndex - 2].lowercased() == "group" {
      groups.insert(try tagName(rest[rest.endIndex - 1]), at: 0)
      rest = rest.dropLast(2)
    }
    let filter: MPDFilter? =
      if rest.isEmpty {
        nil
      } else if rest.count == 1, !(rest.first?.hasPrefix("(") ?? false), tag == "Album" {
        try MPDFilter(["artist", rest[rest.startIndex]], isExact: true)
      } else {
        try MPDFilter(rest, isExact: true)
      }
    let order = groups.reversed() + [tag]
    return .ask(.listing(state.places.music, isRecursive: true, withFacts: true)) { answer, _ in
      guard case .items(let items) = answer else { return .done("") }
      let rows = items.filter { item in
        item.kind == .song && filter?.matches(item.facts, state.places.name(of: item.location)) ?? true
      }.map { item in order.map { value($0, item, state) } }
      let sorted = Set(rows).sorted { $0.lexicographicallyPrecedes($1) }
      var (text, last): (String, [String]) = ("", [])
      for row in sorted {
        // The value of an outer tag is written once.
        let start = zip(row, last).prefix { $0 == $1 }.count
        for place in min(start, row.count - 1)..<row.count { text += "\(order[place]): \(row[place].inOneLine)\n" }
        last = row
      }
      return .done(text)
    }
  }

  private static func value(_ tag: String, _ item: DiskItem, _ state: MPDState) -> String {
    if tag == "file" { return state.places.name(of: item.location) }
    let tags = MPDSong.tags(item.facts)
    let own = tags.first { $0.0 == tag }?.1
    return own ?? (tag == "AlbumArtist" ? tags.first { $0.0 == "Artist" }?.1 : nil) ?? ""
  }

  private static func tagName(_ word: String) throws(MPDError) -> String {
    if word.lowercased() == "file" { return "file" }
    guard let tag = MPDSong.tagType(word) else {
      throw MPDError(code: .argument, text: "Unknown tag type: \(word)")
    }
    return tag
  }
}

/// Times as MPD writes them.
enum UTCTime {
  /// `2026-11-22T23:18:04Z` (days from the civil calendar: Howard Hinnant, "chrono-Compatible Low-Level Date
  /// Algorithms").
  static func text(_ seconds: Int64) -> String {
    let seconds = max(0, min(seconds, 253_402_300_799))
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400)
    let era = days / 146_097
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let two = { (number: Int64) in (number < 10 ? "0" : "") + String(number) }
    let time = "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))"
    return "\(year)-\(two(month))-\(two(day))T\(time)Z"
  }
}
