import AudioModel
import Decoding

/// A file's packets, cut without a parser of ours.
struct CutFile {
  var bytes: [UInt8]
  var packets: [PacketDescription] = []
  var cookie: [UInt8]?
  var format: AudioStreamBasicDescription

  /// ALAC in an MPEG-4 or Core Audio file, by what ffprobe says of it.
  init(alac name: String) throws {
    bytes = try fixture(name)
    let probe = "ffprobe -v error -select_streams a -of csv=p=0 \(fixtures)/\(name) -show_entries"
    func numbers(_ entries: String) throws -> [[Int]] {
      let text = String(decoding: try output(of: "\(probe) \(entries)"), as: UTF8.self)
      return text.split(separator: "\n").map { $0.split(separator: ",").compactMap { Int($0) } }
    }
    // The cookie lies in a box of the same name as in old cookies, or in a chunk of 24 bytes.
    guard
      let start = bytes.start(of: [0, 0, 0, 36] + Array("alac".utf8)).map({ $0 + 12 })
        ?? bytes.start(of: Array("kuki".utf8)).map({ $0 + 12 })
    else { throw Missing() }
    let cookie = Array(bytes[start...].prefix(24))
    self.cookie = cookie
    let frameLength = Int(cookie[2]) << 8 | Int(cookie[3])
    let rate = cookie.suffix(4).reduce(0) { $0 << 8 | Int($1) }
    format = AudioStreamBasicDescription(
      sampleRate: Double(rate), formatID: .appleLossless, framesPerPacket: frameLength,
      channelsPerFrame: Int(cookie[9]))
    packets = try numbers("packet=pos,size").map {
      PacketDescription(byteOffset: Int64($0[1]), byteCount: $0[0], frameCount: frameLength)
    }
  }

  /// AAC in ADTS frames, which all have headers of 7 bytes; without those, as a parser hands it on.
  init(adts name: String) throws {
    bytes = try fixture(name)
    // FFFFFFFF FFFFVLLC PPRRRRXc ccXXXXll llllllll lll...   F sync   P object type less 1   R rate   c channels
    // l length with header
    let rates = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350]
    format = AudioStreamBasicDescription(
      sampleRate: Double(rates[Int(bytes[2] >> 2 & 15)]), formatID: .aac, formatFlags: UInt32(bytes[2] >> 6) + 1,
      framesPerPacket: 1024, channelsPerFrame: [2, 1, 2, 3, 4, 5, 6, 8][Int(bytes[2] & 1) << 2 | Int(bytes[3] >> 6)])
    var offset = 0
    while offset + 7 < bytes.count {
      let length = Int(bytes[offset + 3] & 3) << 11 | Int(bytes[offset + 4]) << 3 | Int(bytes[offset + 5]) >> 5
      packets.append(PacketDescription(byteOffset: Int64(offset + 7), byteCount: length - 7, frameCount: 1024))
      offset += length
    }
  }

  /// The bytes of a packet.
  func bytes(of packet: PacketDescription) -> [UInt8] {
    Array(bytes[Int(packet.byteOffset)...].prefix(packet.byteCount))
  }
}

extension Array where Element == UInt8 {
  /// The start of the first copy of `pattern`.
  fileprivate func start(of pattern: [UInt8]) -> Int? {
    indices.first { self[$0] == pattern[0] && self[$0...].starts(with: pattern) }
  }
}

extension AudioDecoder {
  /// Decodes a packet to bytes; those that are not written are as they were.
  func decode(_ bytes: [UInt8], frameCount: Int, into output: inout [UInt8]) throws -> Int {
    let description = PacketDescription(byteOffset: 0, byteCount: bytes.count, frameCount: frameCount)
    return try output.withUnsafeMutableBytes { try decode(bytes.span.bytes, description, into: $0) }
  }

  /// Decodes packets of a file one after the other.
  func decode(_ file: CutFile, _ range: Range<Int>? = nil) throws -> [UInt8] {
    var samples: [UInt8] = []
    for packet in file.packets[range ?? file.packets.indices] {
      var output = [UInt8](repeating: 0x55, count: packet.frameCount * format.bytesPerFrame)
      let count = try decode(file.bytes(of: packet), frameCount: packet.frameCount, into: &output)
      samples += output[..<(count * format.bytesPerFrame)]
    }
    return samples
  }
}
