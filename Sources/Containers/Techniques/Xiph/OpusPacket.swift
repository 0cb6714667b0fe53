/// Properties of an Opus packet.
public enum OpusPacket {
  /// Frames to decode ahead of a seek: 740 ms, after which music comes out with the same 16 bits as if all had been
  /// decoded. RFC 7845 4.6 asks for 80 ms, where samples are still some thousands off. Speech (SILK) never quite gets
  /// there.
  static let prerollFrameCount = 35520

  /// Frames of 48 kHz that `packet` decodes to, by its first two bytes (RFC 6716 3.1); `nil` if it is none: no bytes,
  /// no Opus frames in it, or more than 120 ms. Of several streams in one packet (RFC 7845 3) all last as long as the
  /// first.
  public static func frameCount(of packet: RawSpan) -> Int? {
    // CCCCCSNN ..MMMMMM   C configuration   S stereo   N Opus frames: 1, 2, 2, or else as many as M says
    guard packet.byteCount > 0 else { return nil }
    let configuration = Int(packet[0] >> 3)
    let size =
      switch configuration {
      case 0..<12: [480, 960, 1920, 2880][configuration & 3]
      case 12..<16: 480 << (configuration & 1)
      default: 120 << (configuration & 3)
      }
    let count: Int
    switch packet[0] & 3 {
    case 0: count = 1
    case 1, 2: count = 2
    default: count = packet.byteCount > 1 ? Int(packet[1] & 63) : 0
    }
    return 1...5760 ~= count * size ? count * size : nil
  }
}
