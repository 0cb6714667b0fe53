/// A table of a track or fragment that is read entry by entry as its bytes arrive, however many it claims to have.
struct TableReader {
  /// The kind of table, and the meaning of its entries.
  enum Kind {
    /// `stts`: samples u32, duration u32.
    case durations
    /// `stsc`: chunk u32, samples u32, description u32.
    case chunkRuns
    /// `stco`: u32.
    case chunkOffsets
    /// `co64`: u64.
    case longChunkOffsets
    /// `stsz`: u32; `stz2`: so many bits.
    case sizes(bits: Int)
    /// `trun`.
    case run(FragmentRun)
  }

  let kind: Kind
  /// Bytes of an entry.
  let entryByteCount: Int
  /// The end of the box.
  let end: Int64
  /// Entries that are still to come: no more than fit into the box.
  private(set) var remaining: Int

  init(_ kind: Kind, count: Int, from start: Int64, to end: Int64) {
    (self.kind, self.end) = (kind, end)
    entryByteCount =
      switch kind {
      case .durations, .longChunkOffsets: 8
      case .chunkRuns: 12
      case .chunkOffsets: 4
      case .sizes(let bits): max(1, bits / 8)
      case .run(let run): run.entryByteCount
      }
    remaining = entryByteCount > 0 ? Int(min(Int64(count), max(0, end - start) / Int64(entryByteCount))) : count
  }

  /// Counts entries off that are read now, as many as `byteCount` bytes hold.
  mutating func take(from byteCount: Int) -> Int {
    let count = min(remaining, entryByteCount > 0 ? byteCount / entryByteCount : remaining)
    remaining -= count
    return count
  }
}

extension SampleTables {
  /// The head of `stsz`, after version and flags: size of all u32, count u32. Of `stz2`: 24 bits reserved, bits of a
  /// field u8, count u32. Returns the table that follows, if one does, and how many entries it has.
  mutating func readSizesHead(_ head: RawSpan, isCompact: Bool) -> (kind: TableReader.Kind, count: Int)? {
    sampleCount = Int(head.bigEndian32(at: 8))
    sizes = []
    constantSize = isCompact ? 0 : head.bigEndian32(at: 4)
    if constantSize > 0 { return nil }
    let bits = isCompact ? Int(head[7]) : 32
    guard [4, 8, 16, 32].contains(bits) else { return nil }
    return (.sizes(bits: bits), bits == 4 ? (sampleCount + 1) / 2 : sampleCount)
  }

  /// Adds `count` entries of a table.
  mutating func read(_ kind: TableReader.Kind, _ bytes: RawSpan, count: Int) {
    switch kind {
    case .durations:
      for index in 0..<count {
        durations.append((bytes.bigEndian32(at: index * 8), bytes.bigEndian32(at: index * 8 + 4)))
      }
    case .chunkRuns:
      for index in 0..<count {
        chunkRuns.append((bytes.bigEndian32(at: index * 12), bytes.bigEndian32(at: index * 12 + 4)))
      }
    case .chunkOffsets:
      for index in 0..<count { chunkOffsets.append(Int64(bytes.bigEndian32(at: index * 4))) }
    case .longChunkOffsets:
      for index in 0..<count { chunkOffsets.append(Int64(clamping: bytes.bigEndian64(at: index * 8))) }
    case .sizes(let bits):
      switch bits {
      case 32: for index in 0..<count { sizes.append(bytes.bigEndian32(at: index * 4)) }
      case 16: for index in 0..<count { sizes.append(UInt32(bytes.bigEndian16(at: index * 2))) }
      case 8: for index in 0..<count { sizes.append(UInt32(bytes[index])) }
      default:
        for index in 0..<count {
          sizes.append(UInt32(bytes[index] >> 4))
          sizes.append(UInt32(bytes[index] & 15))
        }
      }
    case .run: break
    }
  }
}
