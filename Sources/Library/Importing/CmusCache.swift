internal import ByteIO

/// The cache of cmus (`cache.c` of cmus 2.8 and later): a head, and entries of a fixed part and texts.
enum CmusCache {
  /// "CTC" and the version, which has not changed since 2.8.
  static let mark = Array("CTC".utf8) + [0x0d]
  /// The last byte of the head states the form of the numbers: 64 bits, little-endian.
  private static let layout: UInt8 = 1
  private static let headCount = 8
  /// Size, plays, time of change, duration, bit rate, beats, and room for more.
  private static let fixedCount = 80
  /// The largest entry, far above those of real tags: each text of an entry takes memory.
  private static let sizeLimit = 1 << 16

  /// Calls `body` for each entry, with its plays and its texts: path, codec, profile, then names and values. Ends at a
  /// damaged entry.
  static func forEachEntry(of bytes: [UInt8], _ body: (_ plays: Int, _ texts: [ArraySlice<UInt8>]) -> Void) {
    guard bytes.starts(with: mark), bytes.count >= headCount, bytes[headCount - 1] == layout else { return }
    func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) } }
    var start = headCount
    while start + fixedCount <= bytes.count {
      let size = number(start)
      guard fixedCount + 1...sizeLimit ~= size, start + size <= bytes.count else { return }
      body(
        number(start + 4),
        bytes[(start + fixedCount)..<(start + size)].split(separator: 0, omittingEmptySubsequences: false))
      start += (size + 7) / 8 * 8
    }
  }
}

extension ListenerRecord {
  /// The tracks of cmus's cache that were played. cmus has no ratings.
  ///
  /// - Parameter now: The time of addition, in seconds since 1970.
  public static func cmus(_ cache: [UInt8], now: Int64) -> [ListenerRecord] {
    var records: [ListenerRecord] = []
    CmusCache.forEachEntry(of: cache) { plays, texts in
      // A negative number of plays has its highest bit.
      guard let path = texts.first, path.first == UInt8(ascii: "/"), 1..<1 << 31 ~= plays else { return }
      var record = ListenerRecord(path: BytePath(path), added: now)
      record.plays = plays
      func value(_ name: String) -> String? {
        stride(from: 3, to: texts.count - 1, by: 2).first { texts[$0].elementsEqual(name.utf8) }
          .map { String(decoding: texts[$0 + 1], as: UTF8.self) }
      }
      (record.title, record.artist, record.album) = (value("title"), value("artist"), value("album"))
      records.append(record)
    }
    return records
  }
}
