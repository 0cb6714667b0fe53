internal import AudioModel

/// The tags in `Tags` (RFC 9559 5.1.8).
///
/// Tags have a level: 50 is the album, 30 the track. Most audio writers follow it; ffmpeg and others put all tags into
/// one without a level, with the names of Vorbis comments. The names of the album in those are used here, too.
struct MatroskaTags {
  /// Limits of tags that are read, and of bytes of text that are kept.
  private static let maximumCount = 1024
  private static let maximumTextByteCount = 0x20000
  private static let trackLevel: UInt64 = 30
  private static let albumLevel: UInt64 = 50

  private struct Entry {
    var level: UInt64
    var name: String
    var value: String
  }

  private var entries: [Entry] = []
  private var textByteCount = 0

  /// Reads the content of a `Tag` for the whole segment or for the track `uid`.
  mutating func read(_ content: RawSpan, trackUID uid: UInt64) {
    var (level, isForOther, isForTrack, isForOurs) = (nil as UInt64?, false, false, false)
    content.forEachElement { id, content in
      guard id == MatroskaID.targets else { return }
      content.forEachElement { id, content in
        switch id {
        case MatroskaID.targetTypeValue: level = content.ebmlUnsigned
        case MatroskaID.tagTrackUID where content.ebmlUnsigned != 0:
          isForTrack = true
          if content.ebmlUnsigned == uid { isForOurs = true }
        case MatroskaID.tagChapterUID, MatroskaID.tagAttachmentUID, MatroskaID.tagEditionUID:
          if content.ebmlUnsigned != 0 { isForOther = true }
        default: break
        }
      }
    }
    guard !isForOther, isForOurs || !isForTrack else { return }
    let usual = isForTrack ? Self.trackLevel : Self.albumLevel
    // Higher levels describe the collection that the album is in.
    guard level ?? usual <= Self.albumLevel else { return }
    content.forEachElement { id, content in
      if id == MatroskaID.simpleTag { readSimple(content, level: level ?? usual) }
    }
  }

  /// Reads a `SimpleTag`. Nested ones, such as sort names, describe the tag and are ignored.
  private mutating func readSimple(_ content: RawSpan, level: UInt64) {
    var (name, value) = ("", "")
    content.forEachElement { id, content in
      if id == MatroskaID.tagName { name = content.ebmlString.uppercased() }
      if id == MatroskaID.tagString { value = content.ebmlString }
    }
    textByteCount += name.utf8.count + value.utf8.count
    guard !name.isEmpty, !value.isEmpty, entries.count < Self.maximumCount,
      textByteCount <= Self.maximumTextByteCount
    else { return }
    entries.append(Entry(level: level, name: name, value: value))
  }

  /// The tags; `title` is the title of the segment.
  func tags(title: String) -> TrackTags {
    let names = hasLevels(title: title) ? Self.ofAlbum : Self.usual
    var (track, album) = (TrackTags(), TrackTags())
    for entry in entries where entry.level <= Self.trackLevel { track.add(entry.value, named: Self.usual(entry.name)) }
    for entry in entries where entry.level > Self.trackLevel { album.add(entry.value, named: names(entry.name)) }
    var tags = track.filled(from: album)
    (tags.trackCount, tags.discCount) = (tags.trackCount ?? album.trackCount, tags.discCount ?? album.discCount)
    if tags.title == nil { tags.add(title, named: "TITLE") }
    return tags
  }

  /// True if the title of the album level is the album's name.
  private func hasLevels(title: String) -> Bool {
    guard let album = entries.first(where: { $0.level > Self.trackLevel && $0.name == "TITLE" }) else {
      return entries.contains { $0.level <= Self.trackLevel && $0.name == "TITLE" }
    }
    let hasTitle = entries.contains { $0.level <= Self.trackLevel && $0.name == "TITLE" }
    let hasAlbum = entries.contains { $0.name == "ALBUM" }
    return !hasAlbum && (hasTitle || !title.isEmpty && title != album.value)
  }

  /// The corresponding name in Vorbis comments.
  private static func usual(_ name: String) -> String {
    [
      "PART_NUMBER": "TRACKNUMBER", "TOTAL_PARTS": "TRACKTOTAL", "DATE_RELEASED": "DATE", "DATE_RECORDED": "DATE",
      "LEAD_PERFORMER": "ARTIST", "REPLAYGAIN_GAIN": "REPLAYGAIN_TRACK_GAIN",
      "REPLAYGAIN_PEAK": "REPLAYGAIN_TRACK_PEAK", "SUMMARY": "DESCRIPTION",
      "COMMENTS": "COMMENT",
    ][name] ?? name
  }

  /// The corresponding name for a tag of the album; empty for tags that a track does not inherit.
  private static func ofAlbum(_ name: String) -> String {
    switch name {
    case "TITLE": "ALBUM"
    case "ARTIST", "LEAD_PERFORMER": "ALBUMARTIST"
    case "TOTAL_PARTS": "TRACKTOTAL"
    case "PART_NUMBER": "DISCNUMBER"
    case "REPLAYGAIN_GAIN": "REPLAYGAIN_ALBUM_GAIN"
    case "REPLAYGAIN_PEAK": "REPLAYGAIN_ALBUM_PEAK"
    case "COMMENT", "COMMENTS", "DESCRIPTION", "SUMMARY", "ISRC", "LYRICS": ""
    default: usual(name)
    }
  }
}
