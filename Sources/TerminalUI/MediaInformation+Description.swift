public import AudioModel
public import Playback

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
  public func described(method: ReadingMethod) -> [(name: String, value: String)] {
    let facts: [(name: String, value: String?)] =
      tagFacts + [
        ("duration", duration.map { (durationIsEstimated ? "~" : "") + preciseTimeText($0) }),
        ("format", dataFormat.map(\.words)),
        ("bits", sourceBitDepth.map { $0 < 0 ? "\(-$0), float" : "\($0)" }),
        ("bit rate", bitRate.map { "\(($0 &+ 500) / 1000) kbit/s" }),
        ("file type", fileType.map(\.description)),
        ("packets", packetCount.map(String.init)),
        ("packet size", maximumPacketSize.map { "at most \($0) bytes" }),
        (
          "frames",
          packetTable.map {
            "\($0.validFrames) (gapless: trims \($0.primingFrames) at start, \($0.remainderFrames) at end)"
          }
        ),
        ("audio", dataOffset.map { "from byte \($0)" + (isOptimized ? "" : "; header at the end (not streamable)") }),
        ("audio bytes", audioDataByteCount.map(String.init)),
        ("reader", method.words),
      ]
    return facts.compactMap { fact in fact.value.map { (fact.name, $0) } }
  }

  /// Names and values of its chapters.
  public var describedChapters: [(name: String, value: String)] {
    tags.chapters.map { ("chapter", "\(preciseTimeText($0.start)) \($0.title)") }
  }

  private var tagFacts: [(name: String, value: String?)] {
    [
      ("title", tags.title), ("artist", tags.artist), ("album", tags.album), ("album artist", tags.albumArtist),
      ("track", numbered(tags.trackNumber, of: tags.trackCount)),
      ("disc", numbered(tags.discNumber, of: tags.discCount)), ("date", tags.date), ("genre", tags.genre),
      ("composer", tags.composer), ("comment", tags.comment), ("copyright", tags.copyright), ("isrc", tags.isrc),
      ("gain", loudness(tags.gain.track, peak: tags.gain.trackPeak)),
      ("album gain", loudness(tags.gain.album, peak: tags.gain.albumPeak)),
      ("lyrics", (tags.syncedLyrics ?? tags.lyrics).map { "\($0.split(whereSeparator: \.isNewline).count) lines" }),
    ] + tags.artwork.map { ("cover art", "\($0.mimeType), \($0.byteCount) bytes from byte \($0.byteOffset)") }
  }

  private func loudness(_ gain: Double?, peak: Double?) -> String? {
    gain.map { "\($0) dB" + (peak.map { ", peak \($0)" } ?? "") }
  }

  private func numbered(_ number: Int?, of count: Int?) -> String? {
    number.map { number in "\(number)" + (count.map { " of \($0)" } ?? "") }
  }
}

extension AudioStreamBasicDescription {
  fileprivate var words: String {
    let rate = Int(exactly: sampleRate).map(String.init) ?? String(sampleRate)
    return "\(formatID), \(rate) Hz, \(channelsPerFrame) \(channelsPerFrame == 1 ? "channel" : "channels")"
  }
}

/// Hours only if there are any, and thousandths: `3:25.040`.
private func preciseTimeText(_ seconds: Double) -> String {
  guard let milliseconds = Int(exactly: (seconds * 1000).rounded()), milliseconds >= 0 else { return "--:--" }
  let thousandths = String(milliseconds % 1000 + 1000).dropFirst()
  return timeText(Double(milliseconds / 1000)) + "." + thousandths
}
