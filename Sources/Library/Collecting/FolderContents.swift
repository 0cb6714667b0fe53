internal import AudioModel
public import ByteIO
internal import Containers
internal import Glibc

/// A file or folder in a list of a folder's contents.
public struct FolderItem: Sendable, Hashable {
  /// The kind, by its name and type.
  public enum Kind: Sendable, Hashable, Comparable {
    /// The folder above.
    case parent
    case folder
    /// A playlist or a cue sheet.
    case playlist
    /// A file with the extension of a playable one.
    case playable
    case other
  }

  public var path: BytePath
  public var kind: Kind

  public init(path: BytePath, kind: Kind) { (self.path, self.kind) = (path, kind) }
}

/// The contents of a folder without hidden files: folders first, then files, in natural order.
public struct FolderContents: Sendable, Hashable {
  /// The folder, without `.` and `..`.
  public var folder: BytePath
  /// The items, behind the folder above.
  public var items: [FolderItem]
  /// The reason why it cannot be read.
  public var failure: ByteIOError?
  /// True if it is shown because the folder for music is not there.
  public var standsInForMusic = false
  /// The tracks of its cue sheets, where they were read.
  public var sheetTracks: [SheetTrack] = []

  public struct SheetTrack: Sendable, Hashable {
    /// The sheet and the number of the track.
    public var location: MediaLocation
    /// The title, or the name of the sheet with the number; artist and album.
    public var title: String, artist: String?, album: String?

    public init(_ location: MediaLocation, title: String, artist: String? = nil, album: String? = nil) {
      (self.location, self.title, self.artist, self.album) = (location, title, artist, album)
    }
  }

  public init(folder: BytePath, items: [FolderItem], failure: ByteIOError? = nil) {
    (self.folder, self.items, self.failure) = (folder, items, failure)
  }

  /// Reads a folder. May take long on a slow disk. Any thread.
  public init(reading folder: BytePath, playableExtensions: Set<String>) {
    let isRoot = folder.bytes == Array("/".utf8)
    self.init(folder: folder, items: isRoot ? [] : [FolderItem(path: folder.parent, kind: .parent)])
    let names: [[UInt8]]
    do throws(ByteIOError) { names = try namesInFolder(folder) } catch {
      failure = error
      return
    }
    var folders: [FolderItem] = []
    var files: [FolderItem] = []
    for name in names.sorted(by: precedesNaturally) {
      let path = folder.appending(BytePath(name))
      switch FileKind(path) {
      case .folder: folders.append(FolderItem(path: path, kind: .folder))
      case .file: files.append(FolderItem(path: path, kind: .init(ofFile: path, playableExtensions)))
      case .other, nil: files.append(FolderItem(path: path, kind: .other))
      }
    }
    items += folders + files
  }

  /// The largest number of cue sheets of a folder that are read, and the number of tracks after which no more are.
  private static let sheetLimit = 100, sheetTrackLimit = 10_000

  /// Reads the cue sheets among the items and within large files; tracks of missing files are left out. May take long on
  /// a slow disk. Any thread.
  ///
  /// - Parameter byteCount: Smaller files of sound are not opened.
  public mutating func readSheets(
    withinFilesOf byteCount: Int64 = MediaCollector.Limits().embeddedSheetByteCount
  ) {
    var sheetCount = 0
    for item in items where sheetCount < Self.sheetLimit && sheetTracks.count < Self.sheetTrackLimit {
      guard Self.mayHaveSheet(item, within: byteCount) else { continue }
      sheetCount += 1
      let path = item.path
      // A damaged sheet is reported when it is played.
      guard let sheet = try? CueSheet(at: path) else { continue }
      var isThere: [[UInt8]: Bool] = [:]
      for (index, track) in sheet.tracks.enumerated() {
        if isThere[track.file] == nil { isThere[track.file] = sheet.location(of: track, in: path) != nil }
        guard isThere[track.file] == true else { continue }
        let location = MediaLocation.track(path, number: index + 1)
        sheetTracks.append(
          SheetTrack(
            location, title: track.tags.title ?? location.name, artist: track.tags.artist, album: track.tags.album))
      }
    }
  }

  private static func mayHaveSheet(_ item: FolderItem, within byteCount: Int64) -> Bool {
    switch item.kind {
    case .playlist: return item.path.fileExtension == "cue"
    case .playable:
      guard case .file(_, let count) = FileKind(item.path) else { return false }
      return count >= byteCount
    case .parent, .folder, .other: return false
    }
  }
}

extension FolderItem.Kind {
  fileprivate init(ofFile path: BytePath, _ playableExtensions: Set<String>) {
    if PlaylistFormat(fileExtension: path.fileExtension) != nil {
      self = .playlist
    } else {
      self = playableExtensions.contains(path.fileExtension) ? .playable : .other
    }
  }
}

extension BytePath {
  /// The path from the root on, without `.`, `..` and doubled slashes. Does not resolve links. Relative paths start in
  /// the current folder.
  public var absolute: BytePath {
    if isOnServer { return self }
    var whole = self
    if !isAbsolute {
      // A removed current folder has no path.
      guard let current = getcwd(nil, 0) else { return self }
      defer { free(current) }
      whole = BytePath(UnsafeBufferPointer(start: current, count: strlen(current)).map { UInt8(bitPattern: $0) })
        .appending(self)
    }
    var parts: [ArraySlice<UInt8>] = []
    for part in whole.bytes.split(separator: UInt8(ascii: "/")) where !part.elementsEqual(".".utf8) {
      if part.elementsEqual("..".utf8) { _ = parts.popLast() } else { parts.append(part) }
    }
    return BytePath(parts.isEmpty ? [UInt8(ascii: "/")] : parts.flatMap { [UInt8(ascii: "/")] + $0 })
  }
}
