public import AudioModel
internal import ByteIO

extension CueSheet {
  /// Longer files are not read as cue sheets.
  public static let byteLimit = 1 << 20

  /// Reads a sheet in UTF-16 with a byte order mark, in UTF-8, or, if it is not valid UTF-8, in the character set that is
  /// chosen or guessed by all of its lines. Pure but for that choice. Lines that make no sense are skipped. The audio
  /// before a track's INDEX 01 belongs to the track before.
  ///
  ///     REM DATE 1981
  ///     PERFORMER "J. S. Bach"
  ///     FILE "Goldberg.flac" WAVE
  ///       TRACK 01 AUDIO
  ///         TITLE "Aria"
  ///         REM REPLAYGAIN_TRACK_GAIN -1.20 dB
  ///         PREGAP 00:02:00           silence that no file holds
  ///         INDEX 00 00:00:00
  ///         INDEX 01 00:00:32         minutes, seconds, frames of 1/75 s
  public init(_ bytes: [UInt8]) {
    let isUTF16 = bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff])
    let text = isUTF16 ? Array((TagText.id3(bytes[...], encoding: 1).first ?? "").utf8) : bytes
    var reader = Reader()
    for line in text.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
      reader.read(line)
    }
    self.init(tracks: reader.finish())
    guard let reading = TextReading(ofLines: text) else { return }
    for index in tracks.indices {
      TagTexts.decode(&tracks[index].tags, in: reading)
      let file = tracks[index].file
      if !isUTF8(file) { tracks[index].fileName = reading.charset.text(file) }
    }
  }

  /// Reads a sheet that a tag holds: its tracks are those of the file which that is in. `nil` if there is none.
  init?(embedded text: String) {
    self.init(Array(text.utf8))
    guard let file = tracks.first?.file else { return nil }
    // The sheet names another file.
    tracks.removeAll { $0.file != file }
    for index in tracks.indices { tracks[index].file = [] }
  }

  /// The same as parts of the file.
  var chapters: [TrackTags.Chapter] {
    tracks.map { track in
      let title = track.tags.title ?? track.tags.trackNumber.map { "Track \($0)" }
      return TrackTags.Chapter(start: track.start.seconds, title: title ?? "")
    }
  }
}

/// The state of reading a sheet.
private struct Reader {
  private var file: [UInt8] = []
  private var whole = TrackTags()
  private var tracks: [CueSheet.Track] = []
  private enum Section {
    case whole
    /// In a track before its start: its fields.
    case track(TrackTags)
    /// In the last of `tracks`.
    case begunTrack
    /// In a track that is not audio.
    case otherTrack
  }
  private var section = Section.whole
  /// Of the track that has not begun yet.
  private var pregap: MediaTime?

  mutating func read(_ line: ArraySlice<UInt8>) {
    var words = Words(line)
    guard let command = words.next().map({ String(marking: $0).uppercased() }) else { return }
    switch command {
    case "FILE": file = words.name() ?? []
    case "TRACK":
      var tags = TrackTags()
      tags.trackNumber = words.number()
      pregap = nil
      section = words.next().map { String(marking: $0).uppercased() } == "AUDIO" ? .track(tags) : .otherTrack
    case "INDEX":
      guard words.number() == 1, let time = words.time(), case .track(let tags) = section, !file.isEmpty else { break }
      tracks.append(CueSheet.Track(file: file, start: time, tags: tags))
      if let pregap { tracks[tracks.count - 1].pregap = pregap }
      section = .begunTrack
    case "PREGAP":
      if case .track = section { pregap = words.gap() }
    case "POSTGAP":
      if case .begunTrack = section, let gap = words.gap() { tracks[tracks.count - 1].postgap = gap }
    case "REM":
      guard let name = words.next(), !name.elementsEqual("COMMENT".utf8) else { break }
      set(words.text(), String(marking: name))
    case "TITLE", "PERFORMER", "SONGWRITER", "ISRC": set(words.text(), command)
    default: break
    }
  }

  /// The tracks, with the fields that apply to all of them.
  func finish() -> [CueSheet.Track] {
    var common = whole
    (common.title, common.album) = (nil, whole.title)
    common.albumArtist = whole.artist
    return tracks.map { track in
      var track = track
      track.tags = track.tags.filled(from: common)
      track.tags.trackCount = tracks.count
      return track
    }
  }

  private mutating func set(_ value: String?, _ command: String) {
    guard let value else { return }
    let name = ["PERFORMER": "ARTIST", "SONGWRITER": "COMPOSER"][command] ?? command
    switch section {
    case .whole: whole.add(value, named: name)
    case .track(var tags):
      tags.add(value, named: name)
      section = .track(tags)
    case .begunTrack: tracks[tracks.count - 1].tags.add(value, named: name)
    case .otherTrack: break
    }
  }
}

/// The parts of a line: words, and texts in quotes of either kind, which may hold more of the same kind.
private struct Words {
  private var rest: ArraySlice<UInt8>

  init(_ line: ArraySlice<UInt8>) {
    rest = line.starts(with: [0xef, 0xbb, 0xbf]) ? line.dropFirst(3) : line
  }

  mutating func next() -> ArraySlice<UInt8>? {
    rest = rest.drop { $0 <= 0x20 }
    let word = rest.prefix { $0 > 0x20 }
    rest = rest[word.endIndex...]
    return word.isEmpty ? nil : word
  }

  mutating func number() -> Int? {
    next().flatMap { Int(String(decoding: $0, as: UTF8.self)) }.flatMap { 0...99 ~= $0 ? $0 : nil }
  }

  /// `mm:ss:ff`; minutes may be more than 99.
  mutating func time() -> MediaTime? {
    let parts = next()?.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      .map { Int64(String(decoding: $0, as: UTF8.self)) }
    guard let parts, parts.count == 3, let minutes = parts[0], let seconds = parts[1], let frames = parts[2],
      0...99_999 ~= minutes, 0..<60 ~= seconds, 0..<75 ~= frames
    else { return nil }
    return MediaTime((minutes * 60 + seconds) * 75 + frames, timescale: 75)
  }

  /// A time that a compact disc has room for.
  mutating func gap() -> MediaTime? { time().flatMap { $0 < MediaTime(6000, timescale: 1) ? $0 : nil } }

  /// The rest of the line, without quotes; `nil` if it is empty.
  mutating func text() -> String? {
    rest = rest.drop { $0 <= 0x20 }
    let end = rest.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? rest.startIndex
    let text = unquoted(rest[..<end])
    return text.isEmpty ? nil : String(marking: text)
  }

  /// A name in quotes, or up to the last word, which says what kind of file it is.
  mutating func name() -> [UInt8]? {
    rest = rest.drop { $0 <= 0x20 }
    let end = rest.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? rest.startIndex
    let words = rest[..<end]
    if let quote = words.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
      let last = words.lastIndex(of: quote), last > words.startIndex
    {
      return Array(words[(words.startIndex + 1)..<last])
    }
    guard let gap = words.lastIndex(where: { $0 <= 0x20 }) else { return Array(words) }
    let name = words[..<gap]
    return Array(name[..<(name.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? name.endIndex)])
  }

  private func unquoted(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard text.count >= 2, let quote = text.first, quote == text.last,
      quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    else { return text }
    return text.dropFirst().dropLast()
  }
}
