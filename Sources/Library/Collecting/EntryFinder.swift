internal import ByteIO

/// The locations of the entries of a playlist, also of those that are not where it says: see `FileFinder`. Blocks; one
/// thread at a time.
///
/// A list is written by one program in one way, and may have 100,000 entries on a slow disk: the first ones are looked
/// for, and the others only once one was not there.
struct EntryFinder {
  /// The entries that are looked for in each list.
  private static let sampleCount = 64
  /// After so many in a row that are not there, their disk is not, and they are not looked for elsewhere.
  private static let missLimit = 200

  private let folder: BytePath
  private let extensions: Set<String>
  private var finder = FileFinder()
  private var entryCount = 0
  private var isDoubtful = false
  private var missesInARow = 0
  /// The files that were not found, as far as they were looked for.
  private(set) var missingCount = 0
  /// The first one of them, where the list says that it is.
  private(set) var firstMissing: BytePath?

  /// - Parameter extensions: The endings that files may have instead of those in the list, in lower case.
  init(folder: BytePath, extensions: Set<String>) { (self.folder, self.extensions) = (folder, extensions) }

  mutating func location(of item: PlaylistReader.Item) -> MediaLocation {
    let location = MediaLocation(item, in: folder)
    entryCount += 1
    guard isDoubtful || entryCount <= Self.sampleCount, let written = Self.file(of: location) else { return location }
    guard !written.exists else {
      missesInARow = 0
      return location
    }
    isDoubtful = true
    missesInARow += 1
    if missesInARow <= Self.missLimit, let path = find(Self.name(item.target, of: location)) ?? find(item.targetText) {
      missesInARow = 0
      return if case .track(_, let number) = location { .track(path, number: number) } else { .file(path) }
    }
    missingCount += 1
    firstMissing = firstMissing ?? written
    return location
  }

  private mutating func find(_ text: String?) -> BytePath? { text.flatMap { find(BytePath($0)) } }

  private mutating func find(_ name: BytePath) -> BytePath? {
    finder.file(called: name, in: folder, orWith: extensions)
  }

  /// The path in an entry, without the number of a track; that of a `file:` address is the path it stands for.
  private static func name(_ target: [UInt8], of location: MediaLocation) -> BytePath {
    let isAddress = target.prefix(5).map(lowercased) == Array("file:".utf8)
    if case .file = location, !isAddress { return BytePath(target) }
    return file(of: location) ?? BytePath(target)
  }

  /// The file on this computer that has to be there: the sheet of a track.
  private static func file(of location: MediaLocation) -> BytePath? {
    switch location {
    case .file(let path), .track(let path, _): path
    case .url: nil
    }
  }
}
