import AudioModel
import Glibc

/// The parser under test: the start of its input, and the bytes to repair lest all of it be refused at once.
struct FuzzedFormat: Sendable {
  private let types: [AudioFileTypeID]
  /// One of them at the start; none where only sync words tell.
  private var marks: [String] = []
  /// At byte 4 instead.
  private var markIndex = 0
  private var repairs: (@Sendable (inout [UInt8]) -> Void)?

  /// By the name in the environment, SEGUE_FUZZ_FORMAT; all of them, found by probing, for any other.
  static let chosen: FuzzedFormat = {
    switch getenv("SEGUE_FUZZ_FORMAT").map({ String(cString: $0) }) {
    case "mpeg": FuzzedFormat(types: [.mp3, .mp2, .mp1])
    case "adts": FuzzedFormat(types: [.adts])
    case "ac3": FuzzedFormat(types: [.ac3])
    case "amr": FuzzedFormat(types: [.amr], marks: ["#!AMR"])
    case "wave": FuzzedFormat(types: [.wave, .rf64, .wave64], marks: ["RIFF", "RIFX", "RF64", "BW64", "riff."])
    case "aiff": FuzzedFormat(types: [.aiff, .aifc], marks: ["FORM"])
    case "caf": FuzzedFormat(types: [.caf], marks: ["caff"])
    case "next": FuzzedFormat(types: [.next], marks: [".snd", "dns.", "\0ds."])
    case "mp4":
      FuzzedFormat(
        types: [.mp4, .m4a, .m4b, .threeGP, .threeGP2], marks: ["ftyp", "moov", "mdat", "free", "wide", "skip"],
        markIndex: 4)
    case "matroska": FuzzedFormat(types: [.matroska, .webm], marks: ["\u{1a}E"])
    case "flac": FuzzedFormat(types: [.flac], marks: ["fLaC"], repairs: repairFLAC)
    case "ogg": FuzzedFormat(types: [.ogg], marks: ["OggS"], repairs: repairOgg)
    default: FuzzedFormat(types: [])
    }
  }()

  var typeHint: AudioFileTypeID? { types.first }

  /// True if bytes can be of this format.
  func mayBegin(_ bytes: [UInt8]) -> Bool {
    marks.isEmpty || marks.contains { bytes.dropFirst(markIndex).starts(with: $0.utf8) }
  }

  /// True if what came out is of this format, as far as it is known.
  func `is`(_ type: AudioFileTypeID?) -> Bool { types.isEmpty || type.map(types.contains) ?? true }

  /// Ogg's positions in a later stream of a chain are found again from the page at which reading begins: where they
  /// contradict the packets before it, the end of that stream is cut off at another frame.
  var endsMayBeCutElsewhere: Bool { types == [.ogg] || types.isEmpty }

  /// Makes checksums right.
  func repair(_ bytes: inout [UInt8]) { repairs?(&bytes) }
}

/// RFC 3533 6: 27 bytes, the checksum at 22, the number of segments at 26, their sizes, they.
private func repairOgg(_ bytes: inout [UInt8]) {
  var index = 0
  while index + 27 <= bytes.count {
    let table = index + 27 + Int(bytes[index + 26])
    guard bytes[index...].starts(with: "OggS".utf8), table <= bytes.count else {
      index += 1
      continue
    }
    let end = table + bytes[(index + 27)..<table].reduce(0) { $0 + Int($1) }
    guard end <= bytes.count else { return }
    for place in index + 22..<index + 26 { bytes[place] = 0 }
    let sum = checksum(bytes[index..<end], polynomial: 0x04c1_1db7, bitCount: 32)
    for place in 0..<4 { bytes[index + 22 + place] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * place)) }
    index = end
  }
}

/// RFC 9639 9.1, 9.3: a checksum ends each frame's header and another the frame, which the next one's sync word tells.
private func repairFLAC(_ bytes: inout [UInt8]) {
  let frames = bytes.indices.dropLast(16).filter { bytes[$0] == 0xff && bytes[$0 + 1] & 0xfe == 0xf8 }
  for (start, end) in zip(frames, frames.dropFirst() + [bytes.count]) where end - start > 18 {
    let (sizes, first) = (bytes[start + 2], bytes[start + 4])
    let number = first < 0x80 ? 1 : max(1, (~first).leadingZeroBitCount)
    let size = sizes >> 4 == 6 ? 1 : sizes >> 4 == 7 ? 2 : 0
    let rate = sizes & 15 == 12 ? 1 : sizes & 15 > 12 ? 2 : 0
    let header = start + 4 + number + size + rate
    guard header < end - 2 else { continue }
    bytes[header] = UInt8(checksum(bytes[start..<header], polynomial: 7, bitCount: 8))
    let sum = checksum(bytes[start..<end - 2], polynomial: 0x8005, bitCount: 16)
    (bytes[end - 2], bytes[end - 1]) = (UInt8(sum >> 8), UInt8(sum & 0xff))
  }
}

private func checksum(_ bytes: ArraySlice<UInt8>, polynomial: UInt32, bitCount: UInt32) -> UInt32 {
  var sum: UInt32 = 0
  for byte in bytes {
    sum ^= UInt32(byte) << 24
    for _ in 0..<8 { sum = sum << 1 ^ (sum >> 31 == 1 ? polynomial << (32 - bitCount) : 0) }
  }
  return sum >> (32 - bitCount)
}
