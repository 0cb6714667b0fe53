import AudioModel
import Containers
import Decoding

/// A FLAC, Vorbis or Opus fixture as a container would hand it on.
struct XiphStream {
  var format: AudioStreamBasicDescription
  var cookie: [UInt8]
  var packets: [[UInt8]]
  var frameCounts: [Int]
  /// Frames that the container says are not to be heard at the start, and how many are after those.
  var primingFrames = 0
  var validFrames: Int

  /// By the ending of its name.
  init(_ name: String) throws {
    switch name.split(separator: ".").last {
    case "flac": try self.init(flac: name)
    case "opus": try self.init(opus: name)
    default: try self.init(vorbis: name)
    }
  }

  init(flac name: String) throws {
    let file = try fixture(name)
    // "frame=0	offset=8304	bits=103744	blocksize=4096	..."
    let analysis = try output(of: "flac --analyze --silent --stdout \(fixtures)/\(name)")
    let lines = String(decoding: analysis, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("frame=") }
    let frames = lines.map {
      $0.split(separator: "\t").prefix(4).map { field in Int(field.drop { $0 != "=" }.dropFirst()) ?? 0 }
    }
    format = AudioStreamBasicDescription(sampleRate: 0, formatID: .flac, channelsPerFrame: 0)
    cookie = Array(file.prefix(42))
    packets = frames.map { Array(file[$0[1]...].prefix($0[2] / 8)) }
    frameCounts = frames.map { $0[3] }
    validFrames = frameCounts.reduce(0, +)
  }

  init(vorbis name: String) throws {
    let ogg = OggPackets(try fixture(name))
    let (identification, setup) = (ogg.packets[0], ogg.packets[2])
    guard let modes = VorbisModes(identification: identification.span.bytes, setup: setup.span.bytes) else {
      throw Missing()
    }
    format = AudioStreamBasicDescription(sampleRate: 0, formatID: .vorbis, channelsPerFrame: 0)
    cookie = [2, UInt8(ogg.packets[0].count)] + lacing(ogg.packets[1].count) + ogg.packets[..<3].joined()
    packets = Array(ogg.packets.dropFirst(3))
    frameCounts = []
    var last: Int?
    for packet in packets {
      let size = modes.blockSize(ofPacket: packet.span.bytes)
      frameCounts.append(size.flatMap { size in last.map { ($0 + size) / 4 } } ?? 0)
      last = size ?? last
    }
    validFrames = ogg.granules.last?.position ?? 0
  }

  init(opus name: String) throws {
    let ogg = OggPackets(try fixture(name))
    format = AudioStreamBasicDescription(sampleRate: 48000, formatID: .opus, channelsPerFrame: 0)
    cookie = ogg.packets[0]
    packets = Array(ogg.packets.dropFirst(2))
    frameCounts = packets.map { OpusPacket.frameCount(of: $0.span.bytes) ?? 0 }
    primingFrames = Int(cookie[10]) | Int(cookie[11]) << 8
    validFrames = (ogg.granules.last?.position ?? 0) - primingFrames
  }

  func decoder(_ sampleFormat: PCMFormat.SampleFormat? = nil) throws -> any AudioDecoder {
    try AudioDecoders.decoder(for: format, magicCookie: cookie, sampleFormat: sampleFormat)
  }

  /// Decodes a packet as it is, or other bytes in its place, into a buffer that holds its frames and not one byte more.
  func decode(_ index: Int, as bytes: [UInt8]? = nil, _ decoder: any AudioDecoder) throws -> [UInt8] {
    let description = PacketDescription(byteOffset: 0, byteCount: 0, frameCount: frameCounts[index])
    let output = UnsafeMutableRawBufferPointer.allocate(
      byteCount: frameCounts[index] * decoder.format.bytesPerFrame, alignment: 16)
    defer { output.deallocate() }
    let bytes = bytes ?? packets[index]
    let count = try decoder.decode(bytes.span.bytes, description, into: output)
    return Array(output.prefix(count * decoder.format.bytesPerFrame))
  }

  /// The samples of each packet, from the first on.
  func decoded(_ decoder: any AudioDecoder) throws -> [[UInt8]] {
    try packets.indices.map { try decode($0, decoder) }
  }

  /// All that is played.
  func heard(_ decoder: any AudioDecoder) throws -> [UInt8] {
    var all: [UInt8] = []
    for bytes in try decoded(decoder) { all += bytes }
    let start = primingFrames * decoder.format.bytesPerFrame
    return Array(all[start..<min(all.count, start + validFrames * decoder.format.bytesPerFrame)])
  }
}

/// A size as Xiph laces it.
private func lacing(_ size: Int) -> [UInt8] { Array(repeating: 255, count: size / 255) + [UInt8(size % 255)] }

/// The largest difference of two lists of samples, 16-bit or float; `nil` if one is longer.
func largestDifference(_ bytes: [UInt8], _ others: [UInt8], as sampleFormat: PCMFormat.SampleFormat) -> Double? {
  guard bytes.count == others.count else { return nil }
  guard bytes != others else { return 0 }
  return zip(samples(bytes, sampleFormat), samples(others, sampleFormat)).reduce(0) { max($0, abs($1.0 - $1.1)) }
}

private func samples(_ bytes: [UInt8], _ sampleFormat: PCMFormat.SampleFormat) -> [Double] {
  bytes.withUnsafeBytes {
    if sampleFormat == .s16 { return $0.bindMemory(to: Int16.self).map(Double.init) }
    return $0.bindMemory(to: Float.self).map(Double.init)
  }
}
