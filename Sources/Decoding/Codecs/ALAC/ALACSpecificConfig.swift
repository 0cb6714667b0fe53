/// The configuration of an ALAC decoder: the magic cookie of Apple's open format description (ALACMagicCookie).
public struct ALACSpecificConfig: Hashable, Sendable {
  /// Frames in every packet but the last, at most `maximumFrameLength`.
  public var frameLength: Int
  /// Bits of a sample: 16, 20, 24 or 32 (`bitDepth`).
  public var bitDepth: Int
  /// The speed at which the entropy coder's mean follows the signal (`pb`).
  public var historyMultiplier: UInt32
  /// The mean that a packet starts with (`mb`).
  public var initialHistory: UInt32
  /// Bits that a residual's remainder has at most (`kb`).
  public var riceLimit: Int
  /// Channels, 1 to 8 (`numChannels`).
  public var channelCount: Int
  /// Bytes that no packet exceeds; 0 if not known.
  public var maximumPacketSize: Int
  /// Bits per second; 0 if not known.
  public var averageBitRate: Int
  /// Frames per second.
  public var sampleRate: Int

  /// Encoders write 4096. The memory of a decoder grows with it.
  public static let maximumFrameLength = 1 << 16

  /// Reads the 24 bytes, alone or as old files wrap them, after an atom `frma` and the head of an atom `alac`. Ignores
  /// the bytes after them. `nil` if they are malformed.
  public init?(_ cookie: [UInt8]) {
    // ........ TTTTTTTT ........ T type of an atom; frma is 12 bytes long, the head of alac too (size, type, version).
    var start = 0
    for type in ["frma", "alac"] where cookie.dropFirst(start + 4).starts(with: type.utf8) { start += 12 }
    guard cookie.count >= start + 24 else { return nil }
    func number(_ offset: Int, _ byteCount: Int) -> Int {
      cookie[(start + offset)...].prefix(byteCount).reduce(0) { $0 << 8 | Int($1) }
    }
    // 0 frameLength   4 compatibleVersion   5 bitDepth   6 pb   7 mb   8 kb   9 numChannels   10 maxRun
    // 12 maxFrameBytes   16 avgBitRate   20 sampleRate
    frameLength = number(0, 4)
    bitDepth = number(5, 1)
    historyMultiplier = UInt32(number(6, 1))
    initialHistory = UInt32(number(7, 1))
    riceLimit = number(8, 1)
    channelCount = number(9, 1)
    maximumPacketSize = number(12, 4)
    averageBitRate = number(16, 4)
    sampleRate = number(20, 4)
    guard
      1...Self.maximumFrameLength ~= frameLength, number(4, 1) == 0, [16, 20, 24, 32].contains(bitDepth),
      riceLimit <= 32, 1...8 ~= channelCount
    else { return nil }
  }
}
