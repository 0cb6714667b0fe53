internal import AudioModel
internal import ByteIO
internal import Containers

/// The identity of a recording, independent of tags and file names: 16 bytes.
///
/// Computed from the first packets (16 KiB), without the container's bytes between them, and the length of the audio.
/// Not a cryptographic hash: files can be made to collide.
enum AudioKey {
  private static let byteCount = 16 << 10

  /// The key of an opened file; `nil` if there are no packets.
  static func key(of file: AudioFile, _ information: MediaInformation, trailingStart: Int64?) -> [UInt8]? {
    withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { buffer in
      // A packet larger than the buffer throws.
      guard let read = try? file.readPacketData(startPacket: 0, count: 1 << 16, into: buffer), read.byteCount > 0 else {
        return nil
      }
      let length: Int64
      switch information.fileType {
      // Pages and clusters divide the same packets differently after a change of tags.
      case .ogg, .matroska, .webm: length = milliseconds(information.duration ?? 0)
      default:
        let audio = information.dataOffset.flatMap { start in trailingStart.map { $0 - start } }
        length = information.durationIsEstimated ? audio ?? 0 : information.audioDataByteCount ?? audio ?? 0
      }
      return hash(UnsafeRawBufferPointer(rebasing: buffer[..<read.byteCount]), length)
    }
  }

  /// 0 where there are too many: a header may state any duration.
  static func milliseconds(_ seconds: Double) -> Int64 {
    Int64(exactly: (seconds * 1000).rounded(.towardZero)) ?? 0
  }

  /// The key of a file in a format that another library reads: computed from the beginning of the file.
  static func key(ofForeign source: any ByteSource) -> [UInt8]? {
    withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { buffer in
      guard let count = try? source.read(into: buffer, at: 0), count > 0 else { return nil }
      return hash(UnsafeRawBufferPointer(rebasing: buffer[..<count]), source.byteCount ?? 0)
    }
  }

  /// Two lanes that each multiply and fold, eight bytes at a time.
  static func hash(_ bytes: UnsafeRawBufferPointer, _ length: Int64) -> [UInt8] {
    var (first, second) = (UInt64(0x9e37_79b9_7f4a_7c15), UInt64(0xc2b2_ae3d_27d4_eb4f) ^ UInt64(bitPattern: length))
    var position = 0
    while bytes.count - position >= 16 {
      let (a, b) = (
        bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self).littleEndian,
        bytes.loadUnaligned(fromByteOffset: position + 8, as: UInt64.self).littleEndian
      )
      first = folded(first ^ a, b ^ 0xa076_1d64_78bd_642f)
      second = folded(second ^ b, a ^ 0xe703_7ed1_a0b4_28db)
      position += 16
    }
    for byte in bytes[position...] { first = folded(first ^ UInt64(byte), 0x8ebc_6af0_9c88_c6e3) }
    second = folded(second ^ first, UInt64(bytes.count) ^ 0x5899_65cc_7537_4cc3)
    return withUnsafeBytes(of: (first.littleEndian, second.littleEndian), Array.init)
  }

  private static func folded(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let (high, low) = a.multipliedFullWidth(by: b)
    return high ^ low
  }
}

/// The bytes of an audio key of 32 digits.
func bytes(ofHex text: String) -> [UInt8]? {
  let digits = Array(text.utf8)
  guard digits.count == 32 else { return nil }
  var bytes: [UInt8] = []
  for place in stride(from: 0, to: digits.count, by: 2) {
    guard let byte = UInt8(String(decoding: digits[place...(place + 1)], as: UTF8.self), radix: 16) else {
      return nil
    }
    bytes.append(byte)
  }
  return bytes
}
