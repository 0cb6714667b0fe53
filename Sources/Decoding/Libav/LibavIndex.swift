/// The places of an input's packets and the frames they decode to: one of 64, as they were met from the start on.
struct LibavIndex {
  struct Anchor {
    var packet: Int64
    /// The first frame that it decodes to, all before it being decoded.
    var frame: Int64
    var key: LibavPacketKey
  }

  private(set) var anchors: [Anchor] = []
  private(set) var packetCount: Int64 = 0
  /// The number of the next frame.
  private(set) var frameCount: Int64
  private(set) var byteCount: Int64 = 0
  /// True if the last packet is among them.
  private(set) var isComplete = false

  /// Creates an empty index. The first packet will decode to `firstFrame`; frames below 0 are not heard.
  init(firstFrame: Int64) { frameCount = firstFrame }

  /// More packets than shape the sound of any, in all codecs that are known.
  static let stride: Int64 = 64

  /// Adds packet number `packetCount`.
  mutating func append(_ key: LibavPacketKey?, byteCount: Int, frameCount: Int) {
    if let key, packetCount - (anchors.last?.packet ?? -Self.stride) >= Self.stride {
      anchors.append(Anchor(packet: packetCount, frame: self.frameCount, key: key))
    }
    packetCount += 1
    self.byteCount += Int64(byteCount)
    self.frameCount += Int64(frameCount)
  }

  /// All packets were added; the last output of the decoder follows.
  mutating func complete(frameCount: Int64) { (self.frameCount, isComplete) = (frameCount, true) }

  /// The places at which to begin so as to meet `frame`: where to decode from, and where to count from. `nil`: from the
  /// start.
  func places(before frame: Int64) -> (first: Anchor, counted: Anchor)? {
    var (low, high) = (0, anchors.count)
    while low < high {
      let middle = (low + high) / 2
      if anchors[middle].frame <= frame { low = middle + 1 } else { high = middle }
    }
    guard low >= 2, anchors[low - 1].packet > anchors[low - 2].packet, low > 2 else { return nil }
    return (anchors[low - 2], anchors[low - 1])
  }
}
