internal import ArgumentParser
internal import AudioModel
internal import ByteIO
internal import Library
internal import Playback
internal import Streaming

/// `segue info`: what is known of inputs without decoding them.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Say what inputs hold: format, duration, tags.")

  @OptionGroup var reading: ReadingOptions
  @Flag(help: "One JSON object per input, a line each.") var json = false
  @Argument(help: "Audio files, or addresses of some.") var inputs: [BytePath]

  func run() throws {
    var failureCount = 0
    let network = reading.network
    defer { network.shutDown() }
    for (index, input) in inputs.enumerated() {
      let location = MediaLocation(input)
      do throws(TrackError) {
        let reader = try PacketReader(location: location, via: reading.via, network: network)
        // Tags at the end and what headers leave open come with a look at all packets.
        reader.completeIndex()
        var output = LineWriter()
        if index > 0, !json { output.add("") }
        output.add(json ? JSON.of(reader, location).description : plainText(reader, location))
        output.flush()
      } catch {
        report(location, error)
        failureCount += 1
      }
    }
    if failureCount > 0 { throw failureCount == inputs.count ? ExitCode.nothingPlayable : .someFailed }
  }

  /// A line per fact; what is not known has none.
  private func plainText(_ reader: PacketReader, _ location: MediaLocation) -> String {
    let information = reader.information
    let tags = information.tags
    let facts: [(name: String, value: String?)] =
      [
        ("title", tags.title), ("artist", tags.artist), ("album", tags.album), ("album artist", tags.albumArtist),
        ("track", numbered(tags.trackNumber, of: tags.trackCount)),
        ("disc", numbered(tags.discNumber, of: tags.discCount)), ("date", tags.date), ("genre", tags.genre),
        ("composer", tags.composer), ("comment", tags.comment), ("copyright", tags.copyright),
        ("gain", loudness(tags.gain.track, peak: tags.gain.trackPeak)),
        ("album gain", loudness(tags.gain.album, peak: tags.gain.albumPeak)),
        ("lyrics", tags.lyrics.map { "\($0.split(whereSeparator: \.isNewline).count) lines" }),
      ]
      + tags.artwork.map { ("picture", "\($0.mimeType), \($0.byteCount) bytes from byte \($0.byteOffset)") }
      + tags.chapters.map { ("chapter", "\(clockTime($0.start)) \($0.title)") } + [
        ("duration", information.duration.map { (information.durationIsEstimated ? "~" : "") + clockTime($0) }),
        ("format", information.dataFormat.map(plainText)),
        ("bit rate", information.bitRate.map { "\(($0 + 500) / 1000) kbit/s" }),
        ("packets", information.packetCount.map(String.init)),
        (
          "frames",
          information.packetTable.map {
            "\($0.validFrames) (\($0.primingFrames) before and \($0.remainderFrames) behind are not heard)"
          }
        ),
        (
          "audio", information.dataOffset.map { "from byte \($0)" + (information.isOptimized ? "" : ", not optimized") }
        ),
        ("read by", reader.method == .stream ? "stream parser" : "random access"),
      ]
    let lines = facts.compactMap { fact in
      fact.value.map { "  " + fact.name + String(repeating: " ", count: 13 - fact.name.count) + $0.printable }
    }
    return ([location.description.printable] + lines).joined(separator: "\n")
  }

  private func plainText(_ format: AudioStreamBasicDescription) -> String {
    let rate = Int(exactly: format.sampleRate).map(String.init) ?? String(format.sampleRate)
    return "\(format.formatID), \(rate) Hz, \(format.channelsPerFrame) "
      + (format.channelsPerFrame == 1 ? "channel" : "channels")
  }

  private func loudness(_ gain: Double?, peak: Double?) -> String? {
    gain.map { "\($0) dB" + (peak.map { ", peak \($0)" } ?? "") }
  }

  private func numbered(_ number: Int?, of count: Int?) -> String? {
    number.map { number in "\(number)" + (count.map { " of \($0)" } ?? "") }
  }

  /// Hours only if there are any: `3:25.040`.
  private func clockTime(_ seconds: Double) -> String {
    guard let milliseconds = Int(exactly: (seconds * 1000).rounded()) else { return "--:--" }
    func padded(_ value: Int, _ width: Int) -> String {
      String(repeating: "0", count: max(0, width - String(value).count)) + String(value)
    }
    let (hours, minutes) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60)
    return (hours > 0 ? "\(hours):\(padded(minutes, 2))" : "\(minutes)")
      + ":\(padded(milliseconds / 1000 % 60, 2)).\(padded(milliseconds % 1000, 3))"
  }
}

extension JSON {
  /// The object of `info --json` (DESIGN section 3): unknown is `null`; of `tags` only those that there are.
  fileprivate static func of(_ reader: PacketReader, _ location: MediaLocation) -> JSON {
    let information = reader.information
    return [
      "path": .string(location.description),
      "via": .string(reader.method == .stream ? "stream" : "file"),
      "fileType": JSON(information.fileType?.description),
      "dataFormat": information.dataFormat.map(format) ?? .null,
      "formatList": .array(information.formatList.map(format)),
      "duration": JSON(information.duration),
      "durationIsEstimated": .bool(information.durationIsEstimated),
      "bitRate": JSON(information.bitRate),
      "dataOffset": JSON(information.dataOffset),
      "audioDataByteCount": JSON(information.audioDataByteCount),
      "packetCount": JSON(information.packetCount),
      "maximumPacketSize": JSON(information.maximumPacketSize),
      "packetSizeUpperBound": JSON(information.packetSizeUpperBound),
      "validFrames": JSON(information.packetTable?.validFrames),
      "primingFrames": JSON(information.packetTable?.primingFrames),
      "remainderFrames": JSON(information.packetTable?.remainderFrames),
      "channelMask": information.channelMask == 0 ? .null : JSON(information.channelMask),
      "optimized": .bool(information.isOptimized),
      "tags": tags(information.tags),
    ]
  }

  private static func format(_ format: AudioStreamBasicDescription) -> JSON {
    [
      "formatID": .string(format.formatID.description),
      "sampleRate": JSON(format.sampleRate),
      "channelsPerFrame": JSON(format.channelsPerFrame),
      "framesPerPacket": JSON(format.framesPerPacket),
      "bytesPerPacket": JSON(format.bytesPerPacket),
      "bytesPerFrame": JSON(format.bytesPerFrame),
      "bitsPerChannel": JSON(format.bitsPerChannel),
      "formatFlags": JSON(format.formatFlags),
    ]
  }

  private static func list(_ elements: [JSON]) -> JSON { elements.isEmpty ? .null : .array(elements) }

  private static func artwork(_ artwork: TrackTags.Artwork) -> JSON {
    [
      "byteOffset": JSON(artwork.byteOffset), "byteCount": JSON(artwork.byteCount),
      "mimeType": .string(artwork.mimeType),
    ]
  }

  private static func tags(_ tags: TrackTags) -> JSON {
    let all: [(String, JSON)] = [
      ("title", JSON(tags.title)), ("artist", JSON(tags.artist)), ("album", JSON(tags.album)),
      ("albumArtist", JSON(tags.albumArtist)), ("trackNumber", JSON(tags.trackNumber)),
      ("trackCount", JSON(tags.trackCount)), ("discNumber", JSON(tags.discNumber)), ("discCount", JSON(tags.discCount)),
      ("date", JSON(tags.date)), ("genre", JSON(tags.genre)), ("composer", JSON(tags.composer)),
      ("comment", JSON(tags.comment)), ("copyright", JSON(tags.copyright)), ("lyrics", JSON(tags.lyrics)),
      ("trackGain", JSON(tags.gain.track)),
      ("trackPeak", JSON(tags.gain.trackPeak)), ("albumGain", JSON(tags.gain.album)),
      ("albumPeak", JSON(tags.gain.albumPeak)), ("artwork", list(tags.artwork.map(artwork))),
      ("chapters", list(tags.chapters.map { ["start": JSON($0.start), "title": .string($0.title)] })),
    ]
    return .object(all.filter { if case .null = $0.1 { false } else { true } })
  }
}
