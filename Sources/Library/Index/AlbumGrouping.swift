internal import ByteIO

/// The rule that makes tracks one album. Raw values are stored in the index.
public enum AlbumRule: UInt8, Sendable {
  /// One release of MusicBrainz.
  case release = 0
  /// One album artist and one title in one group of folders.
  case albumArtist = 1
  /// No album artist: one title in one group of folders.
  case folder = 2
  /// No album title: one folder.
  case noAlbum = 3

  /// The rule in words, for the Info view.
  public var description: String {
    switch self {
    case .release: "the same MusicBrainz release"
    case .albumArtist: "the same album artist and title in one folder"
    case .folder: "the same album title in one folder"
    case .noAlbum: "one folder, no album title"
    }
  }
}

/// Decides which tracks are one album. Pure: tags and folders in, keys out.
///
/// A group of folders is a folder, or its parent folder if its name is that of a disc ("CD 1", "Disc02").
enum AlbumGrouping {
  /// The facts that decide.
  struct Facts {
    var folder: ArraySlice<UInt8>
    var album: UnsafeRawBufferPointer?
    var albumArtist: UnsafeRawBufferPointer?
    var releaseID: UnsafeRawBufferPointer?
    var version: UnsafeRawBufferPointer?
  }

  /// The key of a track's album, and the rule that gave it.
  static func key(_ facts: Facts) -> (key: [UInt8], rule: AlbumRule) {
    if let release = facts.releaseID, !release.isEmpty { return ([UInt8(ascii: "m")] + release, .release) }
    guard let album = facts.album, !album.isEmpty else { return ([UInt8(ascii: "n")] + facts.folder, .noAlbum) }
    let group = folderGroup(facts.folder)
    var key: [UInt8] = []
    let rule: AlbumRule
    if let artist = facts.albumArtist, !artist.isEmpty {
      rule = .albumArtist
      key.append(UInt8(ascii: "a"))
      TextFolding.append(artist, to: &key)
      key.append(0)
    } else {
      rule = .folder
      key.append(UInt8(ascii: "f"))
    }
    TextFolding.append(album, to: &key)
    key.append(0)
    if let version = facts.version { TextFolding.append(version, to: &key) }
    key.append(0)
    return (key + group, rule)
  }

  /// The folder, or its parent folder if its name is that of a disc.
  static func folderGroup(_ folder: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    disc(ofFolder: folder) == nil ? folder : folder[..<(folder.lastIndex(of: UInt8(ascii: "/")) ?? folder.startIndex)]
  }

  /// The number in the name of a disc's folder.
  static func disc(ofFolder folder: ArraySlice<UInt8>) -> Int? {
    folder.lastIndex(of: UInt8(ascii: "/")).flatMap { disc(folder[($0 + 1)...]) }
  }

  /// The number in "CD 1", "disc02", "Disk_3", "CD1 - Live".
  static func disc(_ name: ArraySlice<UInt8>) -> Int? {
    var rest = name[...]
    for word in ["cd", "disc", "disk", "dvd", "vinyl", "side"] {
      let letters = rest.prefix(word.utf8.count).map(lowercased)
      guard letters.elementsEqual(word.utf8) else { continue }
      rest = rest.dropFirst(word.utf8.count).drop { [0x20, 0x2d, 0x5f, 0x23, 0x2e].contains($0) }
      let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      return 1...2 ~= digits.count ? digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } : nil
    }
    return nil
  }
}
