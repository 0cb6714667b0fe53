@testable import Containers

/// Files of chunks, written as a test needs them.
enum ChunkSynthesis {
  typealias Named = (name: String, content: [UInt8])

  static func number(_ value: some BinaryInteger, _ byteCount: Int, _ order: ByteOrder) -> [UInt8] {
    let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return order == .little ? bytes : bytes.reversed()
  }

  /// A chunk with a size of 32 bits and padding, or what is given for these.
  static func chunk(
    _ chunk: Named, _ order: ByteOrder, byteCount: UInt32? = nil, padding: [UInt8] = [0]
  ) -> [UInt8] {
    Array(chunk.name.utf8) + number(byteCount ?? UInt32(chunk.content.count), 4, order) + chunk.content
      + (chunk.content.count % 2 == 0 ? [] : padding)
  }

  // MARK: WAVE

  static func wave(
    _ chunks: [Named], mark: String = "RIFF", type: String = "WAVE", byteCount: UInt32? = nil,
    order: ByteOrder = .little
  ) -> [UInt8] {
    wave(chunks.flatMap { chunk($0, order) }, mark: mark, type: type, byteCount: byteCount, order: order)
  }

  static func wave(
    _ chunks: [UInt8], mark: String = "RIFF", type: String = "WAVE", byteCount: UInt32? = nil,
    order: ByteOrder = .little
  ) -> [UInt8] {
    Array(mark.utf8) + number(byteCount ?? UInt32(chunks.count + 4), 4, order) + Array(type.utf8) + chunks
  }

  static func fmt(
    tag: UInt16 = 1, channels: Int = 2, rate: Int = 44100, block: Int = 4, bits: Int = 16, more: [UInt8] = [],
    order: ByteOrder = .little
  ) -> Named {
    let numbers = [(Int(tag), 2), (channels, 2), (rate, 4), (rate &* block, 4), (block, 2), (bits, 2)]
    return ("fmt ", numbers.flatMap { number($0, $1, order) } + more)
  }

  /// The additional fields of WAVEFORMATEXTENSIBLE.
  static func extensible(_ tag: UInt16, validBits: Int, mask: UInt32, order: ByteOrder = .little) -> [UInt8] {
    number(22, 2, order) + number(validBits, 2, order) + number(mask, 4, order) + number(UInt32(tag), 4, order)
      + number(0, 2, order) + number(16, 2, order) + [0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]
  }

  /// Sizes of the form, of `data`, number of frames, no table.
  static func ds64(_ dataByteCount: Int64) -> [UInt8] {
    ([0, dataByteCount, 0] as [Int64]).flatMap { number($0, 8, .little) } + [0, 0, 0, 0]
  }

  static func list(_ items: [(name: String, text: String)], order: ByteOrder = .little) -> Named {
    ("LIST", Array("INFO".utf8) + items.flatMap { chunk(($0.name, Array($0.text.utf8) + [0]), order) })
  }

  /// `count` bytes of audio, none like the one before.
  static func samples(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8 &+ 1) }
  }

  // MARK: Wave64

  /// A GUID, a size that counts the header, the content, zeros up to a multiple of 8 bytes.
  static func wave64Chunk(
    _ chunk: Named, byteCount: Int64? = nil, padding: [UInt8] = [UInt8](repeating: 0, count: 7)
  ) -> [UInt8] {
    wave64Name(chunk.name) + number(byteCount ?? Int64(chunk.content.count) + 24, 8, .little) + chunk.content
      + padding.prefix(-chunk.content.count & 7)
  }

  static func wave64(_ chunks: [Named], byteCount: Int64? = nil) -> [UInt8] {
    wave64(chunks.flatMap { wave64Chunk($0) }, byteCount: byteCount)
  }

  static func wave64(_ chunks: [UInt8], byteCount: Int64? = nil) -> [UInt8] {
    wave64Name("riff") + number(byteCount ?? Int64(chunks.count) + 40, 8, .little) + wave64Name("wave") + chunks
  }

  /// The GUID of a name: "sumy" is the list of tags, "mark" one that is not known.
  static func wave64Name(_ name: String) -> [UInt8] {
    let rest: [UInt8] = [0xf3, 0xac, 0xd3, 0x11, 0x8c, 0xd1, 0x00, 0xc0, 0x4f, 0x8e, 0xdb, 0x8a]
    return switch name {
    case "riff": Array("riff".utf8) + [0x2e, 0x91, 0xcf, 0x11, 0xa5, 0xd6, 0x28, 0xdb, 0x04, 0xc1, 0x00, 0x00]
    case "sumy": [0xbc, 0x94, 0x5f, 0x92, 0x5a, 0x52, 0xd2, 0x11, 0x86, 0xdc, 0x00, 0xc0, 0x4f, 0x8e, 0xdb, 0x8a]
    case "mark": [0x56, 0x62, 0xf7, 0xab, 0x2d, 0x39, 0xd2, 0x11, 0x86, 0xc7, 0x00, 0xc0, 0x4f, 0x8e, 0xdb, 0x8a]
    default: Array(name.utf8) + rest
    }
  }

  static func summaryList(_ items: [(name: String, text: String)]) -> Named {
    (
      "sumy",
      number(items.count, 4, .little)
        + items.flatMap { item in
          let text = (item.text + "\0").utf16.flatMap { number($0, 2, .little) }
          return Array(item.name.utf8) + number(text.count, 4, .little) + text
        }
    )
  }

  // MARK: AIFF

  static func aiff(_ chunks: [Named], type: String = "AIFF", byteCount: UInt32? = nil) -> [UInt8] {
    wave(chunks.flatMap { chunk($0, .big) }, mark: "FORM", type: type, byteCount: byteCount, order: .big)
  }

  static func comm(
    channels: Int = 2, frames: Int, bits: Int = 16, rate: [UInt8] = rate44100, compression: String? = nil
  ) -> Named {
    let fixed = number(channels, 2, .big) + number(frames, 4, .big) + number(bits, 2, .big) + rate
    return ("COMM", fixed + (compression.map { Array($0.utf8) + [3] + Array("odd".utf8) } ?? []))
  }

  static let rate44100: [UInt8] = [0x40, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0]

  static func ssnd(_ audio: [UInt8], offset: Int = 0) -> Named {
    ("SSND", number(offset, 4, .big) + number(0, 4, .big) + [UInt8](repeating: 0xee, count: offset) + audio)
  }

  // MARK: CAF

  static func caf(_ chunks: [Named], version: Int = 1, audioByteCount: Int64? = nil) -> [UInt8] {
    Array("caff".utf8) + number(version, 2, .big) + [0, 0]
      + chunks.flatMap { chunk -> [UInt8] in
        let byteCount = chunk.name == "data" ? audioByteCount ?? Int64(chunk.content.count) : Int64(chunk.content.count)
        return Array(chunk.name.utf8) + number(byteCount, 8, .big) + chunk.content
      }
  }

  static func desc(
    _ format: String, rate: Double = 44100, flags: Int = 0, bytes: Int = 0, frames: Int = 1024, channels: Int = 2,
    bits: Int = 0
  ) -> Named {
    let numbers = [flags, bytes, frames, channels, bits].flatMap { number($0, 4, .big) }
    return ("desc", number(rate.bitPattern, 8, .big) + Array(format.utf8) + numbers)
  }

  static func data(_ audio: [UInt8]) -> Named { ("data", [0, 0, 0, 0] + audio) }

  static func pakt(
    _ numbers: [Int], packets: Int? = nil, valid: Int, priming: Int = 0, remainder: Int = 0
  ) -> Named {
    let header = [packets ?? numbers.count, valid].flatMap { number($0, 8, .big) }
    let trim = [priming, remainder].flatMap { number($0, 4, .big) }
    return ("pakt", header + trim + numbers.flatMap(variable))
  }

  /// A number in seven bits per byte.
  static func variable(_ value: Int) -> [UInt8] {
    value < 0x80 ? [UInt8(value)] : variable(value >> 7).map { $0 | 0x80 } + [UInt8(value & 0x7f)]
  }

  /// The chunks of a CAF file.
  static func chunks(ofCAF bytes: [UInt8]) -> [Named] {
    var chunks: [Named] = []
    var position = 8
    while position + 12 <= bytes.count {
      let byteCount = Int(bytes.span.bytes.unsigned64(at: position + 4, .big))
      let content = bytes[(position + 12)..<(position + 12 + byteCount)]
      chunks.append((String(decoding: bytes[position..<position + 4], as: UTF8.self), Array(content)))
      position += 12 + byteCount
    }
    return chunks
  }
}
