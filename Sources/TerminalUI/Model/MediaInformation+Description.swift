public import AudioModel
internal import Cells
public import Playback
internal import Commands

extension ReadingMethod {
  fileprivate var words: String {
    switch self {
    case .stream: "sequential"
    case .file: "seekable"
    case .libav: "libavformat"
    }
  }
}

extension MediaInformation {
  /// Names and values of all known facts.
  ///
  /// - Parameter withCodes: True to add four-character codes and byte offsets.
  public func described(method: ReadingMethod, withCodes: Bool) -> [(name: String, value: String)] {
    let facts: [(name: String, value: String?)] =
      tagFacts(withCodes: withCodes) + [
        ("duration", duration.map { (durationIsEstimated ? "~" : "") + preciseTimeText($0) }),
        ("format", dataFormat.map { $0.words(withCode: withCodes) }),
        ("bits", sourceBitDepth.map { $0 < 0 ? "\(-$0), float" : "\($0)" }),
        ("bit rate", bitRate.map { "\(($0 &+ 500) / 1000) kbit/s" + (hasVariableBitRate ? ", variable" : "") }),
        ("file type", fileType.map { named($0.name, code: withCodes ? "\($0)" : nil) }),
        ("packets", packetCount.map(String.init)),
        ("packet size", maximumPacketSize.map { "at most \($0) bytes" }),
        (
          "frames",
          packetTable.map {
            "\($0.validFrames) (gapless: trims \($0.primingFrames) at start, \($0.remainderFrames) at end)"
          }
        ),
        ("audio", dataOffset.flatMap { placeText($0, withOffset: withCodes) }),
        (
          "audio bytes",
          audioDataByteCount.map { withCodes ? String($0) : "\(grouped(Int(clamping: $0))), \(sizeText($0))" }
        ),
        ("reader", method.words),
      ]
    return facts.compactMap { fact in fact.value.map { (fact.name, $0) } }
  }

  /// Names and values of the tags, without the chapters.
  ///
  /// - Parameter withCodes: True to add byte offsets.
  public func describedTags(withCodes: Bool) -> [(name: String, value: String)] {
    tagFacts(withCodes: withCodes).compactMap { fact in fact.value.map { (fact.name, $0) } }
  }

  public var describedChapters: [(name: String, value: String)] {
    tags.chapters.map { ("chapter", "\(preciseTimeText($0.start)) \($0.title)") }
  }

  private func placeText(_ offset: Int64, withOffset: Bool) -> String? {
    let header = isOptimized ? nil : "header at the end (not streamable)"
    guard withOffset else { return header }
    return (["from byte \(offset)"] + (header.map { [$0] } ?? [])).joined(separator: "; ")
  }

  private func tagFacts(withCodes: Bool) -> [(name: String, value: String?)] {
    [
      ("title", tags.title), ("artist", tags.artist), ("album", tags.album), ("album artist", tags.albumArtist),
      ("track", numbered(tags.trackNumber, of: tags.trackCount)),
      ("disc", numbered(tags.discNumber, of: tags.discCount)), ("date", tags.date), ("genre", tags.genre),
      ("composer", tags.composer), ("comment", tags.comment), ("copyright", tags.copyright), ("isrc", tags.isrc),
      ("text", tags.fields.first(.charset)),
      ("gain", loudness(tags.gain.track, peak: tags.gain.trackPeak)),
      ("album gain", loudness(tags.gain.album, peak: tags.gain.albumPeak)),
      ("lyrics", (tags.syncedLyrics ?? tags.lyrics).map { "\($0.split(whereSeparator: \.isNewline).count) lines" }),
    ] + tags.artwork.map { ("cover art", withCodes ? $0.exactWords : $0.words) }
  }

  private func loudness(_ gain: Double?, peak: Double?) -> String? {
    gain.map { "\($0) dB" + (peak.map { ", peak \($0)" } ?? "") }
  }

  private func numbered(_ number: Int?, of count: Int?) -> String? {
    number.map { number in "\(number)" + (count.map { " of \($0)" } ?? "") }
  }
}

extension TrackTags.Artwork {
  fileprivate var exactWords: String { "\(mimeType), \(byteCount) bytes from byte \(byteOffset)" }

  fileprivate var words: String {
    let kind = mimeType.split(separator: "/").last.map { $0.uppercased() } ?? "unknown format"
    return "\(kind), " + (byteCount < 1000 ? "\(byteCount) bytes" : "\((byteCount + 500) / 1000) kB")
  }
}

extension AudioStreamBasicDescription {
  fileprivate func words(withCode: Bool) -> String {
    let rate = Int(exactly: sampleRate).map(String.init) ?? String(sampleRate)
    let channels =
      switch channelsPerFrame {
      case 1: "mono"
      case 2: "stereo"
      default: "\(channelsPerFrame) channels"
      }
    return "\(named(formatID.name, code: withCode ? "\(formatID)" : nil)), \(rate) Hz, \(channels)"
  }
}

/// A name, and its code in brackets if that says more.
private func named(_ name: String, code: String?) -> String {
  code.map { $0 == name ? name : "\(name) (\($0))" } ?? name
}

/// `12.3 MB`.
private func sizeText(_ byteCount: Int64) -> String {
  let tenths = (max(0, byteCount) / 1000 + 50) / 100
  return tenths > 0 ? "\(tenths / 10).\(tenths % 10) MB" : "\((max(0, byteCount) + 500) / 1000) kB"
}

/// Hours only if there are any, and thousandths: `3:25.040`.
private func preciseTimeText(_ seconds: Double) -> String {
  guard let milliseconds = Int(exactly: (seconds * 1000).rounded()), milliseconds >= 0 else { return "--:--" }
  let thousandths = String(milliseconds % 1000 + 1000).dropFirst()
  return timeText(Double(milliseconds / 1000)) + "." + thousandths
}
