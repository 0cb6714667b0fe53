internal import ArgumentParser
internal import AudioModel
internal import ByteIO
internal import Commands
internal import Library
internal import Playback
internal import Player
internal import Streaming
internal import TerminalUI

/// `segue info`: facts about inputs, without decoding them.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Show format, duration and tags.")

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var protection: ProtectionOptions
  @Flag(help: "Print one JSON object per input, each on its own line.") var json = false
  @Argument(help: "Audio files or addresses.") var inputs: [BytePath]

  func run() throws {
    ConfigurationFiles.chooseCharset()
    protection.enter(reading.streams)
    var (count, failureCount, printedCount) = (0, 0, 0)
    let network = reading.network
    defer { network.shutDown() }
    var locations: [MediaLocation] = []
    for input in inputs {
      guard input.fileExtension == "cue" else {
        locations.append(MediaLocation(input))
        continue
      }
      let collection = MediaCollector(playableExtensions: [], network: network).collect([input])
      locations += collection.entries.map(\.location)
      for failure in collection.failures { report(failure.path, failure.problem(.place)) }
      failureCount += collection.failures.count
    }
    for location in locations {
      do throws(TrackError) {
        let reader = try PacketReader(location: location, via: reading.via, network: network)
        if try reader.next() == nil, !reader.damage.isEmpty { throw TrackError.nothingDecodable(reader.damage) }
        // Tags at the end, and facts that headers lack, need a look at all packets.
        if reader.segment == nil || reader.trackInformation.durationIsEstimated { reader.completeIndex() }
        print(json ? JSON.of(reader, location).description : plainText(reader, location), &printedCount)
        count += 1
      } catch {
        var information = MediaInformation()
        information.tags = TrackReader.tags(ofUnplayable: location)
        if information.tags != TrackTags() {
          let facts = information.describedTags(withCodes: true) + information.describedChapters
          let text = json ? JSON.of(information.tags, location, error).description : plainText(facts, location)
          print(text, &printedCount)
        }
        report(location, error)
        failureCount += 1
      }
    }
    if failureCount > 0 { throw count == 0 ? ExitCode.nothingPlayable : .someFailed }
  }

  private func print(_ text: String, _ printedCount: inout Int) {
    var output = LineWriter()
    if printedCount > 0, !json { output.add("") }
    output.add(text)
    output.flush()
    printedCount += 1
  }

  private func plainText(_ reader: PacketReader, _ location: MediaLocation) -> String {
    let information = reader.trackInformation
    return plainText(
      information.described(method: reader.method, withCodes: true) + information.describedChapters, location)
  }

  /// One line per known fact.
  private func plainText(_ facts: [(name: String, value: String)], _ location: MediaLocation) -> String {
    let lines = facts.map { name, value in
      "  " + name + String(repeating: " ", count: max(1, 13 - name.count)) + value.printable
    }
    return ([location.description.printable] + lines).joined(separator: "\n")
  }
}

extension ReadingMethod {
  fileprivate var word: String {
    switch self {
    case .stream: "stream"
    case .file: "file"
    case .libav: "libav"
    }
  }
}

extension JSON {
  /// The object of `info --json`: unknown values are `null`; `tags` has existing tags only.
  fileprivate static func of(_ reader: PacketReader, _ location: MediaLocation) -> JSON {
    let information = reader.trackInformation
    return [
      "path": .string(location.description),
      "via": .string(reader.method.word),
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

  /// The object of a file whose audio cannot be read.
  fileprivate static func of(_ tags: TrackTags, _ location: MediaLocation, _ error: TrackError) -> JSON {
    [
      "path": .string(location.description), "error": .string(error.description), "tags": Self.tags(tags),
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

  private static func texts(_ texts: [String]) -> JSON { list(texts.map { .string($0) }) }

  private static func tags(_ tags: TrackTags) -> JSON {
    let all: [(String, JSON)] = [
      ("title", JSON(tags.title)), ("artist", JSON(tags.artist)), ("artists", texts(tags.artists)),
      ("album", JSON(tags.album)), ("albumArtist", JSON(tags.albumArtist)), ("albumArtists", texts(tags.albumArtists)),
      ("trackNumber", JSON(tags.trackNumber)),
      ("trackCount", JSON(tags.trackCount)), ("discNumber", JSON(tags.discNumber)), ("discCount", JSON(tags.discCount)),
      ("date", JSON(tags.date)), ("genre", JSON(tags.genre)), ("genres", texts(tags.genres)),
      ("composer", JSON(tags.composer)), ("composers", texts(tags.composers)),
      ("comment", JSON(tags.comment)), ("copyright", JSON(tags.copyright)), ("isrc", JSON(tags.isrc)),
      ("lyrics", JSON(tags.lyrics)),
      ("trackGain", JSON(tags.gain.track)),
      ("trackPeak", JSON(tags.gain.trackPeak)), ("albumGain", JSON(tags.gain.album)),
      ("albumPeak", JSON(tags.gain.albumPeak)), ("artwork", list(tags.artwork.map(artwork))),
      ("chapters", list(tags.chapters.map { ["start": JSON($0.start), "title": .string($0.title)] })),
    ]
    let fields = TrackTags.Fields.Name.allCases.filter { !$0.isLeftOut }.map { name in
      (name.rawValue, name.isShownAsList ? texts(tags.fields[name]) : JSON(tags.fields.first(name)))
    }
    return .object((all + fields).filter { if case .null = $0.1 { false } else { true } })
  }
}

extension TrackTags.Fields.Name {
  /// True if its values are those of `artists`, `albumArtists`, `composers`, `genres` or `comment`, or for searches only.
  fileprivate var isLeftOut: Bool {
    [.artist, .artists, .albumArtist, .albumArtists, .composer, .genre, .comment, .latin1Names].contains(self)
  }

  /// Of some names only the first value was read in earlier versions, and programs expect one text.
  fileprivate var isShownAsList: Bool {
    isList
      && ![.artistSort, .albumArtistSort, .composerSort, .workID, .work, .grouping, .ensemble, .location]
        .contains(self)
  }
}
