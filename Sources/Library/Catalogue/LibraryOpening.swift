internal import ByteIO
internal import Database
internal import Glibc

/// Opens the databases of a library, and repairs them: the files contain everything in the catalogue, so it is made anew,
/// and the listener's database has backups (docs/decisions/0044-refusals-repairs-and-reading.md). Damaged files are renamed,
/// never removed.
struct LibraryOpening {
  private let folder: BytePath
  /// Sentences for the listener.
  private(set) var remarks: [String] = []

  init(_ folder: BytePath) { self.folder = folder }

  /// The listener's database. Throws if it is damaged and has no backup.
  mutating func listener() throws(DatabaseError) -> Database {
    let path = ListenerBackups.original(in: folder)
    if isEmpty(path), !isEmpty(catalogueFile) {
      let reason = path.exists ? "the file is empty" : "the file is missing"
      return try restored(path, DatabaseError(.damaged, operation: "open", path: path, reason: reason))
    }
    do throws(DatabaseError) { return try opened(path, LibrarySchema.listener) } catch {
      guard error.code == .damaged else { throw error }
      return try restored(path, error)
    }
  }

  mutating func catalogue() throws(DatabaseError) -> Database {
    do throws(DatabaseError) { return try opened(catalogueFile, LibrarySchema.catalogue) } catch {
      guard error.code == .damaged else { throw error }
      let aside = setAside(catalogueFile)
      let new = try opened(catalogueFile, LibrarySchema.catalogue)
      remarks.append(
        "\(catalogueFile) was damaged (\(error.reason)); it was set aside as \(aside.lastComponent), and the next scan "
          + "makes it anew")
      return new
    }
  }

  private var catalogueFile: BytePath { folder.appending(BytePath("catalogue.db")) }

  /// Opens a database; only for reading, if it cannot be written.
  private func opened(_ path: BytePath, _ schema: DatabaseSchema) throws(DatabaseError) -> Database {
    do throws(DatabaseError) { return try Database(path: path, schema: schema) } catch {
      guard [.notWritable, .full, .inputOutput].contains(error.code), !isEmpty(path) else { throw error }
      do throws(DatabaseError) { return try Database(unchanged: path, schema: schema, because: error) } catch _ {
        throw error
      }
    }
  }

  private mutating func restored(_ path: BytePath, _ damage: DatabaseError) throws(DatabaseError) -> Database {
    guard let lock = FolderLock(folder.appending(BytePath("repair.lock"))) else {
      throw DatabaseError(.busy, operation: "open", path: path, reason: "another program repairs it")
    }
    defer { lock.unlock() }
    let hasContent = !isEmpty(path)
    // Another program may have been faster.
    if hasContent, let database = try? Database(path: path, schema: LibrarySchema.listener) { return database }
    for backup in ListenerBackups(folder).files {
      guard let copy = try? Database(reading: backup, isFixed: true), (try? copy.isWhole()) == true else { continue }
      // Whole before the old file goes: there may be no room for it.
      let new = BytePath(path.bytes + Array(".restored".utf8))
      try copy.backUp(to: new)
      let aside = setAside(path)
      _ = new.withCString { new in path.withCString { rename(new, $0) } }
      let database = try Database(path: path, schema: LibrarySchema.listener)
      remarks.append(
        "\(path): \(damage.reason): ratings and playlists come from its backup \(backup.lastComponent)"
          + (hasContent ? "; the damaged file is kept as \(aside.lastComponent)" : ""))
      return database
    }
    guard !hasContent else {
      throw DatabaseError(
        .damaged, operation: "open", path: path,
        reason: "\(damage.reason), and there is no backup: without the file, ratings and playlists start anew",
        result: damage.result)
    }
    let isNew = !path.exists
    let database = try opened(path, LibrarySchema.listener)
    if !isNew { remarks.append("\(path) was empty, and there is no backup: ratings and playlists start anew") }
    return database
  }

  /// Renames a database with the files of its connections. Earlier ones stay, up to nine.
  private func setAside(_ path: BytePath) -> BytePath {
    let names = (1...9).map { BytePath(path.bytes + Array(".damaged\($0 == 1 ? "" : String($0))".utf8)) }
    let aside = names.first { !$0.exists } ?? names[8]
    for suffix in ["", "-wal", "-shm"] {
      let (old, new) = (BytePath(path.bytes + Array(suffix.utf8)), BytePath(aside.bytes + Array(suffix.utf8)))
      _ = old.withCString { old in new.withCString { rename(old, $0) } }
    }
    Database.forgetDamage(of: path)
    return aside
  }

  /// True if there is no file, or one without bytes.
  private func isEmpty(_ path: BytePath) -> Bool {
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0 else { return true }
    return status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
  }
}

/// The notice that a database was repaired. Those who cannot show it leave it to the next opening.
public struct RepairNotice {
  private let library: MusicLibrary
  private static let name = "remark"

  /// The notice of an opened library.
  public init(of library: MusicLibrary) { self.library = library }

  /// Leaves the notice to the next one who takes it.
  public func leave() { if let remark = library.remark { try? library.listener.setProperty(Self.name, remark) } }

  /// The notice of this opening, and one that was left.
  public func take() -> String? {
    var left = try? library.listener.property(Self.name)
    // It is shown once.
    if left != nil, (try? library.listener.setProperty(Self.name, nil)) == nil { left = nil }
    let remarks = [left, library.remark].compactMap(\.self)
    return remarks.isEmpty ? nil : remarks.joined(separator: "; ")
  }
}
