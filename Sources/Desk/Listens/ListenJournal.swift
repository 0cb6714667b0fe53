internal import ByteIO
internal import Glibc

/// Listens on disk that the server has not accepted yet, one per line in `PID.jsonl`. A line `sent N` says that the first
/// N listens of the file were sent: the server may have them. The file is locked while its player runs. One thread.
final class ListenJournal {
  private let path: BytePath
  private var descriptor: CInt
  /// All listens that wait, also those for which the disk had no room.
  var listens: [ListenText] { record.listens }
  /// The number of them, from the first on, that were sent without a known answer.
  var sentCount: Int { record.sentCount }
  private var record = ListenRecord()
  /// True if the file is not the lines of `listens`, after an error or a crash.
  private var isStale = false

  /// Opens the file of this process.
  init(folder: BytePath) throws(ByteIOError) {
    folder.makeFolder()
    path = folder.appending(BytePath("\(getpid()).jsonl"))
    descriptor = try openLocked(path, O_CREAT)
    SmallFile.synchronize(folder)
  }

  deinit {
    if listens.isEmpty { path.removeFile() } else if isStale { try? write(record) }
    close(descriptor)
  }

  /// Reads the listens of this file, and moves those of players that have ended into it. Files that could not be moved
  /// stay.
  func adopt() throws(ByteIOError) {
    record = ListenRecord(descriptor)
    // An earlier process of this number may have left half a line.
    isStale = true
    for other in orphans() {
      guard let descriptor = try? openLocked(other, 0) else { continue }
      defer {
        // A child process may hold it, too, until it runs another program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
      }
      let found = ListenRecord(descriptor)
      if !found.listens.isEmpty { try write(record + found) }
      other.removeFile()
    }
  }

  /// Appends a listen and waits until it is on the disk. After an error the next change writes it again.
  func append(_ listen: ListenText) throws(ByteIOError) {
    record.listens.append(listen)
    try add("\(listen.json)\n")
  }

  /// Notes that the oldest listens will be sent, and waits until that is on the disk.
  func noteSending(_ count: Int) throws(ByteIOError) {
    guard count > record.sentCount else { return }
    record.sentCount = min(count, listens.count)
    try add(ListenRecord.sentMark(record.sentCount))
  }

  private func add(_ line: String) throws(ByteIOError) {
    if isStale { return try write(record) }
    isStale = true
    try FileWriter(descriptor: descriptor).write(Array(line.utf8))
    guard fsync(descriptor) == 0 else { throw ByteIOError(operation: "write", errno: errno) }
    isStale = false
  }

  /// Removes the oldest listens, except those with these indices.
  func removeFirst(_ count: Int, keeping kept: [Int] = []) throws(ByteIOError) {
    let count = min(count, listens.count)
    record.listens.replaceSubrange(..<count, with: kept.filter { $0 < count }.map { listens[$0] })
    record.sentCount = max(0, record.sentCount - count)
    isStale = true
    try write(record)
  }

  /// Replaces the contents of the file.
  private func write(_ new: ListenRecord) throws(ByteIOError) {
    if new.listens.isEmpty {
      guard ftruncate(descriptor, 0) == 0 else { throw ByteIOError(operation: "write", errno: errno) }
      (record, isStale) = (new, false)
      return
    }
    let next = BytePath(path.bytes + [UInt8(ascii: "~")])
    let file = try openLocked(next, O_CREAT | O_TRUNC)
    do throws(ByteIOError) {
      try FileWriter(descriptor: file).write(new.bytes)
      guard fsync(file) == 0, next.move(to: path) else {
        throw ByteIOError(operation: "write", errno: errno)
      }
    } catch {
      close(file)
      next.removeFile()
      throw error
    }
    close(descriptor)
    // Or the old file would come back after a power cut, which says less about what was sent.
    SmallFile.synchronize(path.parent)
    (descriptor, record, isStale) = (file, new, false)
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

private struct ListenRecord {
  var listens: [ListenText] = []
  /// The number of listens that were sent without a known answer. They come first.
  var sentCount = 0

  init() {}

  /// Reads a file. Invalid lines, such as one cut off by a crash, are skipped.
  init(_ descriptor: CInt) {
    var bytes: [UInt8] = []
    var window = [UInt8](repeating: 0, count: 1 << 16)
    // 100,000 listens: years without a network.
    while bytes.count < 100 << 20 {
      let count = pread(descriptor, &window, window.count, off_t(bytes.count))
      guard count > 0 else { break }
      bytes += window[..<count]
    }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if let listen = ListenText(line: line) {
        listens.append(listen)
      } else if line.starts(with: "sent ".utf8), let count = Int(String(decoding: line.dropFirst(5), as: UTF8.self)) {
        sentCount = max(sentCount, min(count, listens.count))
      }
    }
  }

  static func sentMark(_ count: Int) -> String { "sent \(count)\n" }

  var bytes: [UInt8] {
    var text = listens.reduce(into: "") { $0 += $1.json + "\n" }
    if sentCount > 0 { text += Self.sentMark(sentCount) }
    return Array(text.utf8)
  }

  static func + (one: ListenRecord, other: ListenRecord) -> ListenRecord {
    var sum = one
    sum.listens.insert(contentsOf: other.listens.prefix(other.sentCount), at: one.sentCount)
    sum.listens += other.listens.dropFirst(other.sentCount)
    sum.sentCount += other.sentCount
    return sum
  }
}
