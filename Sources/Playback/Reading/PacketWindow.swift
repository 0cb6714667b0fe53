internal import AudioModel

/// The packets of one window of an input, and the position within them.
struct PacketWindow {
  /// The packets; a supply fills it.
  var batch = PacketBatch()
  /// The index of the next entry.
  private var position = 0
  /// The first frame of the next entry, counted from the first frame of packet 0.
  var frame: Int64 = 0
  private var current: PacketBatch.Entry?
  /// Packets before this one, and packets that end at or before `wantedFrame`, are skipped.
  private(set) var wantedPacket: Int64 = 0
  private var wantedFrame: Int64 = 0

  /// True if the window has no packets, not even returned ones.
  var isEmpty: Bool { batch.entries.isEmpty }

  /// The number of frames that `next` can return.
  var frameCountAhead: Int { batch.entries.dropFirst(position).reduce(0) { $0 + $1.description.frameCount } }

  /// True if the window holds a packet, returned or not.
  func contains(_ packet: Int64) -> Bool {
    guard let first = batch.entries.first, let last = batch.entries.last else { return false }
    return first.index <= packet && packet < last.end
  }

  /// The next packet or run of packets; `nil` at the end of the window.
  mutating func next() -> PacketReader.Packet? {
    while position < batch.entries.count {
      let whole = batch.entries[position]
      position += 1
      frame &+= Int64(whole.description.frameCount)
      guard whole.end > wantedPacket, frame > wantedFrame || wantedFrame == 0 else { continue }
      let entry = whole.from(wantedPacket)
      (current, wantedPacket) = (entry, entry.end)
      return PacketReader.Packet(
        description: entry.description, index: entry.index, startFrame: frame &- Int64(entry.description.frameCount),
        isAfterGap: batch.isAfterGap(entry))
    }
    return nil
  }

  /// Calls `body` with the bytes of the packet that `next` returned last.
  func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let current else { return try body(RawSpan()) }
    return try batch.withBytes(of: current, body)
  }

  /// Removes the packets, before the next window.
  mutating func removeAll() {
    (position, current) = (0, nil)
    batch.removeAll()
  }

  /// Empties the window after a seek: `frame` is the first frame that will be read.
  mutating func restart(atFrame frame: Int64) {
    removeAll()
    self.frame = frame
  }

  /// Sets the next packet to return, and the frame that it has to hold; 0: any.
  mutating func want(packet: Int64, frame: Int64) { (wantedPacket, wantedFrame) = (packet, frame) }

  mutating func stepBack(to packet: Int64) {
    while position > 0, batch.entries[position - 1].end > packet {
      position -= 1
      frame &-= Int64(batch.entries[position].description.frameCount)
    }
  }
}
