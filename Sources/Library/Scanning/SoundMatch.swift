internal import ByteIO

/// The choice among tracks with the same audio. Pure.
enum SoundMatch {
  /// The file that fits best; `nil` if several fit as well.
  static func best(of files: [KnownFile], name: [UInt8], tags: CatalogueTags) -> KnownFile? {
    if files.count <= 1 { return files.first }
    let sameTags = files.filter { haveSameNames($0.tags, tags) }
    if sameTags.count == 1 { return sameTags.first }
    let sameNames = (sameTags.isEmpty ? files : sameTags).filter { $0.name == name }
    return sameNames.count == 1 ? sameNames.first : nil
  }

  /// True if both have the same title on the same album, or both have neither.
  static func haveSameNames(_ tags: CatalogueTags, _ other: CatalogueTags) -> Bool {
    tags.first(.album) == other.first(.album) && tags.first(.title) == other.first(.title)
  }

  /// A number that is higher for a better fit: the names decide, then the number of bytes in which the paths end alike.
  static func fit(_ path: BytePath, _ other: BytePath, haveSameNames: Bool) -> Int {
    let alike = zip(path.bytes.reversed(), other.bytes.reversed()).prefix { $0 == $1 }.count
    return (haveSameNames ? 1 << 20 : 0) + min(alike, (1 << 20) - 1)
  }
}
