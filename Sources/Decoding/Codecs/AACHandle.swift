/// One run of one library over raw data blocks of AAC, from some packet on.
protocol AACHandle: AnyObject {
  /// Decodes the block that `bytes` begins with. Throws `'fmt?'` for what the library lacks, `'bada'` for damage.
  func decode(_ bytes: UnsafeRawBufferPointer) throws(DecoderError) -> AACBlock
}

/// The result of decoding a packet, or a raw data block of it.
struct AACBlock {
  /// Valid until the next call; `nil` for the first block after opening, where the library swallows it.
  var samples: UnsafeMutableRawPointer?
  var frameCount: Int
  var channelCount: Int
  /// The bytes of the packet that it used.
  var byteCount: Int
  /// True if spectral band replication doubled the frames, and parametric stereo the channels.
  var isReplicated: Bool
  var isParametric: Bool
  /// libfaad's names for the places of the channels; all 0 if they are in WAVE's order.
  var positions = InlineArray<8, UInt8>(repeating: 0)
}

/// The libraries that decode AAC: mostly libfaad, which costs a tenth to open.
enum AACLibrary {
  case faad, avcodec

  var other: AACLibrary { self == .faad ? .avcodec : .faad }
}
