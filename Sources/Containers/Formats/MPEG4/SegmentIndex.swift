internal import AudioModel

/// The starts and durations of fragments, known before the first of them: `sidx` (ISO/IEC 14496-12 8.16.3).
/// `mfra` after the last is no use: its times leave out what an edit list cuts off, or not, as writers like.
struct SegmentIndex {
  /// For each fragment its first frame and where reading begins.
  private var starts: [(frame: Int64, byteOffset: Int64)] = []
  /// Frames of all.
  private(set) var frameCount: Int64 = 0
  /// Of every packet.
  private let framesPerPacket: Int64

  // version u8, flags u24; track u32, units per second u32; first time and distance u32, in version 1 u64; 0 u16, count
  // u16; each: one bit for another index, 31 for its bytes; duration u32; 32 bits on where decoding can begin.

  /// Reads a box's content after which the fragments begin, at `end`. `nil` if it does not tell of all packets of
  /// `track`, which have `framesPerPacket` each: one fragment alone has its own box.
  init?(_ content: RawSpan, endingAt end: Int64, track: MovieTrack, framesPerPacket: Int) {
    guard content.byteCount >= 24, framesPerPacket > 0, content.bigEndian32(at: 4) == track.id,
      content.bigEndian32(at: 8) > 0, let rate = track.description?.format.sampleRate
    else { return nil }
    self.framesPerPacket = Int64(framesPerPacket)
    let isLong = content[0] > 0
    let table = isLong ? 32 : 24
    guard content.byteCount >= table else { return nil }
    let distance = isLong ? content.bigEndian64(at: 20) : UInt64(content.bigEndian32(at: 16))
    let count = Int(content.bigEndian16(at: table - 2))
    guard count > 1, content.byteCount - table >= 12 * count, distance < 1 << 40 else { return nil }
    let framesPerUnit = rate / Double(content.bigEndian32(at: 8))
    var (byteOffset, time) = (end + Int64(distance), 0 as Int64)
    for entry in 0..<count {
      let size = content.bigEndian32(at: table + 12 * entry)
      let frames = Double(time) * framesPerUnit
      guard size < 1 << 31, frames < Double(ParserStep.maximumByteOffset), frames == frames.rounded(),
        Int64(frames) % Int64(framesPerPacket) == 0
      else { return nil }
      starts.append((Int64(frames), byteOffset))
      byteOffset += Int64(size)
      time += Int64(content.bigEndian32(at: table + 12 * entry + 4))
    }
    let frames = (Double(time) * framesPerUnit).rounded()
    guard frames < Double(ParserStep.maximumByteOffset) else { return nil }
    frameCount = Int64(frames)
  }

  /// The start of the fragment that holds a packet.
  func place(atOrBefore packet: Int64) -> ResumePoint? {
    guard packet >= 0, let start = starts.last(where: { $0.frame / framesPerPacket <= packet }) else { return nil }
    return ResumePoint(byteOffset: start.byteOffset, packet: start.frame / framesPerPacket, frame: start.frame)
  }
}
