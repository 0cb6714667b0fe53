public import ByteIO
public import Database

// Playlists from and for files.
extension PlaylistStore {
  /// Makes a playlist of a file's entries, in their order; those that are missing are entries, too. It has the name of
  /// the file, unless another one is given.
  public func read(
    _ file: BytePath, as name: String? = nil, with collector: MediaCollector
  ) throws(DatabaseError) -> PlaylistOutcome {
    guard isNamedAsPlaylist(file) else { return .refused("\(file) is not a playlist") }
    let collection = collector.collect([file])
    if collection.entries.isEmpty, let failure = collection.failures.first { return .refused(failure.description) }
    let fileName = file.lastComponent
    let stem = fileName.bytes.dropLast(fileName.fileExtension.utf8.count + 1)
    return try perform(.create(name ?? String(guessing: stem), collection.entries))
  }
}

extension MediaCollector {
  /// The entries with what folders and playlists among them contain. Other files need not be there.
  public func expanded(_ entries: [CollectedEntry]) -> [CollectedEntry] {
    entries.flatMap { (entry) -> [CollectedEntry] in
      guard case .file(let path) = entry.location else { return [entry] }
      if case .folder? = FileKind(path) { return collect([path]).entries }
      return isNamedAsPlaylist(path) ? collect([path]).entries : [entry]
    }
  }
}

extension PlaylistWriter {
  /// The bytes of a file with these entries. Other programs show the titles, also of files that they cannot find.
  public static func bytes(of items: [PlaylistItem]) -> [UInt8] {
    items.reduce(into: Array("#EXTM3U\n".utf8)) { bytes, item in
      if item.title != item.location.name {
        let seconds = item.track?.duration.map { Int($0.rounded()) } ?? -1
        let name = (item.artist.map { $0 + " - " } ?? "") + item.title
        bytes += Array("#EXTINF:\(seconds),\(name.split(whereSeparator: \.isNewline).joined(separator: " "))\n".utf8)
      }
      bytes += line(for: item.location) + [UInt8(ascii: "\n")]
    }
  }
}

private func isNamedAsPlaylist(_ path: BytePath) -> Bool { PlaylistFormat(fileExtension: path.fileExtension) != nil }
