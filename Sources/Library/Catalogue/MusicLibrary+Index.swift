internal import ByteIO
public import Database
internal import Glibc

// The index: written from the databases, read by everything else.
extension MusicLibrary {
  /// The library as it is now. Writes the index first if there is none, or if it does not know the last scan.
  public func view() throws(DatabaseError) -> LibraryView {
    if try property("indexed", of: catalogue) == "1", let index = LibraryIndex(folder: folder) {
      var view = LibraryView(index)
      try update(&view)
      return view
    }
    try writeIndex()
    guard let index = LibraryIndex(folder: folder) else {
      throw DatabaseError(
        .notWritable, operation: "write", path: LibraryIndex.path(in: folder), reason: "the index cannot be read back")
    }
    return LibraryView(index)
  }

  /// Brings a view up to the listener's last change.
  public func update(_ view: inout LibraryView) throws(DatabaseError) {
    guard try lastChange() > view.change else { return }
    let rows = try listener.prepare(
      "SELECT id, added, plays, skips, last, rating, love, changed FROM recording WHERE changed>?"
    ).bind(.integer(view.change))
    while try rows.step() {
      view.note(Self.facts(rows), ofRecording: rows.integer(0), change: rows.integer(7))
    }
  }

  /// Columns 1 to 6: added, plays, skips, last, rating, love.
  private static func facts(_ row: Statement) -> ListenerFacts {
    ListenerFacts(
      added: row.integer(1), plays: row.int(2), skips: row.int(3), last: row.integer(4),
      rating: row.isNull(5) ? nil : min(10, max(0, row.int(5))), love: row.integer(6) != 0)
  }

  /// Writes the index anew.
  public func writeIndex() throws(DatabaseError) {
    let change = try lastChange()
    var builder = IndexBuilder()
    try fill(&builder)
    let bytes = builder.finish(change: change)
    let path = LibraryIndex.path(in: folder)
    let temporary = BytePath(path.bytes + Array(".\(getpid())~".utf8))
    let descriptor = temporary.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) }
    // Not synced: after a power cut a torn file is noticed, and written anew.
    let isWritten = descriptor >= 0 && bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
    let failure = errno
    if descriptor >= 0 { close(descriptor) }
    guard isWritten, temporary.withCString({ old in path.withCString { rename(old, $0) } }) == 0 else {
      let code = isWritten ? errno : failure
      _ = temporary.withCString { unlink($0) }
      throw DatabaseError(
        code == ENOSPC ? .full : .notWritable, operation: "write", path: path,
        reason: ByteIOError(operation: "write", errno: code).reason)
    }
    try catalogue.execute("INSERT OR REPLACE INTO property VALUES ('indexed', '1')")
  }

  private func fill(_ builder: inout IndexBuilder) throws(DatabaseError) {
    var facts: [Int64: ListenerFacts] = [:]
    let recordings = try listener.prepare("SELECT id, added, plays, skips, last, rating, love FROM recording")
    while try recordings.step() { facts[recordings.integer(0)] = Self.facts(recordings) }
    let rows = try catalogue.prepare(
      """
      SELECT file.id, file.recording, root.path, folder.path, file.name, file.state, root.state, file.duration,
        file.estimated, file.format, file.bitrate, file.since, file.tags, file.folder
      FROM file LEFT JOIN folder ON folder.id=file.folder LEFT JOIN root ON root.id=folder.root
      WHERE file.state NOT IN (2, 4) AND coalesce(root.state, 0)<>2 ORDER BY file.folder
      """)
    var (folderBytes, lastFolder): ([UInt8], Int64) = ([], -1)
    while try rows.step() {
      if rows.integer(13) != lastFolder {
        let (root, relative) = (BytePath(rows.blob(2)), BytePath(rows.blob(3)))
        folderBytes = (relative.bytes.isEmpty ? root : root.appending(relative)).bytes
        lastFolder = rows.integer(13)
      }
      var name = rows.blob(4)
      var folder = folderBytes
      if rows.isNull(2) { (folder, name) = (BytePath(name).parent.bytes, BytePath(name).lastComponent.bytes) }
      var state = FileState(rawValue: rows.int(5)) ?? .here
      if rows.int(6) == RootState.away.rawValue, state == .here { state = .away }
      let recording = rows.integer(1)
      let known = facts[recording] ?? ListenerFacts(added: rows.integer(11))
      let row = IndexBuilder.Row(
        file: rows.integer(0), recording: recording, folder: folder, name: name, state: state, duration: rows.real(7),
        isEstimated: rows.integer(8) != 0, format: rows.text(9) ?? "", bitRate: rows.int(10), facts: known)
      rows.withBytes(12) { builder.add(row, tags: $0) }
    }
  }
}

private func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
  var rest = bytes
  while !rest.isEmpty {
    let count = write(descriptor, rest.baseAddress, rest.count)
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return false }
    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
  }
  return true
}
