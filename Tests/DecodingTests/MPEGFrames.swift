import AudioModel
import Glibc

/// The folder of the fixtures, made by `Tests/Fixtures/make-fixtures.sh`.
let fixtures = getenv("SEGUE_FIXTURES").map { String(cString: $0) } ?? ".build/fixtures"

/// The bytes of a fixture.
func fixture(_ name: String) throws -> [UInt8] { try bytes(of: fopen("\(fixtures)/\(name)", "r"), fclose) }

/// The output of a command.
func output(of command: String) throws -> [UInt8] { try bytes(of: popen(command, "r"), pclose) }

private func bytes(
  of file: UnsafeMutablePointer<FILE>?, _ close: (UnsafeMutablePointer<FILE>) -> Int32
) throws -> [UInt8] {
  guard let file else { throw Missing() }
  var bytes: [UInt8] = []
  var window = [UInt8](repeating: 0, count: 1 << 16)
  while case let count = fread(&window, 1, window.count, file), count > 0 { bytes += window[..<count] }
  guard close(file) == 0, !bytes.isEmpty else { throw Missing() }
  return bytes
}

struct Missing: Error {}

/// The packets of a file that holds nothing but whole MPEG audio frames and an info frame, which is left out.
struct MPEGFrames {
  var format: AudioStreamBasicDescription
  var packets: [PacketDescription] = []

  init(_ file: [UInt8]) {
    let header = Header(file[0..<4])
    format = AudioStreamBasicDescription(
      sampleRate: Double(header.rate), formatID: [.mpegLayer1, .mpegLayer2, .mpegLayer3][header.layer - 1],
      channelsPerFrame: header.channels)
    var offset = 0
    while offset + 4 <= file.count {
      let header = Header(file[offset..<(offset + 4)])
      let packet = PacketDescription(
        byteOffset: Int64(offset), byteCount: header.byteCount, frameCount: header.frameCount)
      if !["Xing", "Info"].contains(where: { file[offset...].prefix(60).contains($0) }) { packets.append(packet) }
      offset += header.byteCount
    }
  }

  private struct Header {
    var layer, rate, channels, byteCount, frameCount: Int

    /// ISO/IEC 11172-3, 2.4.2.3; layer III and II of all versions, as the fixtures have them.
    init(_ bytes: ArraySlice<UInt8>) {
      let word = bytes.reduce(0) { $0 << 8 | Int($1) }
      let isMPEG1 = word >> 19 & 3 == 3
      layer = 4 - (word >> 17 & 3)
      rate = [44100, 48000, 32000][word >> 10 & 3] >> (isMPEG1 ? 0 : word >> 19 & 3 == 2 ? 1 : 2)
      channels = word >> 6 & 3 == 3 ? 1 : 2
      frameCount = isMPEG1 || layer == 2 ? 1152 : 576
      let table =
        !isMPEG1
        ? [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
        : layer == 3
          ? [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
          : [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
      byteCount = frameCount / 8 * 1000 * table[word >> 12 & 15] / rate + (word >> 9 & 1)
    }
  }
}

extension Sequence where Element == UInt8 {
  fileprivate func contains(_ text: String) -> Bool {
    let all = Array(self)
    return all.indices.contains { all[$0...].starts(with: text.utf8) }
  }
}
