/// Takes an ICY stream apart: audio, and after every so many bytes of it a block of metadata. Pure; the stream may be
/// cut anywhere.
///
///     audio (interval bytes)  L  metadata (16 · L bytes, padded with zeros)  audio …
struct ICYSplitter {
  /// Part of what `split` was given.
  enum Piece: Hashable {
    /// Audio, by its place in the bytes given.
    case audio(Range<Int>)
    /// A block that is complete now.
    case metadata([UInt8])
  }

  private let interval: Int
  /// Bytes of audio before the next block.
  private var audioLeft: Int
  /// Bytes of the block that have not come; `nil` while audio comes.
  private var blockLeft: Int?
  private var block: [UInt8] = []

  /// `interval` as the header `icy-metaint` has it; `nil` or less than 1: there are no blocks.
  init(interval: Int?) {
    self.interval = interval.map { $0 > 0 ? $0 : .max } ?? .max
    audioLeft = self.interval
  }

  /// The pieces of the next `bytes`, in their order; empty blocks, which say that nothing has changed, are left out.
  mutating func split(_ bytes: UnsafeRawBufferPointer) -> [Piece] {
    var pieces: [Piece] = []
    var offset = 0
    while offset < bytes.count {
      if audioLeft > 0 {
        let count = min(audioLeft, bytes.count - offset)
        pieces.append(.audio(offset..<(offset + count)))
        if interval != .max { audioLeft -= count }
        offset += count
        continue
      }
      guard let left = blockLeft else {
        blockLeft = Int(bytes[offset]) * 16
        offset += 1
        if blockLeft == 0 { finishBlock(&pieces) }
        continue
      }
      let count = min(left, bytes.count - offset)
      block += bytes[offset..<(offset + count)]
      blockLeft = left - count
      offset += count
      if left == count { finishBlock(&pieces) }
    }
    return pieces
  }

  private mutating func finishBlock(_ pieces: inout [Piece]) {
    if !block.isEmpty { pieces.append(.metadata(block)) }
    block.removeAll()
    (blockLeft, audioLeft) = (nil, interval)
  }
}
