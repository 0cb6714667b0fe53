internal import AudioModel
public import ByteIO

/// The numbers of a scan. A file counts once: as moved, retagged, missing, bad, read (new), or unchanged.
public struct ScanTotals: Sendable, Hashable {
  /// Playable files that were found.
  public var found = 0
  public var read = 0
  public var unchanged = 0
  /// Known files that were found at another place.
  public var moved = 0
  /// Files with changed tags or audio.
  public var retagged = 0
  /// Files that disappeared since the last scan.
  public var missing = 0
  /// Files below roots that are away.
  public var away = 0
  /// Files that cannot be read as audio.
  public var bad = 0
  /// Files that the system could not read now.
  public var unreadFiles = UnreadPlaces()
  /// Folders that it could not.
  public var unreadFolders = UnreadPlaces()
  public var seconds = 0.0
  /// True if the scan was cancelled: the next one continues.
  public var isCancelled = false
  /// True if the listener's data of known tracks may have other paths than before.
  public var hasNewPaths = false

  /// Counts another scan as a part of this one.
  public mutating func add(_ other: ScanTotals) {
    found += other.found
    read += other.read
    unchanged += other.unchanged
    retagged += other.retagged
    missing += other.missing
    away += other.away
    seconds += other.seconds
    isCancelled = isCancelled || other.isCancelled
  }

  public var hasChanges: Bool { read > 0 || moved > 0 || retagged > 0 || missing > 0 }

  public init() {}

  /// `120 files found: 120 read, 2 unplayable ('segue library list bad') (840 ms)`.
  public var sentence: String {
    let parts: [(Int, String)] = [
      (read, "read"), (unchanged, "unchanged"), (moved, "moved"), (retagged, "retagged"), (missing, "missing"),
      (away, "away"), (bad, "unplayable ('segue library list bad')"),
      (unreadFiles.count, unreadFiles.words("not read")),
      (unreadFolders.count, unreadFolders.words(unreadFolders.count == 1 ? "folder not read" : "folders not read")),
    ]
    let counts = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    let milliseconds = Int(seconds * 1000)
    return "\(counted(found, "file")) found" + (counts.isEmpty ? "" : ": \(counts)") + " (\(milliseconds) ms)"
  }
}

public struct ScanProgress: Sendable, Hashable {
  public var found: Int
  public var toRead: Int
  public var read: Int
  /// The folder that was listed last or, once files are read, that of the file that was read last.
  public var folder: BytePath
  /// True if everything that was read is in the database, and no transaction is open.
  public var isSaved = false

  public init(found: Int, toRead: Int, read: Int, folder: BytePath, isSaved: Bool = false) {
    (self.found, self.toRead, self.read, self.folder, self.isSaved) = (found, toRead, read, folder, isSaved)
  }
}
