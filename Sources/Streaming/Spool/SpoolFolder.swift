internal import ByteIO
internal import CGlibcExtras
internal import Glibc

/// The cache folder: for each resource a sparse file with its bytes, and a record of them. The process that uses a
/// resource locks its file. The total size has a limit; the least recently used resource is deleted first. Any thread.
struct SpoolFolder: Sendable {
  private static let bytesSuffix = ".bytes"
  private static let recordSuffix = ".record"

  /// Created for the first resource.
  let path: BytePath
  /// Limit of the bytes of all resources.
  let byteLimit: Int64
  /// True if its spools are not deleted to make room, and complete ones are valid without asking the server.
  var isPinned = false

  /// The spool of an address and its record, which may be empty; `nil` if another process uses it, or if the folder is
  /// unusable.
  func spool(for address: WebAddress) -> (spool: Spool, record: SpoolRecord)? {
    guard path.makeFolder() else { return nil }
    let name = Self.name(of: address)
    let (bytes, recordPath) = (file(name + Self.bytesSuffix), file(name + Self.recordSuffix))
    let descriptor = bytes.withCString { open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600) }
    guard descriptor >= 0 else { return nil }
    var status = stat()
    // Another process may have removed it between the two calls.
    // A spool that is whole and stays so can have several users.
    let isWhole = isPinned && completeByteCount(of: address) != nil
    guard isWhole || flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0, status.st_nlink > 0
    else {
      close(descriptor)
      return nil
    }
    _ = futimens(descriptor, nil)  // The most recently used one.
    let record = record(of: address, byteCount: Int64(status.st_size))
    let spool = Spool(descriptor: descriptor, paths: (bytes, recordPath), isPinned: isPinned)
    if record == nil { spool.clear() }
    return (spool, record ?? SpoolRecord(address: address.description))
  }

  /// The record of an address, if so many bytes can be what it says.
  private func record(of address: WebAddress, byteCount: Int64) -> SpoolRecord? {
    let path = file(Self.name(of: address) + Self.recordSuffix)
    let text = (try? wholeFile(path, byteLimit: 1 << 20)).flatMap { String(validating: $0, as: UTF8.self) }
    guard let record = text.flatMap({ SpoolRecord(text: $0) }), record.address == address.description,
      record.present.ranges.last?.upperBound ?? 0 <= byteCount
    else { return nil }
    return record
  }

  /// The length of a resource all of whose bytes are in the folder.
  func completeByteCount(of address: WebAddress) -> Int64? {
    var status = stat()
    guard file(Self.name(of: address) + Self.bytesSuffix).withCString({ stat($0, &status) }) == 0,
      let record = record(of: address, byteCount: Int64(status.st_size)), record.isComplete
    else { return nil }
    return record.length
  }

  /// True if the folder has a place for an address.
  func has(_ address: WebAddress) -> Bool { file(Self.name(of: address) + Self.bytesSuffix).exists }

  /// Deletes all spools but those of these addresses. One that is read stays readable until then.
  func removeAll(but addresses: [WebAddress]) {
    let names = Set(addresses.map(Self.name))
    for name in spools().map(\.name) where !names.contains(name) {
      for suffix in [Self.recordSuffix, Self.bytesSuffix] { file(name + suffix).removeFile() }
    }
  }

  /// Deletes the least recently used spools until `byteCount` more bytes have room. Spools in use stay.
  func makeRoom(for byteCount: Int64) {
    let kept = spools()
    var total = kept.reduce(byteCount) { $0 + $1.byteCount }
    for spool in kept.sorted(by: { $0.lastUse < $1.lastUse }) where total > byteLimit {
      if remove(spool.name) { total -= spool.byteCount }
    }
  }

  /// A spool for bytes that arrive once: a file without a name, which ends with the program; `nil` if the folder is
  /// unusable.
  func namelessSpool() -> Spool? {
    guard path.makeFolder() else { return nil }
    let descriptor = path.withCString { open($0, O_RDWR | O_CLOEXEC | SEGUE_O_TMPFILE, 0o600) }
    guard descriptor >= 0 else { return nil }
    return Spool(descriptor: descriptor)
  }

  /// Bytes on disk of all resources.
  var byteCount: Int64 { spools().reduce(0) { $0 + $1.byteCount } }

  private func spools() -> [(name: String, byteCount: Int64, lastUse: Double)] {
    guard let stream = path.withCString({ opendir($0) }) else { return [] }
    defer { closedir(stream) }
    var found: [(String, Int64, Double)] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      var status = stat()
      guard name.hasSuffix(Self.bytesSuffix), file(name).withCString({ stat($0, &status) }) == 0 else { continue }
      let lastUse = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
      found.append((String(name.dropLast(Self.bytesSuffix.count)), Int64(status.st_blocks) * 512, lastUse))
    }
    return found
  }

  private func remove(_ name: String) -> Bool {
    let bytes = file(name + Self.bytesSuffix)
    let descriptor = bytes.withCString { open($0, O_RDWR | O_CLOEXEC | O_NOFOLLOW) }
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
    file(name + Self.recordSuffix).removeFile()
    return bytes.removeFile()
  }

  private func file(_ name: String) -> BytePath { path.appending(BytePath(name)) }

  /// Two 64-bit FNV-1a sums of the address without its password. The record contains the address itself, for
  /// collisions.
  private static func name(of address: WebAddress) -> String {
    let text = address.description.utf8
    return text.fnvDigits() + text.fnvDigits(from: 0x8422_2325_cbf2_9ce4)
  }
}
