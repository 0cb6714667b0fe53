public import ByteIO
public import Database
internal import Glibc

/// Backups of the listener's database: one for each day on which it has changed, the last three.
public struct ListenerBackups {
  private let folder: BytePath
  private static let (name, suffix, limit) = ("listener.db", ".backup", 3)

  public init(_ folder: BytePath) { self.folder = folder }

  static func original(in folder: BytePath) -> BytePath { folder.appending(BytePath(name)) }

  /// The backups, the newest first; also those that were made before a change of the schema.
  var files: [BytePath] {
    let names = (try? namesInFolder(folder)) ?? []
    let backups = names.filter { $0.starts(with: (Self.name + ".").utf8) && $0.hasSuffix(Self.suffix) }
    let timed = backups.map { folder.appending(BytePath($0)) }.map { (path: $0, time: changeTime(of: $0) ?? 0) }
    return timed.sorted { $1.time < $0.time }.map(\.path)
  }

  /// Makes today's backup, if there is none and the database has changed since the last one. May be called often.
  ///
  /// - Parameter now: Seconds since 1970.
  public func update(of library: MusicLibrary, now: Int64) throws(DatabaseError) {
    guard library.refusal == nil else { return }
    let (original, day) = (Self.original(in: folder), String(CalendarDate.text(now).prefix(10)))
    let today = BytePath(original.bytes + Array(".\(day)\(Self.suffix)".utf8))
    guard changeTime(of: today) == nil else { return }
    let files = files
    let log = BytePath(original.bytes + Array("-wal".utf8))
    let changed = max(changeTime(of: original) ?? 0, changeTime(of: log) ?? 0)
    // Times of the same tick say nothing.
    if let last = files.first.flatMap(changeTime), changed < last { return }
    try library.listener.backUp(to: today)
    for old in self.files.filter(isDated).dropFirst(Self.limit) { old.removeFile() }
  }

  /// False for a backup before a change of the schema.
  private func isDated(_ file: BytePath) -> Bool {
    let first = file.lastComponent.bytes.dropFirst(Self.name.utf8.count + 1).first
    return first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
  }

  /// Nanoseconds since 1970; `nil` without a file, or without anything in it.
  private func changeTime(of file: BytePath) -> Int64? {
    var status = stat()
    guard file.withCString({ stat($0, &status) }) == 0, status.st_size > 0 else { return nil }
    return FileStamp(status).modified
  }
}

extension [UInt8] {
  fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
