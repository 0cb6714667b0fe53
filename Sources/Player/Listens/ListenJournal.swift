internal import ByteIO
internal import Glibc

/// Listens on disk that the server has not accepted yet, one per line in `PID.jsonl`. The file is locked while its
/// player runs. One thread.
final class ListenJournal {
  private let path: BytePath
  private var descriptor: CInt
  private var listens: [ListenText] = []

  /// Opens the file of this process.
  init(folder: BytePath) throws(ByteIOError) {
    SmallFile.makeFolder(folder)
    path = folder.appending(BytePath("\(getpid()).jsonl"))
    descriptor = try openLocked(path, O_CREAT)
  }

  deinit {
    if listens.isEmpty { SmallFile.remove(path) }
    close(descriptor)
  }

  /// Moves the listens of players that have ended into this file. Returns all listens of this file.
  func adopt() throws(ByteIOError) -> [ListenText] {
    listens = read(descriptor)
    for other in orphans() {
      guard let descriptor = try? openLocked(other, 0) else { continue }
      defer { close(descriptor) }
      let found = read(descriptor)
      for listen in found { try append(listen) }
      SmallFile.remove(other)
    }
    return listens
  }

  /// Appends a listen and waits until it is on the disk.
  func append(_ listen: ListenText) throws(ByteIOError) {
    try FileWriter(descriptor: descriptor).write(Array("\(listen.json)\n".utf8))
    fsync(descriptor)
    listens.append(listen)
  }

  /// Removes the oldest listens.
  func removeFirst(_ count: Int) throws(ByteIOError) {
    listens.removeFirst(min(count, listens.count))
    if listens.isEmpty {
      ftruncate(descriptor, 0)
      return
    }
    let next = BytePath(path.bytes + [UInt8(ascii: "~")])
    let new = try openLocked(next, O_CREAT | O_TRUNC)
    do throws(ByteIOError) {
      try FileWriter(descriptor: new).write(listens.flatMap { Array("\($0.json)\n".utf8) })
      guard fsync(new) == 0, SmallFile.move(next, to: path) else {
        throw ByteIOError(operation: "write", errno: errno)
      }
    } catch {
      close(new)
      throw error
    }
    close(descriptor)
    descriptor = new
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
