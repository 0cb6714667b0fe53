/// A finished index. The tracks and their lines are put into the order of the file as they are written, so that there is
/// no second copy of them in memory. Pure.
struct IndexContents {
  typealias Words = [UInt32]

  let header: Words
  /// `StringPool`.
  let strings: [UInt8]
  /// In the order in which they were added.
  let tracks: Words, lines: [UInt8], lineStarts: Words
  /// The tracks in the order of the file.
  let order: Words
  /// The places of the albums in the file.
  let albumRank: Words
  /// The sections that are none of these.
  let others: [IndexLayout.Section: Words]

  static let trackWordCount = IndexLayout.Track.allCases.count
  private static let batchByteCount = 1 << 16

  /// Gives `put` the bytes of the file in pieces, until it returns false. Returns true if it took all.
  func write(_ put: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    var (position, isTaken) = (0, true)
    func add(_ bytes: UnsafeRawBufferPointer) {
      guard isTaken, !bytes.isEmpty else { return }
      isTaken = put(bytes)
      position += bytes.count
    }
    func pad() { [UInt8](repeating: 0, count: -position & 63).withUnsafeBytes { add($0) } }
    header.withUnsafeBytes { add($0) }
    for section in IndexLayout.Section.allCases {
      pad()
      switch section {
      case .strings: strings.withUnsafeBytes { add($0) }
      case .tracks: forEachBatchOfTracks { add($0) }
      case .lines: forEachBatchOfLines { add($0) }
      default: (others[section] ?? []).withUnsafeBytes { add($0) }
      }
    }
    pad()
    Words(halves: IndexLayout.magic).withUnsafeBytes { add($0) }
    return isTaken
  }

  /// The bytes of the file.
  var bytes: [UInt8] { joinedPieces(write) }

  private func forEachBatchOfTracks(_ body: (UnsafeRawBufferPointer) -> Void) {
    var batch: Words = []
    for track in order {
      let start = Int(track) * Self.trackWordCount
      let album = batch.count + IndexLayout.Track.album.rawValue
      batch += tracks[start..<(start + Self.trackWordCount)]
      batch[album] = albumRank[Int(batch[album])]
      if batch.count * 4 >= Self.batchByteCount {
        batch.withUnsafeBytes(body)
        batch.removeAll(keepingCapacity: true)
      }
    }
    batch.withUnsafeBytes(body)
  }

  private func forEachBatchOfLines(_ body: (UnsafeRawBufferPointer) -> Void) {
    var batch: [UInt8] = []
    for track in order.lazy.map({ Int($0) }) {
      batch += lines[Int(lineStarts[track])..<Int(lineStarts[track + 1])]
      if batch.count >= Self.batchByteCount {
        batch.withUnsafeBytes(body)
        batch.removeAll(keepingCapacity: true)
      }
    }
    batch.withUnsafeBytes(body)
  }
}

extension [UInt32] {
  /// The lower half, then the upper one.
  init(halves value: UInt64) { self = [UInt32(truncatingIfNeeded: value), UInt32(value >> 32)] }
}
