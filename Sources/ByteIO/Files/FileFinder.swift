internal import Glibc

/// Finds files by the names that playlists and cue sheets give them, which may have been written on another system, or
/// before the files were moved or converted: with other separators, escapes, quotes or blanks, in another character set,
/// in other case, composed otherwise (NFC, NFD), with another folder or ending. Reads each folder once. Blocks; one
/// thread at a time.
public struct FileFinder {
  /// The names in a folder.
  private struct Names {
    /// By name without case; equal are also letters that are composed otherwise. The first of several by its bytes.
    var byName: [String: [UInt8]] = [:]
    /// The same without the ending.
    var byStem: [String: [[UInt8]]] = [:]
  }

  private var folders: [BytePath: Names] = [:]
  /// More are forgotten: they take memory.
  private static let folderLimit = 64
  private var readCount = 0
  /// After so many folders, none is read: a hostile list could name all of a disk, again and again.
  private static let readLimit = 1000

  /// A finder that has read no folder.
  public init() {}

  /// The file that a list in `folder` calls `name`; `nil` if there is none.
  ///
  /// - Parameter extensions: The endings that it may have instead of its own, in lower case.
  public mutating func file(called name: BytePath, in folder: BytePath, orWith extensions: Set<String>) -> BytePath? {
    let readings = name.readings + (name.bare.map(\.readings) ?? [])
    let places = (readings + readings.map(\.lastComponent)).map(folder.appending)
    if let path = places.first(where: \.exists) { return path }
    for place in places { if let path = alike(place) { return path } }
    for place in places {
      guard let parent = alike(place.parent) else { continue }
      let names = names(in: parent).byStem[Self.key(place.stem)] ?? []
      if let name = names.first(where: { extensions.contains(BytePath($0).fileExtension) }) {
        return parent.appending(BytePath(name))
      }
    }
    return nil
  }

  /// The existing path that differs from this one only in case and in the way in which letters are composed.
  private mutating func alike(_ path: BytePath) -> BytePath? {
    // A line of a list may have thousands of slashes.
    guard path.bytes.count < Int(PATH_MAX) else { return nil }
    var found = BytePath(path.isAbsolute ? "/" : ".")
    for component in path.bytes.split(separator: UInt8(ascii: "/")) {
      let next = found.appending(BytePath(component))
      if next.exists {
        found = next
      } else if let name = names(in: found).byName[Self.key(component)] {
        found = found.appending(BytePath(name))
      } else {
        return nil
      }
    }
    return found
  }

  private mutating func names(in folder: BytePath) -> Names {
    if let known = folders[folder] { return known }
    guard readCount < Self.readLimit else { return Names() }
    readCount += 1
    if folders.count >= Self.folderLimit { folders = [:] }
    var names = Names()
    for name in ((try? namesInFolder(folder)) ?? []).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      let (byName, byStem) = (Self.key(name), Self.key(BytePath(name).stem))
      if names.byName[byName] == nil { names.byName[byName] = name }
      names.byStem[byStem, default: []].append(name)
    }
    folders[folder] = names
    return names
  }

  /// Two strings are equal if their letters are, however these are composed.
  static func key(_ name: some Collection<UInt8>) -> String {
    (String(validating: name, as: UTF8.self) ?? Charset.windows1252.text(name)).lowercased()
  }
}
