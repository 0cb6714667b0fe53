/// Splits an ICY stream into audio and blocks of metadata, which follow at fixed intervals. Pure; the stream may be cut
/// anywhere.
///
///     audio (interval bytes)  L  metadata (16 · L bytes, padded with zeros)  audio …
struct ICYSplitter {
  /// A part of the bytes given to `split`.
  enum Piece: Hashable {
    /// Audio, as a range of the bytes given.
    case audio(Range<Int>)
    /// A block of metadata, now complete.
    case metadata([UInt8])
  }

  private let interval: Int
  /// Bytes of audio before the next block.
  private var audioLeft: Int
  /// Bytes of the block that are missing; `nil` during audio.
  private var blockLeft: Int?
  private var block: [UInt8] = []

  /// `interval`: the value of the header `icy-metaint`; `nil` or less than 1 if there are no blocks.
  init(interval: Int?) {
    self.interval = interval.map { $0 > 0 ? $0 : .max } ?? .max
    audioLeft = self.interval
  }

  /// The pieces of the next `bytes`, in order, without empty blocks, which mean "no change".
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
