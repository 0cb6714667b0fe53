internal import ByteIO
internal import Database

/// Reads the rows of the index from the databases.
struct IndexSource {
  let library: MusicLibrary

  /// Adds all files. Returns those that are to be joined (`TwinJoin`).
  func fill(_ builder: inout IndexBuilder) throws(DatabaseError) -> Twins.Outcome {
    var twins = Twins.Outcome()
    if try library.roots().contains(where: { $0.path.isOnServer && $0.state != .forgotten }) {
      var search = Twins()
      try forEachFile { row, tags in search.add(row, tags: tags) }
      twins = search.outcome()
    }
    builder.reserve(fileCount: Int(try library.catalogue.integer("SELECT count(*) FROM file") ?? 0))
    // Open meanwhile: the facts are those of one moment, and finding them takes no lock each time.
    let first = try library.listener.prepare("SELECT id FROM recording")
    _ = try first.step()
    defer { first.reset() }
    let recording = try library.listener.prepare(
      "SELECT id, added, plays, skips, last, rating, love FROM recording WHERE id=?")
    defer { recording.reset() }
    try forEachFile { (row, tags) throws(DatabaseError) in
      if let recording = twins.hidden[row.file] { return builder.hide(row, recording: recording) }
      var row = row
      row.recording = twins.recordings[row.file] ?? row.recording
      if try recording.bind(.integer(row.recording)).step() { row.facts = ListenerFacts(recording) }
      builder.add(row, tags: tags)
    }
    return twins
  }

  /// Calls `body` with each file that the index has, without the listener's facts, and with its stored tags.
  private func forEachFile(
    _ body: (IndexBuilder.Row, UnsafeRawBufferPointer) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    let rows = try library.catalogue.prepare(
      """
      SELECT file.id, file.recording, root.path, folder.path, file.name, file.state, root.state, file.duration,
        file.estimated, file.format, file.bitrate, file.since, file.tags, file.folder, file.mtime
      FROM file LEFT JOIN folder ON folder.id=file.folder LEFT JOIN root ON root.id=folder.root
      WHERE file.state NOT IN (2, 4, 5) AND coalesce(root.state, 0)<>2 ORDER BY file.folder
      """)
    let pinned = try PinStore(library).whole()
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
      if state != .here, !pinned.isEmpty, pinned.contains(BytePath(folder).appending(BytePath(name))) { state = .here }
      let row = IndexBuilder.Row(
        file: rows.integer(0), recording: rows.integer(1), folder: folder, name: name, state: state,
        duration: rows.real(7), isEstimated: rows.integer(8) != 0, format: rows.text(9) ?? "", bitRate: rows.int(10),
        modified: rows.integer(14) / 1_000_000_000, facts: ListenerFacts(added: rows.integer(11)))
      try rows.withBytes(12) { (tags) throws(DatabaseError) in try body(row, tags) }
    }
  }
}
