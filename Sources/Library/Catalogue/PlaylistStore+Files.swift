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
    var store = self
    if PlaylistFormat(fileExtension: file.fileExtension) == .m3u { store.keys = Self.keys(in: file) }
    return try store.perform(.create(name ?? String(guessing: stem), collection.entries))
  }

  private static let keyMark = Array("#SEGUE-KEY:".utf8)

  /// The keys of sound in a file that `file(of:)` made: tracks are found by them on another computer, too.
  private static func keys(in file: BytePath) -> [BytePath: [UInt8]] {
    var keys: [BytePath: [UInt8]] = [:]
    var key: [UInt8]?
    // A file that cannot be read has no entries.
    try? forEachLine(of: file) { line in
      if line.starts(with: keyMark) {
        key = bytes(ofHex: String(decoding: line.dropFirst(keyMark.count), as: UTF8.self))
      } else if line.first != UInt8(ascii: "#"), let known = key {
        if case .file(let path) = MediaLocation(written: Array(line), in: file.parent) { keys[path] = known }
        key = nil
      }
      return true
    }
    return keys
  }

  /// The bytes of a playlist file (m3u8) with these entries. Other programs show the titles, also of files that they cannot
  /// find.
  public func file(of items: [PlaylistItem]) throws(DatabaseError) -> [UInt8] {
    var bytes = Array("#EXTM3U\n".utf8)
    let find = try listener.prepare("SELECT lower(hex(key)) FROM recording WHERE id=? AND key IS NOT NULL")
    for item in items {
      if let title = item.ownTitle {
        let seconds = item.track?.duration.map { Int($0.rounded()) } ?? -1
        let name = (item.artist.map { $0 + " - " } ?? "") + title
        bytes += Array("#EXTINF:\(seconds),\(name.split(whereSeparator: \.isNewline).joined(separator: " "))\n".utf8)
      }
      try find.bind(.integer(item.recording))
      if try find.step() { bytes += Self.keyMark + Array((find.text(0) ?? "").utf8) + [UInt8(ascii: "\n")] }
      bytes += PlaylistWriter.line(for: item.location) + [UInt8(ascii: "\n")]
    }
    return bytes
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

private func isNamedAsPlaylist(_ path: BytePath) -> Bool { PlaylistFormat(fileExtension: path.fileExtension) != nil }
