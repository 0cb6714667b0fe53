internal import ByteIO

/// Files with the same audio, from which one is chosen by its names. Adding, removing and choosing take the same time for
/// any number of files. Pure.
struct SoundMatch {
  struct Names: Hashable {
    var title: String?
    var album: String?

    init(_ tags: CatalogueTags) { (title, album) = (tags.first(.title), tags.first(.album)) }
    init(title: String?, album: String?) { (self.title, self.album) = (title, album) }
  }

  private enum Trait: Hashable {
    case names(Names)
    case name([UInt8])
    case both(Names, [UInt8])
  }

  private var files: [Int64: KnownFile] = [:]
  private var byTrait: [Trait: Set<Int64>] = [:]

  var isEmpty: Bool { files.isEmpty }

  mutating func insert(_ file: KnownFile) {
    files[file.id] = file
    for trait in Self.traits(of: file) { byTrait[trait, default: []].insert(file.id) }
  }

  @discardableResult
  mutating func remove(_ id: Int64) -> KnownFile? {
    guard let file = files.removeValue(forKey: id) else { return nil }
    for trait in Self.traits(of: file) {
      byTrait[trait]?.remove(id)
      if byTrait[trait]?.isEmpty == true { byTrait[trait] = nil }
    }
    return file
  }

  private static func traits(of file: KnownFile) -> [Trait] {
    let names = Names(file.tags)
    return [.names(names), .name(file.name), .both(names, file.name)]
  }

  /// The file that fits best; `nil` if several fit as well.
  ///
  /// - Parameter needsTrait: False if a file that is the only one fits under any name.
  func best(name: [UInt8], tags: CatalogueTags, needsTrait: Bool) -> KnownFile? {
    if files.count == 1, !needsTrait { return files.first?.value }
    let names = Names(tags)
    let alike = byTrait[.names(names)] ?? []
    let fitting = alike.count == 1 ? alike : byTrait[alike.isEmpty ? .name(name) : .both(names, name)] ?? []
    return fitting.count == 1 ? fitting.first.flatMap { files[$0] } : nil
  }

  /// A number that is higher for a better fit: the names decide, then the number of bytes in which the paths end alike.
  static func fit(_ path: BytePath, _ other: BytePath, haveSameNames: Bool) -> Int {
    let alike = zip(path.bytes.reversed(), other.bytes.reversed()).prefix { $0 == $1 }.count
    return (haveSameNames ? 1 << 20 : 0) + min(alike, (1 << 20) - 1)
  }
}
