internal import ByteIO
internal import Commands
internal import Containers
internal import Glibc
internal import Library
internal import Playback
internal import Threads

/// Performs one request of `DiskWorker` at a time. On its thread.
struct DiskJob: Sendable {
  let folders: UserFolders
  let saver: (any PlaylistSaver)?
  let collector: MediaCollector
  private static let historyLimit = 500

  func perform(_ request: DiskWorker.Request) -> DiskWorker.Outcome? {
    switch request {
    case .list(let path, let withSheets):
      let folder = path.bytes.isEmpty ? folders.music : folders.expanded(path)
      var contents = FolderContents(reading: folder.absolute, playableExtensions: collector.playableExtensions)
      if withSheets { contents.readSheets() }
      return .found(.folder(contents))
    case .complete(let beginning, let onlyFolders, let folder):
      return .found(.completions(names(beginning, onlyFolders: onlyFolders, in: folder), beginning: beginning))
    case .collect(let paths, let destination): return collect(paths.map(folders.expanded), destination)
    case .find(let names, let destination, let folder): return find(names, destination, in: folder)
    case .save(let entries, let path, let permission, let source):
      let file = PlaylistFile(named: path)
      let lists = folders.state.map(Self.streamLists) ?? []
      let notes = PlaylistNotes(of: file.path, names: (source.map { [$0] } ?? []) + lists)
      let bytes = notes.bytes(of: entries.map(\.location))
      return write(bytes, to: file, over: permission).map { .said($0) } ?? .saved(file.path, count: entries.count)
    case .export(let export):
      let file = PlaylistFile(named: export.path)
      let permission = export.replacesOther ? PlaylistFile.Permission.anyPlaylist : .only(nil)
      return write(export.bytes, to: file, over: permission).map { .said($0) }
        ?? .exported(file.path, count: export.count)
    case .keepSession(let running, let record, let entries):
      do throws(ByteIOError) { try running.keep(record, entries) } catch { return .sessionFailed(error.description) }
      return nil
    case .editStreams(let edit, let folder): return editStreams(edit, in: folder)
    case .recallHistory(let path): return .found(.history(history(in: path)))
    case .remember(let line, let path):
      remember(line, in: path)
      return nil
    case .readLyrics(let file, let id): return .found(.lyrics(LyricsFiles(besides: file), entryID: id))
    case .shiftLyrics(let change, let file, let id):
      guard let change else { return .found(.lyricsShift(file.seconds, entryID: id)) }
      let seconds = change.applied(to: file.seconds)
      do throws(ByteIOError) { try file.write(seconds) } catch {
        return .said("the lyrics were not shifted, because the shift cannot be kept: \(error)")
      }
      return .shifted(seconds, id)
    }
  }

  /// Writes a playlist; the reason if it was not written.
  private func write(_ bytes: [UInt8], to file: PlaylistFile, over permission: PlaylistFile.Permission) -> String? {
    if let saver { return saver.save(bytes, to: file, over: permission) }
    do throws(PlaylistFile.Refusal) { try file.write(bytes, over: permission) } catch { return error.description }
    return nil
  }

  // MARK: Collecting

  private func find(
    _ names: WrittenNames, _ destination: Command.Destination, in folder: BytePath?
  ) -> DiskWorker.Outcome {
    var named = NamedPaths(folder: folder, expand: folders.expanded)
    if destination == .whole { named.extensions = [".m3u8", ".m3u"] }
    let (paths, areThere) = named.find(names.text, words: names.words)
    if !areThere {
      guard Self.isPath(names.query) || destination == .whole else { return .unnamed(names.query, destination) }
      guard paths.count == 1 else { return .said("no such file or address: \(names.text.prefix(200))") }
    }
    return collect(paths, destination)
  }

  /// True for a text that cannot be a query.
  private static func isPath(_ text: String) -> Bool {
    ["/", "~", "./", "../", "file:", "'", "\"/"].contains { text.hasPrefix($0) }
  }

  /// Opens files without a known extension before they are added: they must contain audio.
  private func collect(_ paths: [BytePath], _ destination: Command.Destination) -> DiskWorker.Outcome {
    var failures: [CollectionFailure] = []
    let playable = paths.filter { path in
      guard collector.mustBeOpened(path), let reason = refusal(of: path) else { return true }
      failures.append(CollectionFailure(path: path, reason: reason))
      return false
    }
    var collection = collector.collect(playable)
    collection.failures = failures + collection.failures
    return .collected(collection, destination, paths)
  }

  private func refusal(of path: BytePath) -> CollectionFailure.Reason? {
    let location = MediaLocation(written: path.bytes, in: BytePath(""))
    do throws(TrackError) { _ = try PacketReader(location: location) } catch {
      if case .container(let error) = error, error.code == .unsupportedFileType { return .notAudio }
      return .unplayable(error.description)
    }
    return nil
  }

  /// Reads the files again before each change: an editor may have changed them.
  private func editStreams(_ edit: StreamEdit?, in folder: BytePath) -> DiskWorker.Outcome {
    let (kept, recent) = (Self.keptStreams(in: folder), Self.recentStreams(in: folder))
    do throws(ByteIOError) {
      let document = try SmallFile.read(kept) ?? []
      let old = StreamList(kept: document, recent: try SmallFile.read(recent) ?? [])
      var new = old
      if let edit { new.apply(edit) }
      if new.kept != old.kept { try SmallFile.write(StreamList.bytes(of: new.kept, keeping: document), to: kept) }
      if new.recent != old.recent { try SmallFile.write(StreamList.bytes(of: new.recent), to: recent, isFinal: false) }
      return .found(.streams(new))
    } catch { return .said("the streams in \(folder): \(error)") }
  }

  /// The files of saved and of recent streams.
  static func streamLists(in folder: BytePath) -> [BytePath] { [keptStreams(in: folder), recentStreams(in: folder)] }

  private static func keptStreams(in folder: BytePath) -> BytePath { folder.appending(BytePath("streams.m3u8")) }
  private static func recentStreams(in folder: BytePath) -> BytePath {
    folder.appending(BytePath("recent-streams.m3u8"))
  }

  // MARK: Names

  /// The typed forms of names with this beginning; folders end with a slash. Names that are not UTF-8 cannot be typed.
  private func names(_ beginning: String, onlyFolders: Bool, in shown: BytePath?) -> [String] {
    let typedFolder = beginning.lastIndex(of: "/").map { String(beginning[...$0]) } ?? ""
    let start = beginning.dropFirst(typedFolder.count)
    let typed = folders.expanded(BytePath(typedFolder.isEmpty ? "." : typedFolder))
    let folder = shown.map { $0.appending(typed) } ?? typed
    let contents = FolderContents(reading: folder.absolute, playableExtensions: collector.playableExtensions)
    return contents.items.lazy.filter { item in
      item.kind == .folder || item.kind == .playable && !onlyFolders || item.kind == .playlist && !onlyFolders
    }.compactMap { item -> String? in
      guard let name = String(validating: item.path.lastComponent.bytes, as: UTF8.self), name.hasPrefix(start) else {
        return nil
      }
      return typedFolder + name + (item.kind == .folder ? "/" : "")
    }.prefix(1000).map { $0 }
  }

  // MARK: Former commands

  private func history(in path: BytePath) -> [String] {
    let (bytes, areAll) = Self.lastLines(of: path)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    // The file grows by one line per command and is cut when it is read.
    if !areAll || lines.count > 2 * Self.historyLimit {
      let kept = lines.suffix(Self.historyLimit).joined(separator: "\n") + "\n"
      try? SmallFile.write(Array(kept.utf8), to: path)
    }
    return lines.suffix(Self.historyLimit)
  }

  /// The lines at the end of a file, for as many bytes as a small file has at most; and whether these are all.
  private static func lastLines(of path: BytePath) -> (bytes: ArraySlice<UInt8>, areAll: Bool) {
    guard let file = try? FileByteSource(path: path) else { return ([], true) }
    let start = max(0, (file.byteCount ?? 0) - Int64(SmallFile.limit))
    let bytes = (try? file.bytes(from: start, byteCount: SmallFile.limit)) ?? []
    // The first one may have lost its beginning.
    return start > 0 ? (bytes.drop { $0 != 0x0a }, false) : (bytes[...], true)
  }

  private func remember(_ line: String, in path: BytePath) {
    let text = line.replacing("\n", with: " ") + "\n"
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC
    var descriptor = path.withCString { open($0, flags, 0o600) }
    if descriptor < 0, errno == ENOENT {
      try? SmallFile.write([], to: path)
      descriptor = path.withCString { open($0, flags, 0o600) }
    }
    guard descriptor >= 0 else { return }
    try? FileWriter(descriptor: descriptor).write(Array(text.utf8))
    close(descriptor)
  }
}
