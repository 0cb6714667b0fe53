internal import ByteIO
internal import Glibc

/// Listens on disk that the server has not accepted yet, one per line in `PID.jsonl`. The file is locked while its
/// player runs. One thread.
final class ListenJournal {
  private let path: BytePath
  private var descriptor: CInt
  /// All listens that wait, also those for which the disk had no room.
  private(set) var listens: [ListenText] = []
  /// True if the file is not the lines of `listens`, after an error or a crash.
  private var isStale = false

  /// Opens the file of this process.
  init(folder: BytePath) throws(ByteIOError) {
    SmallFile.makeFolder(folder)
    path = folder.appending(BytePath("\(getpid()).jsonl"))
    descriptor = try openLocked(path, O_CREAT)
  }

  deinit {
    if listens.isEmpty { SmallFile.remove(path) } else if isStale { try? write(listens) }
    close(descriptor)
  }

  /// Reads the listens of this file, and moves those of players that have ended into it. Files that could not be moved
  /// stay.
  func adopt() throws(ByteIOError) {
    listens = read(descriptor)
    // An earlier process of this number may have left half a line.
    isStale = true
    for other in orphans() {
      guard let descriptor = try? openLocked(other, 0) else { continue }
      defer {
        // A child process may hold it, too, until it runs another program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
      }
      let found = read(descriptor)
      if !found.isEmpty { try write(listens + found) }
      SmallFile.remove(other)
    }
  }

  /// Appends a listen and waits until it is on the disk. After an error the next change writes it again.
  func append(_ listen: ListenText) throws(ByteIOError) {
    listens.append(listen)
    if isStale { return try write(listens) }
    isStale = true
    try FileWriter(descriptor: descriptor).write(Array("\(listen.json)\n".utf8))
    guard fsync(descriptor) == 0 else { throw ByteIOError(operation: "write", errno: errno) }
    isStale = false
  }

  /// Removes the oldest listens, except those with these indices.
  func removeFirst(_ count: Int, keeping kept: [Int] = []) throws(ByteIOError) {
    let count = min(count, listens.count)
    listens.replaceSubrange(..<count, with: kept.filter { $0 < count }.map { listens[$0] })
    isStale = true
    try write(listens)
  }

  /// Replaces the contents of the file.
  private func write(_ new: [ListenText]) throws(ByteIOError) {
    if new.isEmpty {
      guard ftruncate(descriptor, 0) == 0 else { throw ByteIOError(operation: "write", errno: errno) }
      (listens, isStale) = ([], false)
      return
    }
    let next = BytePath(path.bytes + [UInt8(ascii: "~")])
    let file = try openLocked(next, O_CREAT | O_TRUNC)
    do throws(ByteIOError) {
      try FileWriter(descriptor: file).write(new.flatMap { Array("\($0.json)\n".utf8) })
      guard fsync(file) == 0, SmallFile.move(next, to: path) else {
        throw ByteIOError(operation: "write", errno: errno)
      }
    } catch {
      close(file)
      SmallFile.remove(next)
      throw error
    }
    close(descriptor)
    (descriptor, listens, isStale) = (file, new, false)
  }

  private func orphans() -> [BytePath] {
    guard let folder = path.parent.withCString({ opendir($0) }) else { return [] }
    defer { closedir(folder) }
    var paths: [BytePath] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { BytePath($0.prefix { $0 != 0 }) }
      let other = path.parent.appending(name)
      if name.bytes.suffix(6).elementsEqual(".jsonl".utf8), other != path { paths.append(other) }
    }
    return paths
  }
}

/// Opens and locks a file; throws if another process has locked it.
private func openLocked(_ path: BytePath, _ flags: CInt) throws(ByteIOError) -> CInt {
  let descriptor = path.withCString { open($0, O_RDWR | O_APPEND | O_CLOEXEC | flags, 0o600) }
  guard descriptor >= 0 else { throw ByteIOError(operation: "open", errno: errno) }
  guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
    let error = ByteIOError(operation: "lock", errno: errno)
    close(descriptor)
    throw error
  }
  return descriptor
}

/// The listens in a file. Invalid lines, such as one cut off by a crash, are skipped.
private func read(_ descriptor: CInt) -> [ListenText] {
  var bytes: [UInt8] = []
  var window = [UInt8](repeating: 0, count: 1 << 16)
  // 100,000 listens: years without a network.
  while bytes.count < 100 << 20 {
    let count = pread(descriptor, &window, window.count, off_t(bytes.count))
    guard count > 0 else { break }
    bytes += window[..<count]
  }
  return bytes.split(separator: UInt8(ascii: "\n")).compactMap { ListenText(line: $0) }
}
