import AudioModel
import ByteIO
import Glibc
import SignalProcessing
import Testing

@testable import Playback

/// Seeks to bytes that have not arrived: the target is exact, and read when they are there.
@Suite struct `Seeks to missing bytes` {
  @Test func `filters settle when the bytes arrive`() throws {
    let bytes = try Fixture.bytes("source-e2-44100.wav")
    let source = ArrivingSource(bytes)
    let (reader, whole) = (try shaped(source), try shaped(MemorySource(bytes)))
    let frame = Int64(bytes.count / 4 * 3 / 4)
    source.end = Int64(bytes.count / 2)
    #expect(try reader.seek(toFrame: frame) == frame)
    #expect(reader.nextFrame == frame)
    #expect { try read(reader) } throws: { ($0 as? TrackError)?.isWait == true }
    #expect(reader.nextFrame == frame)
    source.end = .max
    #expect(try whole.seek(toFrame: frame) == frame)
    expectSame(try read(reader), try read(whole))
    #expect(reader.nextFrame == whole.nextFrame)
  }

  @Test(arguments: ["libav-tta.tta", "libav-wavpack.wv"])
  func `libavformat seeks again when the bytes arrive`(name: String) throws {
    let bytes = try Fixture.bytes(name)
    let source = ArrivingSource(bytes)
    let (reader, whole) = (try TrackReader(source: source), try TrackReader(source: MemorySource(bytes)))
    let frame: Int64 = 100_000
    source.end = 0
    #expect(try reader.seek(toFrame: frame) == frame)
    #expect { try reader.bytes(40_000) } throws: { ($0 as? TrackError)?.isWait == true }
    source.end = .max
    #expect(try whole.seek(toFrame: frame) == frame)
    expectSame(try reader.bytes(40_000), try whole.bytes(40_000))
  }

  private func shaped(_ source: any ByteSource) throws -> ShapedReader {
    var settings = SoundSettings()
    settings.equalizer = Equalizer("bass") ?? .flat
    return ShapedReader(try TrackReader(source: source), of: .url("a.wav"), settings: settings)
  }

  private func read(_ reader: ShapedReader) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 40_000)
    let count = try bytes.withUnsafeMutableBytes { try reader.read(into: $0) }
    return Array(bytes.prefix(count))
  }
}

/// Bytes in memory that have arrived up to `end`.
///
/// Safety: used by one test, which is one thread.
private final class ArrivingSource: ByteSource, @unchecked Sendable {
  private let whole: MemorySource
  var end = Int64.max

  init(_ bytes: [UInt8]) { whole = MemorySource(bytes) }

  var byteCount: Int64? { whole.byteCount }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int {
    guard offset < end else { throw ByteIOError(operation: "read", errno: EAGAIN, byteOffset: offset) }
    return try whole.read(into: .init(rebasing: buffer.prefix(Int(clamping: end - offset))), at: offset)
  }
}
