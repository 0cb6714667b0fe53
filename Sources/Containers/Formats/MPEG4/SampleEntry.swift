/// The first entry of `stsd` as it lies in the file: an AudioSampleEntry (ISO/IEC 14496-12 12.2.3) or one of
/// QuickTime's three versions of a sound description.
struct SampleEntry {
  let type: String
  private(set) var channelCount: Int
  /// Bits per sample, if that is meaningful.
  private(set) var sampleSize: Int
  private(set) var sampleRate: Double
  /// QuickTime's version 2 has a layout of PCM as Core Audio has it.
  private(set) var linear: (flags: UInt32, bytesPerPacket: Int)?
  /// The boxes in it, and in its `wave` box, by their types. The first of a type counts.
  private(set) var atoms: [String: [UInt8]] = [:]

  /// `bytes` is the content of `stsd`; `nil` if they end too early.
  init?(_ bytes: RawSpan) {
    let (listByteCount, entryByteCount) = (8, 36)
    guard bytes.byteCount >= listByteCount + entryByteCount else { return nil }
    let entry = bytes.extracting(droppingFirst: listByteCount)
    let end = min(entry.byteCount, Int(entry.bigEndian32(at: 0)))
    // The version of the list distinguishes ISO's version 1 of entries from QuickTime's, which has the same fields.
    let version = bytes[0] == 0 ? entry.bigEndian16(at: 16) : 0
    type = entry.fourCharacters(at: 4)
    channelCount = Int(entry.bigEndian16(at: 24))
    sampleSize = Int(entry.bigEndian16(at: 26))
    sampleRate = Double(entry.bigEndian32(at: 32)) / 65536
    let fieldsEnd = entryByteCount + [0, 16, 36][version < 3 ? Int(version) : 0]
    guard end >= fieldsEnd else { return nil }
    if version == 2 {
      sampleRate = Double(bitPattern: entry.bigEndian64(at: 40))
      channelCount = Int(entry.bigEndian32(at: 48))
      sampleSize = Int(entry.bigEndian32(at: 56))
      linear = (entry.bigEndian32(at: 60), Int(entry.bigEndian32(at: 64)))
    }
    collectAtoms(entry.extracting(fieldsEnd..<end))
  }

  private mutating func collectAtoms(_ bytes: RawSpan, isInWave: Bool = false) {
    bytes.forEachBox { type, content in
      if type == "wave", !isInWave {
        collectAtoms(content, isInWave: true)
      } else if atoms[type] == nil {
        atoms[type] = content.copy(0..<content.byteCount)
      }
    }
  }

  /// The content of a box that has a version and flags in front, after those; at least `byteCount` bytes.
  func fullAtom(_ type: String, atLeast byteCount: Int) -> [UInt8]? {
    guard let atom = atoms[type], atom.count >= 4 + byteCount else { return nil }
    return Array(atom[4...])
  }
}
