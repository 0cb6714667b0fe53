internal import AudioModel
internal import Containers

/// Consecutive packets with their bytes: the contents of one window. It is reused for the next window.
struct PacketBatch {
  struct Entry {
    var description: PacketDescription
    var index: Int64
    /// The start in the batch's bytes.
    var start: Int

    /// The number of the packet after it.
    var end: Int64 { index + Int64(description.packetCount) }

    /// The rest of a run from packet number `packet` on, which it holds.
    func from(_ packet: Int64) -> Entry {
      guard packet > index else { return self }
      let count = Int(packet - index)
      let bytes = description.byteCount / description.packetCount * count
      let frames = description.frameCount / description.packetCount * count
      var rest = self
      rest.index = packet
      rest.start += bytes
      rest.description.byteOffset += Int64(bytes)
      rest.description.byteCount -= bytes
      rest.description.frameCount -= frames
      rest.description.packetCount -= count
      return rest
    }
  }

  private(set) var entries: [Entry] = []
  private(set) var gaps: [TrackDamage.Gap] = []
  /// The byte offsets of damaged packets that have no entry here.
  private(set) var damagedByteOffsets: [Int64] = []
  /// The bytes of the entries, possibly followed by old bytes that `AudioFile` will overwrite.
  private var bytes: [UInt8] = []

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    gaps.removeAll(keepingCapacity: true)
    damagedByteOffsets.removeAll(keepingCapacity: true)
  }

  /// Appends a packet that is decoded already.
  mutating func append(_ packet: PacketDescription, index: Int64, bytes: [UInt8]) {
    if entries.isEmpty { self.bytes.removeAll(keepingCapacity: true) }
    entries.append(Entry(description: packet, index: index, start: self.bytes.count))
    self.bytes += bytes
  }

  mutating func noteDamage(at byteOffset: Int64) { damagedByteOffsets.append(byteOffset) }

  mutating func removeGap(at byteOffset: Int64) { gaps.removeAll { $0.byteOffset == byteOffset } }

  /// Multiplies the frame counts of all entries.
  mutating func multiplyFrames(by factor: Int) {
    guard factor > 1 else { return }
    for index in entries.indices {
      entries[index].description.frameCount *= factor
      entries[index].description.droppedFrameCount *= factor
    }
  }

  /// Calls `body` with the bytes of an entry.
  func withBytes<Result, Failure: Error>(
    of entry: Entry, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(bytes.span.bytes.extracting(entry.start..<(entry.start + entry.description.byteCount)))
  }

  /// True if a gap ends where the entry begins.
  func isAfterGap(_ entry: Entry) -> Bool {
    gaps.contains { $0.byteOffset + $0.byteCount == entry.description.byteOffset }
  }
}

extension PacketBatch: AudioFileStreamSink {
  mutating func stream(
    _ stream: AudioFileStream, didParse packets: Span<PacketDescription>, in bytes: RawSpan, firstPacket: Int64
  ) {
    if entries.isEmpty { self.bytes.removeAll(keepingCapacity: true) }
    let start = self.bytes.count
    bytes.withUnsafeBytes { self.bytes.append(contentsOf: $0) }
    var number = firstPacket
    for index in packets.indices {
      entries.append(
        Entry(
          description: packets[index], index: number,
          start: start + Int(packets[index].byteOffset - packets[0].byteOffset)))
      number += Int64(packets[index].packetCount)
    }
  }

  mutating func stream(_ stream: AudioFileStream, didSkip byteCount: Int64, at byteOffset: Int64) {
    gaps.append(TrackDamage.Gap(byteOffset: byteOffset, byteCount: byteCount))
  }
}

extension PacketBatch {
  /// Reads packets of `file` from number `first` on, about a window of them.
  mutating func read(_ file: AudioFile, from first: Int64, byteCount: Int) throws(ContainerError) {
    if bytes.count < byteCount { bytes += [UInt8](repeating: 0, count: byteCount - bytes.count) }
    // `withUnsafeMutableBytes` does not pass typed throws on: the result carries the error.
    let read = try bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(ContainerError) in try file.readPacketData(startPacket: first, count: byteCount, into: buffer)
      }
    }.get()
    gaps += read.skipped.map { TrackDamage.Gap(byteOffset: $0.byteOffset, byteCount: $0.byteCount) }
    var (start, number) = (0, first)
    for description in read.packets {
      entries.append(Entry(description: description, index: number, start: start))
      start += description.byteCount
      number += Int64(description.packetCount)
    }
  }
}

extension TrackDamage {
  /// Counts the damage in a window; `byteCount`: the size of a file.
  mutating func add(_ batch: PacketBatch, of byteCount: @autoclosure () -> Int64?) {
    for byteOffset in batch.damagedByteOffsets { damage(at: byteOffset) }
    if let gap = endGap, let last = batch.entries.last, last.description.byteOffset >= gap.byteOffset { endGap = nil }
    for gap in batch.gaps {
      if let end = byteCount(), gap.byteOffset + gap.byteCount >= end { endGap = gap } else { skip(gap) }
    }
  }
}
