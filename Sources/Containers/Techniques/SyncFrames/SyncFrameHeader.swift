/// The header of a frame in a format that has no other structure than frames one after the other, each with a sync word
/// and its own size: MPEG audio, ADTS, AC-3.
protocol SyncFrameHeader {
  /// The first byte of every frame.
  static var firstByte: UInt8 { get }
  /// Bytes from the beginning of a frame that it takes to read a header.
  static var lookahead: Int { get }

  /// A header at `index`, with at least `lookahead` bytes; `nil` if it is missing, or has reserved values.
  init?(_ bytes: RawSpan, at index: Int)

  /// The same in a stream with `reference` as another header, which may determine the frame's size.
  static func read(_ bytes: RawSpan, at index: Int, like reference: Self) -> Self?

  /// True if both can belong to one stream.
  func agrees(with other: Self) -> Bool

  /// True if a few of them at the right distances after noise are not a coincidence.
  var isRareInNoise: Bool { get }

  /// Bytes of the whole frame: at least `lookahead`.
  var byteCount: Int { get }
  /// Bytes that no frame of this kind exceeds.
  var maximumByteCount: Int { get }
}

extension SyncFrameHeader {
  @inline(__always)
  static func read(_ bytes: RawSpan, at index: Int, like reference: Self) -> Self? { Self(bytes, at: index) }

  var isRareInNoise: Bool { true }
}
