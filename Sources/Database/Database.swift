internal import AudioModel
public import ByteIO
internal import CSQLite
internal import Glibc

/// A connection to an SQLite file. One owner, one thread at a time; several programs may have the file open at once.
///
/// Changes are safe from a crash of the program as soon as a transaction has ended, and the file is whole after a power
/// cut (`synchronous=NORMAL`). The C functions are those of SQLite 3.37 and later.
public final class Database {
  public let path: BytePath
  private let handle: OpaquePointer
  private let functions: sqlite_functions
  /// The reason why it is only read; `nil` if it can be written.
  public let refusal: DatabaseError?
  /// A file beside it says that a read found damage, for the next opening.
  private let notesDamage: Bool
  private var depth = 0
  /// The number of steps of its statements so far: its work, independent of the machine.
  public internal(set) var stepCount = 0

  /// Opens a file, makes it if it is missing, and brings it to the schema's version: first a backup is written beside
  /// it. A file in which a read found damage is checked as a whole.
  public init(path: BytePath, schema: DatabaseSchema, busyMilliseconds: Int32 = 10_000) throws(DatabaseError) {
    guard let functions = sqlite?.pointee else { throw Self.libraryMissing(for: path) }
    (self.path, self.functions, refusal, notesDamage) = (path, functions, nil, true)
    handle = try openConnection(path, functions)
    _ = functions.busy_timeout(handle, busyMilliseconds)
    try migrate(to: schema)
    try check(schema)
  }

  /// Opens a file of any program for reading.
  ///
  /// - Parameter isFixed: True if no program changes it meanwhile: then no files of connections are made beside it.
  public init(reading path: BytePath, isFixed: Bool = false) throws(DatabaseError) {
    guard let functions = sqlite?.pointee else { throw Self.libraryMissing(for: path) }
    (self.path, self.functions, refusal, notesDamage) = (path, functions, nil, false)
    handle = try isFixed ? openFixed(path, functions) : openConnection(path, functions, SQLITE_OPEN_READONLY)
    try execute("PRAGMA trusted_schema=OFF")
  }

  /// Opens a file for reading where nothing can be written, not even the files of connections. Changes that are still in
  /// the log beside it are not seen.
  ///
  /// - Parameter refusal: The reason, thrown by each attempt to write.
  public init(unchanged path: BytePath, schema: DatabaseSchema, because refusal: DatabaseError) throws(DatabaseError) {
    guard let functions = sqlite?.pointee else { throw Self.libraryMissing(for: path) }
    (self.path, self.functions, self.refusal, notesDamage) = (path, functions, refusal, false)
    handle = try openFixed(path, functions)
    try execute("PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF")
    guard try version(of: schema) == nil else { throw refusal }
    try check(schema)
  }

  deinit { _ = functions.close_v2(handle) }

  /// The reason why no database can be opened on this machine; `nil` if SQLite is installed.
  public static func refusal(for path: BytePath) -> DatabaseError? {
    sqlite == nil ? libraryMissing(for: path) : nil
  }

  private static func libraryMissing(for path: BytePath) -> DatabaseError {
    DatabaseError(.libraryMissing, operation: "open", path: path, reason: "libsqlite3 is \(library.problem)")
  }

  // MARK: Statements

  public func prepare(_ sql: String) throws(DatabaseError) -> Statement {
    var statement: OpaquePointer?
    let result = functions.prepare_v2(handle, sql, -1, &statement, nil)
    guard result == SQLITE_OK, let statement else { throw failure(result, "use") }
    return Statement(statement, self, functions)
  }

  /// Runs statements without parameters.
  public func execute(_ sql: String) throws(DatabaseError) {
    let result = functions.exec(handle, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw failure(result, "use") }
  }

  /// The first column of the first row as an integer; `nil` without a row.
  public func integer(_ sql: String, _ values: DatabaseValue...) throws(DatabaseError) -> Int64? {
    let statement = try prepare(sql).bind(values)
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return statement.isNull(0) ? nil : statement.integer(0)
  }

  /// The key of the row that was inserted last.
  public var lastInsertedRow: Int64 { functions.last_insert_rowid(handle) }

  // MARK: Transactions

  /// Runs `body` in a transaction, which ends with it: all of its changes are kept, or none if it throws. Within
  /// another transaction it is a part of that one.
  public func transaction<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    guard depth == 0 else { return try body() }
    try begin()
    do throws(DatabaseError) {
      let result = try body()
      try commit()
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Begins a transaction that ends with `commit` or `rollBack`.
  public func begin() throws(DatabaseError) {
    if let refusal { throw refusal }
    // One that begins by reading could not become a writing one while another program writes.
    try execute("BEGIN IMMEDIATE")
    depth = 1
  }

  /// Begins a transaction that only reads: no read in it locks the file again. To be ended by `commit`.
  public func beginReading() throws(DatabaseError) {
    try execute("BEGIN")
    depth = 1
  }

  /// Keeps all changes of the transaction.
  public func commit() throws(DatabaseError) {
    try execute("COMMIT")
    depth = 0
  }

  /// Takes all changes of the transaction back, if there is one.
  public func rollBack() {
    depth = 0
    // Some failures (a full disk) have ended it already.
    if functions.get_autocommit(handle) == 0 { _ = functions.exec(handle, "ROLLBACK", nil, nil, nil) }
  }

  // MARK: Backup

  /// Copies the database into another file as it is now. An existing file is replaced as a whole.
  public func backUp(to copy: BytePath) throws(DatabaseError) {
    let temporary = copy.makeTemporaryName()
    let target = try openConnection(temporary, functions)
    var result = SQLITE_ERROR
    if let backup = functions.backup_init(target, "main", handle, "main") {
      _ = functions.backup_step(backup, -1)
      result = functions.backup_finish(backup)
    }
    let message = text(functions.errmsg(target))
    _ = functions.close_v2(target)
    do throws(DatabaseError) {
      guard result == SQLITE_OK else {
        throw DatabaseError(result: result, operation: "back up to", path: copy, reason: message)
      }
      // A copy has the damage of its original.
      guard try Database(reading: temporary, isFixed: true).isWhole() else {
        noteDamage()
        throw DatabaseError(.damaged, operation: "back up", path: path, reason: "its pages contradict each other")
      }
    } catch {
      temporary.removeFile()
      throw error
    }
    guard temporary.move(to: copy) else {
      let error = ByteIOError(operation: "rename", errno: errno)
      throw DatabaseError(.notWritable, operation: "back up to", path: copy, reason: error.reason)
    }
  }

  // MARK: Opening

  private func migrate(to schema: DatabaseSchema) throws(DatabaseError) {
    // Write-ahead logging needs shared memory, which a file system of another computer does not have.
    try execute(isOnNetwork ? "PRAGMA journal_mode=DELETE" : "PRAGMA journal_mode=WAL")
    try execute("PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF")
    guard let (version, isNew) = try version(of: schema), version < schema.migrations.count else { return }
    if !isNew { try backUp(to: BytePath(path.bytes + Array(".version\(version).backup".utf8))) }
    try transaction { () throws(DatabaseError) in
      // Another program may have been faster.
      guard let (version, _) = try self.version(of: schema) else { return }
      for migration in schema.migrations.dropFirst(version) { try execute(migration) }
      try execute(
        "PRAGMA application_id=\(schema.applicationID); PRAGMA user_version=\(schema.migrations.count)")
    }
  }

  /// The version of the file, and whether it is empty; `nil` if it is the schema's.
  private func version(of schema: DatabaseSchema) throws(DatabaseError) -> (Int, isNew: Bool)? {
    let version = Int(clamping: try integer("PRAGMA user_version") ?? 0)
    let application = try integer("PRAGMA application_id") ?? 0
    let isNew = try integer("SELECT count(*) FROM sqlite_schema") == 0
    if isNew, version == 0, application == 0 { return (0, true) }
    guard application == Int64(schema.applicationID) else {
      throw DatabaseError(.foreign, operation: "open", path: path, reason: "it belongs to another program")
    }
    guard 0...schema.migrations.count ~= version else {
      throw DatabaseError(.tooNew, operation: "open", path: path, reason: "a newer version of segue made it")
    }
    return version == schema.migrations.count ? nil : (version, false)
  }

  // MARK: Damage

  /// Reads the whole file, and returns false if it contradicts itself.
  public func isWhole() throws(DatabaseError) -> Bool {
    let check = try prepare("PRAGMA quick_check(1)")
    do throws(DatabaseError) {
      defer { check.reset() }
      return try check.step() && check.text(0) == "ok"
    } catch {
      guard error.code == .damaged else { throw error }
      return false
    }
  }

  private static func mark(of path: BytePath) -> BytePath { BytePath(path.bytes + Array(".suspect".utf8)) }

  /// Forgets that a read found damage: another file takes the place of this one.
  public static func forgetDamage(of path: BytePath) { mark(of: path).removeFile() }

  private func noteDamage() {
    guard notesDamage else { return }
    let mark = Self.mark(of: path).withCString { open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
    if mark >= 0 { close(mark) }
  }

  /// Throws if tables are missing, and after damage if the file is not whole.
  private func check(_ schema: DatabaseSchema) throws(DatabaseError) {
    var missing = schema.tables
    let names = try prepare("SELECT name FROM sqlite_schema WHERE type='table'")
    while try names.step() { if let name = names.text(0) { missing.remove(name) } }
    guard missing.isEmpty else {
      let list = missing.sorted().joined(separator: ", ")
      throw DatabaseError(.damaged, operation: "open", path: path, reason: "tables are missing: \(list)")
    }
    guard Self.mark(of: path).exists else { return }
    guard try isWhole() else {
      throw DatabaseError(.damaged, operation: "open", path: path, reason: "its pages contradict each other")
    }
    Self.forgetDamage(of: path)
  }

  private var isOnNetwork: Bool {
    do throws(ByteIOError) { return try DiskFacts(of: path).isRemote } catch { return false }
  }

  func failure(_ result: Int32, _ operation: String) -> DatabaseError {
    let extended = functions.extended_errcode(handle)
    let error = DatabaseError(
      result: extended & 0xff == result & 0xff ? extended : result, operation: operation, path: path,
      reason: text(functions.errmsg(handle)))
    if error.code == .damaged { noteDamage() }
    return error
  }
}

/// The tables of a database: statements that make version 1 of an empty file, version 2 of version 1, and so on.
public struct DatabaseSchema: Sendable {
  /// Marks the files of this schema (`PRAGMA application_id`).
  public var applicationID: Int32
  /// The statements of each version.
  public var migrations: [String]
  /// The tables of the last version. A file without one of them is damaged.
  public var tables: Set<String>

  public init(applicationID: Int32, migrations: [String], tables: Set<String> = []) {
    (self.applicationID, self.migrations, self.tables) = (applicationID, migrations, tables)
  }
}

private func openConnection(
  _ path: BytePath, _ functions: sqlite_functions, _ access: Int32 = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
) throws(DatabaseError) -> OpaquePointer {
  var handle: OpaquePointer?
  let flags = access | SQLITE_OPEN_NOMUTEX
  // SQLite takes any bytes but zero for a name here.
  let result = path.withCString { functions.open_v2($0, &handle, flags, nil) }
  guard result == SQLITE_OK, let handle else {
    let reason = text(handle.flatMap { functions.errmsg($0) })
    if let handle { _ = functions.close_v2(handle) }
    throw DatabaseError(result: result, operation: "open", path: path, reason: reason)
  }
  return handle
}

private func openFixed(_ path: BytePath, _ functions: sqlite_functions) throws(DatabaseError) -> OpaquePointer {
  let address = BytePath("file:" + path.bytes.percentEscaped { _ in true } + "?immutable=1")
  return try openConnection(address, functions, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
}

private func text(_ message: UnsafePointer<CChar>?) -> String { message.map { String(cString: $0) } ?? "no memory" }
