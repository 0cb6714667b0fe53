internal import AudioModel
internal import ByteIO

/// Reads the marked texts of a file's tags, all in one character set. Keeps the last result: information is asked for
/// often.
struct TagTexts {
  private var last: (marked: TrackTags, chosen: Charset?, read: TrackTags)?

  /// The tags without marks. `.charset` of their fields names the character set, if there were any.
  mutating func read(_ tags: TrackTags) -> TrackTags {
    guard Self.hasMarks(tags) else { return tags }
    let chosen = Charset.chosen
    if let last, last.chosen == chosen, last.marked == tags { return last.read }
    var read = tags
    Self.decode(&read, in: TextReading(of: Self.markedTexts(of: tags), chosen: chosen))
    last = (tags, chosen, read)
    return read
  }

  /// Reads marked texts in a character set.
  static func decode(_ tags: inout TrackTags, in reading: TextReading) {
    guard hasMarks(tags) else { return }
    if reading.charset != .windows1252 {
      for case let name? in [tags.title, tags.artist, tags.album, tags.albumArtist] where name.hasMarks {
        tags.fields.append(name.decoded(as: .windows1252), to: .latin1Names)
      }
    }
    for text in texts {
      if let marked = tags[keyPath: text], marked.hasMarks { tags[keyPath: text] = marked.decoded(as: reading.charset) }
    }
    tags.fields.mapValues { $0.decoded(as: reading.charset) }
    for index in tags.chapters.indices {
      tags.chapters[index].title = tags.chapters[index].title.decoded(as: reading.charset)
    }
    if var sheet = tags.cueSheet {
      for index in sheet.tracks.indices { decode(&sheet.tracks[index].tags, in: reading) }
      tags.cueSheet = sheet
    }
    tags.fields.append(reading.description, to: .charset)
  }

  private static var texts: [WritableKeyPath<TrackTags, String?>] {
    [
      \.title, \.artist, \.album, \.albumArtist, \.date, \.genre, \.composer, \.comment, \.copyright, \.isrc, \.lyrics,
    ]
  }

  /// True if the encoding of a text is not known yet. Without key paths, which take time.
  private static func hasMarks(_ tags: TrackTags) -> Bool {
    let texts = [
      tags.title, tags.artist, tags.album, tags.albumArtist, tags.date, tags.genre, tags.composer, tags.comment,
      tags.copyright, tags.isrc, tags.lyrics,
    ]
    return texts.contains { $0?.hasMarks == true } || tags.fields.contains { $0.hasMarks }
      || tags.chapters.contains { $0.title.hasMarks } || tags.cueSheet?.tracks.contains { hasMarks($0.tags) } == true
  }

  /// The bytes of the marked texts, each text once.
  private static func markedTexts(of tags: TrackTags) -> [[UInt8]] {
    var marked = texts.compactMap { tags[keyPath: $0]?.markedBytes }
    marked += tags.fields.allValues.compactMap(\.markedBytes) + tags.chapters.compactMap(\.title.markedBytes)
    marked += (tags.cueSheet?.tracks ?? []).flatMap { markedTexts(of: $0.tags) }
    var known = Set<[UInt8]>()
    return marked.filter { known.insert($0).inserted }
  }
}
