import AudioModel
import Testing

@testable import Containers

@Suite(.enabled(if: Fixtures.isPresent, "no fixtures: make fixtures"))
struct `Matroska and WebM files that ffmpeg and mkvmerge made` {
  /// The contents of the file.
  struct Fixture: Sendable, CustomStringConvertible {
    var name: String
    var source: String
    var formatID: AudioFormatID
    var framesPerPacket = 1
    /// Frames of priming.
    var priming = 0
    /// Frames that are heard besides the source's, as encoders fill the last packet.
    var extra: Int64 = 0
    var description: String { name }
  }

  static let fixtures =
    [
      Fixture(name: "mkv-vorbis.webm", source: "44100-stereo", formatID: .vorbis, framesPerPacket: 0, extra: 23),
      Fixture(name: "mkv-aac.mka", source: "e2-44100", formatID: .aac, framesPerPacket: 1024, extra: 1450),
      Fixture(name: "mkv-flac.mka", source: "44100-stereo", formatID: .flac, framesPerPacket: 4608),
      Fixture(name: "mkv-alac.mka", source: "44100-stereo", formatID: .appleLossless, framesPerPacket: 4096),
      Fixture(name: "mkv-mp3.mka", source: "44100-stereo", formatID: .mpegLayer3, framesPerPacket: 1152),
      Fixture(name: "mkv-mp3-22050.mka", source: "22050-stereo", formatID: .mpegLayer3, framesPerPacket: 576),
      Fixture(name: "mkv-mp2.mka", source: "44100-stereo", formatID: .mpegLayer2, framesPerPacket: 1152),
      Fixture(name: "mkv-ac3.mka", source: "48000-stereo", formatID: .ac3, framesPerPacket: 1536),
      Fixture(name: "mkv-eac3.mka", source: "48000-stereo", formatID: .enhancedAC3, framesPerPacket: 1536),
      Fixture(name: "mkv-acm.mka", source: "8000-stereo", formatID: .aLaw),
      Fixture(name: "mkv-video.mkv", source: "44100-stereo", formatID: .flac, framesPerPacket: 4608),
      Fixture(name: "mkv-merged-mkv-video.mka", source: "44100-stereo", formatID: .flac, framesPerPacket: 4608),
      Fixture(name: "mkv-merged-mkv-mp3.mka", source: "44100-stereo", formatID: .mpegLayer3, framesPerPacket: 1152),
      Fixture(name: "mkv-merged-framed-ac3-stereo.mka", source: "44100-stereo", formatID: .ac3, framesPerPacket: 1536),
    ]
    + ["opus", "opus-live", "opus-pipe", "opus-cues-first"].map {
      Fixture(
        name: "mkv-\($0).webm", source: "48000-stereo", formatID: .opus, framesPerPacket: 0, priming: 312)
    }
    + ["s16le", "s16be", "s24le", "s24be", "s32le", "f32le", "f64le", "u8"].map {
      Fixture(name: "mkv-pcm-\($0).mka", source: "8000-stereo", formatID: .linearPCM)
    }

  @Test(arguments: Fixtures.names(endingIn: ".packets").filter { $0.hasPrefix("mkv-") })
  func `are cut into the packets that ffprobe finds`(list: String) throws {
    let name = String(list.dropLast(".packets".count))
    let expected = String(decoding: Fixtures.bytes(list), as: UTF8.self).split(separator: "\n")
      .compactMap { Int($0.prefix { $0.isNumber }) }
    #expect(!expected.isEmpty)
    let bytes = Fixtures.bytes(name)
    let (transcript, stream) = pushed(bytes)
    #expect(transcript.error == nil && transcript.skips.isEmpty)
    let isRun = stream.information.dataFormat?.isUniform ?? false
    if isRun {
      #expect(transcript.packets.reduce(0) { $0 + $1.byteCount } == expected.reduce(0, +))
    } else {
      #expect(transcript.packets.map(\.byteCount) == expected)
    }
    let file = try AudioFile(source: AwkwardSource(bytes))
    let pulled = try pulled(file)
    #expect(pulled.packets == transcript.packets && pulled.hashes == transcript.hashes)
    #expect(try file.advanceIndex())
    #expect(file.packetIndex == stream.packetIndex)
    #expect(file.information.duration == stream.information.duration)
  }

  @Test(arguments: fixtures) func `have their facts before the first packet, and the rest at the end`(
    fixture: Fixture
  ) throws {
    let all = try `Files that LAME and ffmpeg made`.information(Fixtures.bytes(fixture.name))
    for information in all {
      let format = try #require(information.dataFormat)
      #expect(format.formatID == fixture.formatID)
      #expect(format.framesPerPacket == fixture.framesPerPacket)
      #expect(information.fileType == (fixture.name.hasSuffix(".webm") ? .webm : .matroska))
      #expect(information.isOptimized)
      // The header's word counts the last packet as a whole, and knows milliseconds; where there is none, it is a
      // guess.
      let isLive = ["mkv-opus-live.webm", "mkv-opus-pipe.webm"].contains(fixture.name)
      if !isLive { #expect(abs((information.duration ?? 0) - (all[3].duration ?? 0)) < 0.05) }
    }
    let frames = Fixtures.frames(ofWAVE: "source-\(fixture.source).wav")
    for information in [all[1], all[3]] {
      let heard = information.packetTable?.validFrames ?? information.frameCount
      let priming = information.packetTable?.primingFrames ?? 0
      let isPadded = [.mpegLayer3, .mpegLayer2, .ac3, .enhancedAC3].contains(fixture.formatID)
      if isPadded {
        // They tell of priming and not of the end; nobody tells of the priming of what is merged. ffmpeg's MP2 ends
        // before the source.
        #expect((frames...frames + 3 * 1536).contains((heard ?? 0) + Int64(priming)))
      } else {
        // ffmpeg tells of AAC's priming since version 7.
        let isTold = fixture.formatID == .aac && priming == 1024
        #expect((heard ?? 0) + (isTold ? 1024 : 0) == frames + fixture.extra)
        #expect(priming == fixture.priming || isTold)
      }
    }
  }

  @Test(arguments: fixtures) func `find every packet by its number and by its frames`(fixture: Fixture) throws {
    let bytes = Fixtures.bytes(fixture.name)
    var (places, frames): ([Int64], [Int64]) = ([], [0])
    for packet in try pulled(AudioFile(source: AwkwardSource(bytes))).packets {
      let (size, length) = (packet.byteCount / packet.packetCount, packet.frameCount / packet.packetCount)
      for number in 0..<packet.packetCount {
        places.append(packet.byteOffset + Int64(number * size))
        frames.append(frames[frames.count - 1] + Int64(length))
      }
    }
    let file = try AudioFile(source: AwkwardSource(bytes))
    let stream = pushed(bytes).1
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<20 {
      let number = Int.random(in: 1..<places.count, using: &generator)
      let read = try file.packetDescriptions(startPacket: Int64(number), count: 2)
      #expect(read.packets.first?.byteOffset == places[number])
      #expect(try file.frame(ofPacket: Int64(number)) == frames[number])
      let found = try file.packet(containingFrame: frames[number + 1] - 1)
      #expect(found.packet == Int64(number))
      let target = try stream.seek(toPacket: Int64(number))
      #expect(!target.isEstimated)
      var transcript = Transcript()
      let place = Int(target.dataOffset + (stream.information.dataOffset ?? 0))
      try stream.parse(bytes.span.bytes.extracting(droppingFirst: place), into: &transcript)
      #expect(transcript.firstPackets.first == target.packet)
      #expect(transcript.packets.first?.byteOffset == places[Int(target.packet)])
    }
  }

  @Test(arguments: ["mkv-aac.mka", "mkv-flac.mka"])
  func `have cues that are places of packets`(name: String) throws {
    let bytes = Fixtures.bytes(name)
    let whole = try pulled(AudioFile(source: AwkwardSource(bytes))).packets
    let file = try AudioFile(source: AwkwardSource(bytes))
    let last = Int64(whole.count - 1)
    let place = try #require(file.knownResumePoint(atOrBefore: last))
    #expect(place.packet > 0 && file.packetIndex.packetCount < place.packet)
    // Without looking for those before it.
    #expect(try file.packetDescriptions(startPacket: last, count: 1).packets.first == whole.last)
    #expect(file.packetIndex.packetCount < place.packet)
  }

  // MARK: Tags

  @Test func `of ffmpeg have tags without levels, chapters and a cover`() throws {
    let bytes = Fixtures.bytes("mkv-tags.mka")
    let tags = try AudioFile(source: AwkwardSource(bytes)).information.tags
    #expect(tags.title == "Sweep" && tags.artist == "Ärtist" && tags.albumArtist == "All" && tags.album == "Album")
    #expect(tags.trackNumber == 3 && tags.trackCount == 12 && tags.discNumber == 1 && tags.discCount == 2)
    #expect(tags.date == "2024-05-06" && tags.genre == "Noise" && tags.composer == "SoX" && tags.comment == "Words")
    #expect(tags.lyrics == "La")
    #expect(
      tags.chapters
        == [TrackTags.Chapter(start: 0, title: "One"), TrackTags.Chapter(start: 1.25, title: "Zwölf")])
    try expectPicture(tags, in: bytes)
    #expect(pushed(bytes).1.information.tags == tags)
  }

  @Test func `of mkvmerge have an album's tags and a track's`() throws {
    let bytes = Fixtures.bytes("mkv-levels.mka")
    let tags = try AudioFile(source: AwkwardSource(bytes)).information.tags
    #expect(tags.title == "The track" && tags.artist == "One")
    #expect(tags.album == "The album" && tags.albumArtist == "All of them")
    #expect(tags.trackNumber == 3 && tags.trackCount == 12 && tags.date == "2024")
    #expect(tags.gain.track == -6.5)
    #expect(tags.chapters.map(\.title) == ["One", "Two"] && tags.chapters.map(\.start) == [0, 1.25])
    try expectPicture(tags, in: bytes)
    #expect(pushed(bytes).1.information.tags == tags)
  }

  private func expectPicture(_ tags: TrackTags, in bytes: [UInt8]) throws {
    let picture = try #require(tags.artwork.first)
    #expect(picture.mimeType == "image/png")
    let place = Int(picture.byteOffset)
    #expect(Array(bytes[place..<place + picture.byteCount]) == Fixtures.bytes("picture.png"))
  }
}
