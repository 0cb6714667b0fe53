import AudioModel
import Decoding
import Glibc
import Testing

/// The fields of a WAVE or AIFC file that are needed to cut packets out of it.
struct ChunkedAudio {
  var file: [UInt8]
  /// The place of the samples.
  var data: Range<Int>
  var stream: AudioStreamBasicDescription
  /// The bytes behind `cbSize` in a WAVE file.
  var magicCookie: [UInt8] = []

  init(_ file: [UInt8]) throws {
    self.file = file
    let isWAVE = file.starts(with: "RIFF".utf8)
    let word = { isWAVE ? Int(file[$0]) | Int(file[$0 + 1]) << 8 : Int(file[$0]) << 8 | Int(file[$0 + 1]) }
    let long = { isWAVE ? word($0) | word($0 + 2) << 16 : word($0) << 16 | word($0 + 2) }
    var (data, stream, offset) = (0..<0, nil as AudioStreamBasicDescription?, 12)
    while offset + 8 <= file.count {
      let body = offset + 8
      switch String(decoding: file[offset..<body - 4], as: UTF8.self) {
      case "fmt ":
        stream = AudioStreamBasicDescription(
          sampleRate: Double(long(body + 4)), formatID: word(body) == 2 ? .microsoftADPCM : .dviIntelIMA,
          bytesPerPacket: word(body + 12), framesPerPacket: word(body + 18), channelsPerFrame: word(body + 2))
        magicCookie = Array(file[(body + 18)..<(body + 18 + word(body + 16))])
      case "COMM":
        stream = AudioStreamBasicDescription(
          sampleRate: 44100, formatID: .appleIMA4, bytesPerPacket: 34 * word(body), framesPerPacket: 64,
          channelsPerFrame: word(body))
      case "data": data = body..<min(file.count, body + long(offset + 4))
      case "SSND": data = (body + 8)..<min(file.count, body + long(offset + 4))
      default: break
      }
      offset = body + long(offset + 4) + long(offset + 4) % 2
    }
    guard let stream, !data.isEmpty else { throw Missing() }
    (self.data, self.stream) = (data, stream)
  }

  /// The packets that the file's data are, the last one perhaps short, as one run.
  var run: PacketDescription {
    let count = (data.count + stream.bytesPerPacket - 1) / stream.bytesPerPacket
    return PacketDescription(
      byteOffset: 0, byteCount: data.count, frameCount: count * stream.framesPerPacket, packetCount: count)
  }

  func decoder(_ sampleFormat: PCMFormat.SampleFormat? = nil) throws -> any AudioDecoder {
    try AudioDecoders.decoder(for: stream, magicCookie: magicCookie, sampleFormat: sampleFormat)
  }
}

extension AudioDecoder {
  /// The samples of a packet or run; into `limit` bytes, if that is less than what is promised.
  func samples(
    of packet: some Collection<UInt8>, _ frameCount: Int, packetCount: Int = 1, limit: Int = .max
  ) throws -> [UInt8] {
    let packet = Array(packet)
    let description = PacketDescription(
      byteOffset: 0, byteCount: packet.count, frameCount: frameCount, packetCount: packetCount)
    // The bytes behind must stay as they are.
    let byteCount = min(limit, max(0, frameCount) * format.bytesPerFrame)
    var output = [UInt8](repeating: 0xa5, count: byteCount + 16)
    let count = try output.withUnsafeMutableBytes {
      try decode(packet.span.bytes, description, into: .init(rebasing: $0[..<byteCount]))
    }
    guard count <= frameCount, output[byteCount...].allSatisfy({ $0 == 0xa5 }) else { throw Overrun() }
    return Array(output[..<(count * format.bytesPerFrame)])
  }
}

struct Overrun: Error {}

extension [UInt8] {
  /// These bytes as numbers of the machine's byte order.
  func asNumbers<Number: BitwiseCopyable>(_: Number.Type) -> [Number] {
    withUnsafeBytes { bytes in
      stride(
        from: 0, to: bytes.count / MemoryLayout<Number>.size * MemoryLayout<Number>.size, by: MemoryLayout<Number>.size
      )
      .map { bytes.loadUnaligned(fromByteOffset: $0, as: Number.self) }
    }
  }
}

/// Calls `body` with the path of a file that holds `bytes`, which is removed afterwards.
func withFile<Result>(_ bytes: [UInt8], _ body: (String) throws -> Result) throws -> Result {
  var path = Array("/tmp/segue-decoding-XXXXXX\0".utf8CString)
  let descriptor = mkstemp(&path)
  guard descriptor >= 0 else { throw Missing() }
  defer { unlink(path) }
  let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  close(descriptor)
  guard written == bytes.count else { throw Missing() }
  return try body(String(decoding: path.dropLast(2).map(UInt8.init(bitPattern:)), as: UTF8.self))
}

extension SeededGenerator {
  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255, using: &self) } }
}

/// The audio of other projects; tests that need it are skipped where it is absent.
enum Corpus {
  static let folder: String = {
    if let folder = getenv("SEGUE_CORPUS") { return String(cString: folder) }
    return String(#filePath.dropLast("/Tests/DecodingTests/ChunkedAudio.swift".count)) + "/../shared/corpus"
  }()

  static let isPresent = access(folder + "/expected.tsv", R_OK) == 0

  /// The packets that ffprobe finds in a file.
  static func packets(_ name: String, options: String = "") throws -> [ArraySlice<UInt8>] {
    let file = try output(of: "cat \(folder)/\(name)")
    let probe = "ffprobe -v error \(options) -select_streams a -show_entries packet=pos,size -of csv=p=0"
    return try String(decoding: output(of: "\(probe) \(folder)/\(name)"), as: UTF8.self).split(separator: "\n").map {
      let numbers = $0.split(separator: ",").compactMap { Int($0) }
      return file[numbers[1]...].prefix(numbers[0])
    }
  }
}

/// `#expect(ours == theirs)` for samples, which tells where they differ. (That one would look for the shortest way from
/// one to the other, for minutes.)
func expectSame<Ours: Sequence, Theirs: Sequence>(
  _ ours: Ours, _ theirs: Theirs, _ what: String = "", sourceLocation: SourceLocation = #_sourceLocation
) where Ours.Element == Theirs.Element, Ours.Element: Equatable {
  let (ours, theirs) = (Array(ours), Array(theirs))
  guard ours != theirs else { return }
  let place = zip(ours, theirs).enumerated().first { $1.0 != $1.1 }?.offset ?? min(ours.count, theirs.count)
  Issue.record("\(what) differs from \(place) on; \(ours.count), not \(theirs.count)", sourceLocation: sourceLocation)
}
