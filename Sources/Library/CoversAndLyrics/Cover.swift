public import AudioModel
public import ByteIO
internal import Containers

/// The cover of a track as it is stored, not decoded.
public struct Cover: Sendable, Hashable {
  public enum Place: Sendable, Hashable {
    /// In the tags of the track's file, or with its server.
    case embedded
    /// A file in the folder of the track.
    case file(BytePath)
  }

  public var bytes: [UInt8]
  /// The format, by the bytes alone.
  public var format: PictureFormat
  public var place: Place

  /// The size limit of a picture in bytes; larger ones are ignored.
  public static let byteLimit = 16 << 20

  init?(_ bytes: [UInt8], _ place: Place) {
    guard bytes.count <= Self.byteLimit, let format = PictureFormat(bytes) else { return nil }
    (self.bytes, self.format, self.place) = (bytes, format, place)
  }

  /// A picture that a server of music has sent; `nil` for other bytes.
  public init?(fromServer bytes: [UInt8]) { self.init(bytes, .embedded) }

  /// The first valid picture in the tags of a file, a front cover before others, these before icons. Blocks while the
  /// disk reads. Any thread.
  public static func embedded(in file: BytePath, _ artwork: [TrackTags.Artwork]) -> Cover? {
    guard let source = try? FileByteSource(path: file) else { return nil }
    let ordered = TrackTags.Artwork.Kind.allCases.flatMap { kind in artwork.filter { $0.kind == kind } }
    // Base64 takes a third more.
    for picture in ordered.lazy.filter({ 1...byteLimit / 3 * 4 ~= $0.byteCount }).prefix(attemptLimit) {
      // Passed on without a second reference, which would double the memory.
      let bytes = picture.picture(
        in: (try? source.bytes(from: picture.byteOffset, byteCount: picture.byteCount)) ?? [])
      if let cover = bytes.flatMap({ Cover($0, .embedded) }) { return cover }
    }
    return nil
  }

  /// The largest number of pictures to try: a file may name many invalid ones.
  private static let attemptLimit = 8

  /// The picture in the folder of a file: `cover`, `folder`, `front` or `album`, then the largest one; a GIF, which no
  /// screen shows, only if there is no other. Without one, that in the folder above the folder of a disc (`CD1`). Blocks
  /// while the disk reads. Any thread.
  public static func beside(_ file: BytePath) -> Cover? {
    if let cover = within(file.parent) { return cover }
    let folder = file.parent.absolute
    let album = BytePath(AlbumGrouping.folderGroup(folder.bytes[...]))
    return album == folder ? nil : within(album)
  }

  /// The same of a folder.
  public static func within(_ folder: BytePath) -> Cover? {
    guard let names = try? namesInFolder(folder) else { return nil }
    let pictures = names.map { BytePath($0) }.filter { PictureFormat.fileExtensions.contains($0.fileExtension) }
    let candidates = pictures.compactMap { name -> (path: BytePath, rank: Int, byteCount: Int64)? in
      let path = folder.appending(name)
      guard case .file(_, let byteCount)? = FileKind(path), byteCount <= byteLimit else { return nil }
      let text = name.description.lowercased()
      guard name.fileExtension != "gif" else { return (path, Self.names.count + 1, byteCount) }
      let rank = Self.names.firstIndex { text == "\($0).\(name.fileExtension)" } ?? Self.names.count
      return (path, rank, byteCount)
    }
    for candidate in candidates.sorted(by: { ($0.rank, -$0.byteCount) < ($1.rank, -$1.byteCount) }).prefix(attemptLimit)
    {
      let bytes = try? wholeFile(candidate.path, byteLimit: byteLimit)
      if let cover = bytes.flatMap({ Cover($0, .file(candidate.path)) }) { return cover }
    }
    return nil
  }

  private static let names = ["cover", "folder", "front", "album"]
}

/// A picture format, recognised by its first bytes.
public enum PictureFormat: String, Sendable, CaseIterable {
  case jpeg, png, webp, gif

  /// The format of a picture; `nil` for other bytes.
  public init?(_ bytes: [UInt8]) {
    func begins(_ text: String, at index: Int = 0) -> Bool { bytes.dropFirst(index).starts(with: text.utf8) }
    if bytes.starts(with: [0xff, 0xd8, 0xff]) {
      self = .jpeg
    } else if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
      self = .png
    } else if begins("RIFF"), begins("WEBP", at: 8) {
      self = .webp
    } else if begins("GIF87a") || begins("GIF89a") {
      self = .gif
    } else {
      return nil
    }
  }

  /// The format of a file; `nil` if it is not a picture, or cannot be read.
  public init?(of file: BytePath) {
    guard let head = try? wholeFile(file, byteLimit: 12) else { return nil }
    self.init(head)
  }

  public var mimeType: String { "image/" + rawValue }

  /// The usual extension of files, without the dot.
  public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  static let fileExtensions: Set<String> = ["jpg", "jpeg", "png", "webp", "gif"]
}
