internal import AudioModel

/// `Chapters` (RFC 9559 5.1.7): the chapters of the default edition, in order of time.
struct MatroskaChapters {
  private static let maximumCount = 1024

  private struct Edition {
    var isHidden = false
    var isDefault = false
    var isOrdered = false
    var chapters: [(start: Int64, title: String)] = []
  }

  /// Their starts in nanoseconds of the segment's time, and their titles.
  private(set) var chapters: [(start: Int64, title: String)] = []

  /// Reads the content of `Chapters`. Ordered editions are played in the order of the file.
  mutating func read(_ content: RawSpan) {
    var editions: [Edition] = []
    content.forEachElement { id, content in
      if id == MatroskaID.editionEntry { editions.append(Self.edition(content)) }
    }
    func rank(_ edition: Edition) -> Int {
      (edition.chapters.isEmpty ? 0 : 8) + (edition.isOrdered ? 0 : 4) + (edition.isHidden ? 0 : 2)
        + (edition.isDefault ? 1 : 0)
    }
    guard let highest = editions.map(rank).max(), let best = editions.first(where: { rank($0) == highest }) else {
      return
    }
    chapters = best.chapters.sorted { $0.start < $1.start }
  }

  private static func edition(_ content: RawSpan) -> Edition {
    var edition = Edition()
    content.forEachElement { id, content in
      switch id {
      case MatroskaID.editionFlagHidden: edition.isHidden = content.ebmlUnsigned != 0
      case MatroskaID.editionFlagDefault: edition.isDefault = content.ebmlUnsigned != 0
      case MatroskaID.editionFlagOrdered: edition.isOrdered = content.ebmlUnsigned != 0
      case MatroskaID.chapterAtom where edition.chapters.count < maximumCount:
        if let chapter = chapter(content) { edition.chapters.append(chapter) }
      default: break
      }
    }
    return edition
  }

  /// Reads a chapter, without nested chapters.
  private static func chapter(_ content: RawSpan) -> (start: Int64, title: String)? {
    var (start, title, isShown) = (0 as Int64, "", true)
    content.forEachElement { id, content in
      switch id {
      case MatroskaID.chapterTimeStart: start = content.ebmlInteger
      case MatroskaID.chapterFlagHidden: isShown = isShown && content.ebmlUnsigned == 0
      case MatroskaID.chapterFlagEnabled: isShown = isShown && content.ebmlUnsigned != 0
      case MatroskaID.chapterDisplay where title.isEmpty:
        content.forEachElement { id, content in
          if id == MatroskaID.chapString { title = content.ebmlString }
        }
      default: break
      }
    }
    return isShown ? (start, title) : nil
  }
}
