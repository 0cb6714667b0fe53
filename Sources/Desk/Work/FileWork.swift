internal import AudioModel
internal import ByteIO
internal import Commands
internal import Containers
internal import Glibc
internal import Library
internal import Playback
internal import Streaming
internal import Threads

/// Reads and writes files for the listener: folders, playlists, streams, lyrics, former commands. On the thread of the
/// disk.
struct FileWork: Sendable {
  enum Order: Sendable {
    case answer(Inquiry, Asker)
    case export(PlaylistExport, Asker)
    /// Writes something else.
    case write(@Sendable () -> Answer?)
  }

  let folders: UserFolders
  let saver: (any PlaylistSaver)?
  let collector: MediaCollector
  private static let historyLimit = 500

  func perform(_ inquiry: Inquiry) -> [Answer] {
    switch inquiry {
    case .folder(let path, let withSheets):
      let folder = path.bytes.isEmpty ? folders.music : folders.expanded(path)
      var contents = FolderContents(reading: folder.absolute, playableExtensions: collector.playableExtensions)
      contents.standsInForMusic = path.bytes.isEmpty && folder == BytePath(".")
      if withSheets { contents.readSheets() }
      return [.folder(contents)]
    case .completions(let beginning, let onlyFolders, let folder):
      return [.completions(names(beginning, onlyFolders: onlyFolders, in: folder), beginning: beginning)]
    case .collect(let paths, let destination): return [collect(paths.map(folders.expanded), destination)]
    case .find(let names, let destination, let folder): return [find(names, destination, in: folder)]
    case .save(let entries, let name, let replacesOther, let folder, let loaded):
      return [save(entries, name, replacesOther: replacesOther, in: folder, loaded)]
    case .streams(let edit): return folders.state.map { [editStreams(edit, in: $0)] } ?? []
    case .setup(let last):
      return [.setup(SetupWork(folders: folders, extensions: collector.playableExtensions).facts(after: last))]
    case .keepToken(let token?): return [keep(token)]
    case .history: return history.map { [.history(lines(in: $0))] } ?? []
    case .remember(let line):
      if let history { remember(line, in: history) }
      return []
    case .lyrics(let track): return lyrics(of: track)
    case .shiftLyrics(let change, let track): return shift(track, change)
    // The listener has not typed it yet, or `Desk` asks another thread.
    case .keepToken(nil), .facts, .waveform, .cover, .smallCovers, .onlineLyrics, .library, .measureLoudness,
      .librarySummary, .listing, .songs, .playlists, .playlist, .removePlaylist, .renamePlaylist, .writePlaylist,
      .coverPart, .coverFile:
      return []
    }
  }

  private func keep(_ token: TypedSecret) -> Answer {
    guard let listens = folders.listens else { return .said("there is no folder for the token") }
    do throws(ByteIOError) { try ListenBrainz.keep(token.text, in: listens) } catch {
      return .said("the token is not kept: \(error)")
    }
    return .tokenKept
  }

  // MARK: Playlists

  private func save(
    _ entries: [QueueEntry], _ name: BytePath, replacesOther: Bool, in folder: BytePath?, _ loaded: BytePath?
  ) -> Answer {
    let path = folders.expanded(name)
    let file = PlaylistFile(named: folder.map { $0.appending(path) } ?? path)
    let notes = PlaylistNotes(of: file.path, names: (loaded.map { [$0] } ?? []) + folders.streamLists)
    let bytes = notes.bytes(of: entries.map(\.location))
    return write(bytes, to: file, over: replacesOther ? .anyPlaylist : .only(loaded)).map { .acted(.refused($0)) }
      ?? .saved(file.path, count: entries.count)
  }

  func write(_ export: PlaylistExport) -> Answer {
    let file = PlaylistFile(named: export.path)
    let reason = write(export.bytes, to: file, over: export.replacesOther ? .anyPlaylist : .only(nil))
    return .acted(
      reason.map { .refused($0) } ?? .done("\(counted(export.count, "track", grouped)) written to \(file.path)"))
  }

  /// Writes a playlist; the reason if it was not written.
  private func write(_ bytes: [UInt8], to file: PlaylistFile, over permission: PlaylistFile.Permission) -> String? {
    if let saver { return saver.save(bytes, to: file, over: permission) }
    do throws(PlaylistFile.Refusal) { try file.write(bytes, over: permission) } catch { return error.description }
    return nil
  }

  // MARK: Collecting

  private var music: MusicSearch { MusicSearch(folders, playableExtensions: collector.playableExtensions) }

  private func find(_ names: WrittenNames, _ destination: Command.Destination, in folder: BytePath?) -> Answer {
    var named = NamedPaths(folder: folder, expand: folders.expanded)
    if destination == .whole { named.extensions = [".m3u8", ".m3u"] }
    let (paths, areThere) = named.find(names.text, words: names.words)
    if !areThere {
      if !Self.isPath(names.query) {
        guard destination == .whole else { return search(names.query, destination) }
        let playlist = music.playlist(named: names.query)
        if !playlist.paths.isEmpty { return collect(playlist, .played) }
      }
      guard paths.count == 1 else { return .acted(.refused("no such file or address: \(names.text.prefix(200))")) }
    }
    return collect(paths, destination)
  }

  /// True for a text that cannot be a query.
  private static func isPath(_ text: String) -> Bool {
    NamedPaths.looksLikePath(text) || text.hasPrefix("'") || text.hasPrefix("\"/")
  }

  private func search(_ text: String, _ destination: Command.Destination) -> Answer {
    do throws(QueryError) {
      let result = try music.result(text)
      guard !result.paths.isEmpty else {
        return .acted(.refused("no file, address or track matches \(text.prefix(200))"))
      }
      return collect(result, destination)
    } catch { return .acted(.refused("no file of that name, and as a query: \(error)")) }
  }

  private func collect(_ result: MusicSearch.Result, _ destination: Command.Destination) -> Answer {
    guard case .collected(var collection, _, _) = collect(result.paths, destination) else { return .acted(.done(nil)) }
    collection.match = result.sentence
    collection.findBookmark(in: folders.data)
    return .collected(collection, destination, from: result.paths)
  }

  /// Opens files without a known extension before they are added: they must contain audio.
  private func collect(_ paths: [BytePath], _ destination: Command.Destination) -> Answer {
    var failures: [CollectionFailure] = []
    let playable = paths.filter { path in
      guard collector.mustBeOpened(path), let reason = refusal(of: path) else { return true }
      failures.append(CollectionFailure(path: path, reason: reason))
      return false
    }
    var collection = collector.collect(playable)
    collection.failures = failures + collection.failures
    // Several paths are rows of a list, of which the listener has chosen one.
    if paths.count == 1 { collection.findBookmark(in: folders.data) }
    return .collected(collection, destination, from: paths)
  }

  private func refusal(of path: BytePath) -> CollectionFailure.Reason? {
    let location = MediaLocation(written: path.bytes, in: BytePath(""))
    do throws(TrackError) { _ = try PacketReader(location: location) } catch {
      switch error {
      case .source(let error): return .unreadable(error)
      case .container(let error): return error.code == .unsupportedFileType ? .notAudio : .unplayable(error)
      // Nothing was decoded or played.
      case .decoder, .output: break
      }
    }
    return nil
  }

  /// Reads the files again before each change: an editor may have changed them.
  private func editStreams(_ edit: StreamEdit?, in folder: BytePath) -> Answer {
    let (kept, recent) = UserFolders.streams(in: folder)
    do throws(ByteIOError) {
      let document = try SmallFile.read(kept) ?? []
      let old = StreamList(kept: document, recent: try SmallFile.read(recent) ?? [])
      var new = old
      if let edit { new.apply(edit) }
      new.served = folders.data.map { ServerStations(folder: $0).all } ?? []
      if new.kept != old.kept { try SmallFile.write(StreamList.bytes(of: new.kept, keeping: document), to: kept) }
      if new.recent != old.recent { try SmallFile.write(StreamList.bytes(of: new.recent), to: recent, isFinal: false) }
      return .streams(new)
    } catch { return .acted(.refused("the streams in \(folder): \(error)")) }
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

  private var history: BytePath? { folders.state?.appending(BytePath("history")) }

  private func lines(in path: BytePath) -> [String] {
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

  // MARK: Lyrics

  /// Reads the lyrics beside a file, and their shift. Nothing is beside other tracks.
  private func lyrics(of track: LyricsInquiry) -> [Answer] {
    var files = LyricsFiles()
    if case .file(let path) = track.entry.location, path != .standardInput { files = LyricsFiles(besides: path) }
    let shift = shiftFile(of: track).map { [shifted(track, $0.seconds)] } ?? []
    return [.lyrics(files, entryID: track.entry.id)] + shift
  }

  private func shiftFile(of track: LyricsInquiry) -> LyricsShiftFile? {
    folders.lyrics.map { LyricsShiftFile(of: track.entry, track.information.tags, in: $0) }
  }

  private func shifted(_ track: LyricsInquiry, _ seconds: Double) -> Answer {
    .lyricsShift(seconds, entryID: track.entry.id)
  }

  private func shift(_ track: LyricsInquiry, _ change: LyricsShift) -> [Answer] {
    guard let file = shiftFile(of: track) else {
      return [.acted(.refused("without a home folder no shift can be kept"))]
    }
    let seconds = change.applied(to: file.seconds)
    do throws(ByteIOError) { try file.write(seconds) } catch {
      return [.acted(.refused("the lyrics were not shifted, because the shift cannot be kept: \(error)"))]
    }
    return [shifted(track, seconds), .acted(.done("lyrics " + LyricsShift.sentence(on: seconds)))]
  }
}
