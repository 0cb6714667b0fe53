extension PCMFormat {
  /// The speakers on the left and on the right, as bits of `channelMask`: front, back, front of centre, side, top
  /// front, top back.
  private static let left: UInt32 = 0x1 | 0x10 | 0x40 | 0x200 | 0x1000 | 0x8000
  private static let right: UInt32 = 0x2 | 0x20 | 0x80 | 0x400 | 0x4000 | 0x20000

  /// Factors for the channels at a balance from -1 (left only) to 1 (right only). The other side is reduced linearly,
  /// the centre stays. Empty if the balance has no effect: at 0, at NaN, for mono.
  public func channelGains(balance: Float) -> [Float] {
    guard balance != 0, !balance.isNaN, channelCount > 1 else { return [] }
    // Above 8 channels without a mask, the first two count as left and right.
    var speakers = speakers == 0 ? 0x3 : speakers
    return (0..<channelCount).map { _ in
      let speaker = speakers & (0 &- speakers)
      speakers &= ~speaker
      if speaker & Self.left != 0 { return 1 - max(0, min(1, balance)) }
      if speaker & Self.right != 0 { return 1 + max(-1, min(0, balance)) }
      return 1
    }
  }
}
