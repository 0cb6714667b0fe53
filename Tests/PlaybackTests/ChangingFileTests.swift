import AudioModel
import ByteIO
import Glibc
import SoundServerSupport
import Testing
import Threads

@testable import Playback

/// Files that grow, shrink, or never end while they are played.
@Suite("Changing files")
struct ChangingFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A copy of the first bytes of a fixture, which was last changed long ago: it is complete.
  private func copy(of name: String, byteCount: Int = .max) throws -> String {
    let path = folder(name)
    try write(try Fixture.bytes(name).prefix(byteCount), to: path)
    setChange(of: path, to: Self.longAgo)
    return path
  }

  /// A copy of the first third of a fixture, and what appends the rest of it.
  func copyOfAThird(of name: String) throws -> (path: String, append: () throws -> Void) {
    let bytes = try Fixture.bytes(name)
    let path = try copy(of: name, byteCount: bytes.count / 3)
    return (
      path,
      {
        try append(bytes[(bytes.count / 3)...], to: path)
        setChange(of: path, to: Self.longAgo)
      }
    )
  }

  private static let longAgo = 1_000_000_000
  /// Counts as now whenever the file is looked at, so that a slow machine changes nothing.
  private static let future = 4_000_000_000

  private func setChange(of path: String, to seconds: Int) {
    let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
  }

  private func append(_ bytes: some Sequence<UInt8>, to path: String) throws {
    let file = try #require(fopen(path, "ae"))
    let bytes = Array(bytes)
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    fclose(file)
  }

  // MARK: Growing

  static let growing = [
    "flac-16-2-44100.wav", "e2-44100-v2.mp3", "vbr-without-header.mp3", "flac-16-2-44100.flac", "vorbis-stereo.ogg",
    "aac-44100-stereo.aac", "ac3-stereo.ac3", "aiff-pcm_s16be.aiff", "caf-pcm_s16le.caf", "mp4-aac-faststart.m4a",
    "mp4-fragments.m4a", "mkv-flac.mka", "mkv-opus.webm", "opus-stereo.opus", "libav-wavpack.wv", "libav-tta.tta",
  ]

  @Test(arguments: growing)
  func `a file that grows in three steps is read whole, and waits between them`(name: String) throws {
    let bytes = try Fixture.bytes(name)
    let cuts = [bytes.count / 2, bytes.count * 3 / 4, bytes.count]
    let whole = try TrackReader(location: Fixture.location(name)).rest()
    let path = try copy(of: name, byteCount: cuts[0])
    let reader = try TrackReader(location: .file(BytePath(path)))
    let news = Mailbox<Void>()
    reader.stopBlocking(patience: .seconds(60)) { news.post(()) }
    while reader.advanceIndex() || reader.isRefinable {}
    // It grows before the end is reached, or it would be complete.
    try append(bytes[cuts[0]..<cuts[1]], to: path)
    setChange(of: path, to: Self.future)
    var heard: [UInt8] = []
    let endsEarly = try read(reader, into: &heard)
    #expect(!endsEarly && reader.fileWait == .fileGrows && heard.count < whole.count)
    try append(bytes[cuts[1]...], to: path)
    setChange(of: path, to: Self.longAgo)
    let ends = try readRest(reader, news, into: &heard)
    #expect(ends && PlaybackEngineTests.difference(heard, whole) == nil)
    #expect(reader.damage == nil)
    while reader.advanceIndex() || reader.isRefinable {}
    let size = reader.pcmFormat.bytesPerFrame
    let place = whole.count / size * 9 / 10
    #expect(try reader.seek(toFrame: Int64(place)) == Int64(place))
    #expect(try PlaybackEngineTests.difference(reader.rest(), Array(whole[(place * size)...])) == nil)
  }

  /// Reads to the end, each time that there is news; false without news.
  private func readRest(_ reader: TrackReader, _ news: Mailbox<Void>, into heard: inout [UInt8]) throws -> Bool {
    while !news.take(until: .now + .seconds(60)).isEmpty { if try read(reader, into: &heard) { return true } }
    return false
  }

  /// Reads as far as there is something; true at the end.
  @discardableResult
  private func read(_ reader: TrackReader, into heard: inout [UInt8]) throws -> Bool {
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      do {
        let count = try block.withUnsafeMutableBytes { try reader.read(into: $0) }
        if count == 0 { return true }
        heard += block.prefix(count)
      } catch let error as TrackError where error.isWait { return false }
    }
  }

  @Test func `a complete file ends at once, however new it is`() throws {
    let path = folder("new.wav")
    try write(try Fixture.bytes("flac-16-2-44100.wav"), to: path)
    let reader = try TrackReader(location: .file(BytePath(path)))
    reader.stopBlocking(patience: .seconds(60)) {}
    var heard: [UInt8] = []
    let ends = try read(reader, into: &heard)
    #expect(ends && reader.fileWait == nil)
  }

  @Test(
    arguments: [
      "flac-16-2-44100.wav", "flac-16-2-44100.flac", "mp4-aac-faststart.m4a", "libav-tta.tta", "libav-wavpack.wv",
    ])
  func `a new file with less than its header promises is waited for`(name: String) throws {
    let bytes = try Fixture.bytes(name)
    let path = folder(name)
    try write(bytes.prefix(bytes.count / 2), to: path)
    setChange(of: path, to: Self.future)
    let reader = try TrackReader(location: .file(BytePath(path)))
    let news = Mailbox<Void>()
    reader.stopBlocking(patience: .seconds(60)) { news.post(()) }
    var heard: [UInt8] = []
    let endsEarly = try read(reader, into: &heard)
    #expect(!endsEarly && reader.fileWait == .fileGrows)
    try append(bytes[(bytes.count / 2)...], to: path)
    setChange(of: path, to: Self.longAgo)
    let ends = try readRest(reader, news, into: &heard)
    let whole = try TrackReader(location: Fixture.location(name)).rest()
    #expect(ends && PlaybackEngineTests.difference(heard, whole) == nil)
  }

  // MARK: Shrinking

  @Test(
    arguments: [
      "flac-16-2-44100.wav", "e2-44100-v2.mp3", "flac-16-2-44100.flac", "vorbis-stereo.ogg", "mp4-aac-faststart.m4a",
      "mkv-flac.mka",
    ])
  func `a file that is cut while it is read says so at its new end`(name: String) throws {
    let path = try copy(of: name)
    let reader = try TrackReader(location: .file(BytePath(path)))
    while !reader.isIndexed { _ = reader.advanceIndex() }
    let frameCount = try #require(reader.frameCount)
    _ = try reader.bytes(4000)
    #expect(truncate(path, off_t(try Fixture.bytes(name).count / 3)) == 0)
    _ = try reader.seek(toFrame: frameCount * 3 / 4)
    let error = #expect(throws: TrackError.self) { while try !reader.bytes(1 << 16).isEmpty {} }
    #expect(error?.description.contains("the file was cut while it was being read") == true)
  }

  // MARK: Without end

  @Test(
    arguments: [
      "flac-16-2-44100.flac", "flac-16-2-44100.wav", "e2-44100-v2.mp3", "aac-44100-stereo.aac", "ac3-stereo.ac3",
      "vorbis-stereo.ogg", "aiff-pcm_s16be.aiff", "caf-pcm_s16le.caf", "mkv-flac.mka", "alac-44100-stereo.m4a",
    ], [ReadingPreference.auto, .file])
  func `a terabyte of zeros behind the audio is not searched`(name: String, via: ReadingPreference) throws {
    let whole = try TrackReader(location: Fixture.location(name), via: via).rest()
    let path = try copy(of: name)
    #expect(truncate(path, 1 << 40) == 0)
    let reader = try TrackReader(location: .file(BytePath(path)), via: via)
    let heard = try reader.rest()
    #expect(PlaybackEngineTests.difference(heard, whole) == nil)
    reader.packets.completeIndex()
    #expect(reader.isIndexed)
  }
}
