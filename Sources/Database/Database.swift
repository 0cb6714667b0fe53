public import ByteIO
internal import CSQLite
internal import Glibc

/// A connection to an SQLite file. One owner, one thread at a time; several programs may have the file open at once.
///
/// Changes are safe from a crash of the program as soon as a transaction has ended, and the file is whole after a power
/// cut (`synchronous=NORMAL`). The C functions are those of SQLite 3.37 and later.
public final class Database {
  /// The file.
  public let path: BytePath
  private let handle: OpaquePointer
  private let functions: sqlite_functions
  private var depth = 0

  /// Opens a file, makes it if it is missing, and brings it to the schema's version: first a backup is written beside
  /// it.
  public init(path: BytePath, schema: DatabaseSchema, busyMilliseconds: Int32 = 10_000) throws(DatabaseError) {
    guard let functions = sqlite?.pointee else { throw Self.libraryMissing(for: path) }
    (self.path, self.functions) = (path, functions)
    handle = try openConnection(path, functions)
    _ = functions.busy_timeout(handle, busyMilliseconds)
    try migrate(to: schema)
  }

  /// Opens the file of another program for reading.
  public init(reading path: BytePath) throws(DatabaseError) {
    guard let functions = sqlite?.pointee else { throw Self.libraryMissing(for: path) }
    (self.path, self.functions) = (path, functions)
    handle = try openConnection(path, functions, SQLITE_OPEN_READONLY)
    try execute("PRAGMA trusted_schema=OFF")
  }

  deinit { _ = functions.close_v2(handle) }

  /// The reason why no database can be opened on this machine; `nil` if SQLite is installed.
  public static func refusal(for path: BytePath) -> DatabaseError? {
    sqlite == nil ? libraryMissing(for: path) : nil
  }

  private static func libraryMissing(for path: BytePath) -> DatabaseError {
    DatabaseError(.libraryMissing, operation: "open", path: path, reason: "libsqlite3 is not installed")
  }

  // MARK: Statements

  /// Prepares one statement.
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

  /// The number of rows that the last statement changed.
  public var changedRowCount: Int { Int(functions.changes(handle)) }

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
    let temporary = BytePath(copy.bytes + Array(".\(getpid())~".utf8))
    _ = temporary.withCString { unlink($0) }
    let target = try openConnection(temporary, functions)
    var result = SQLITE_ERROR
    if let backup = functions.backup_init(target, "main", handle, "main") {
      _ = functions.backup_step(backup, -1)
      result = functions.backup_finish(backup)
    }
    let message = text(functions.errmsg(target))
    _ = functions.close_v2(target)
    guard result == SQLITE_OK else {
      _ = temporary.withCString { unlink($0) }
      throw DatabaseError(result: result, operation: "back up to", path: copy, reason: message)
    }
    guard temporary.withCString({ old in copy.withCString { rename(old, $0) } }) == 0 else {
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

  private var isOnNetwork: Bool {
    do throws(ByteIOError) { return try DiskFacts(of: path).isRemote } catch { return false }
  }

  func failure(_ result: Int32, _ operation: String) -> DatabaseError {
    let extended = functions.extended_errcode(handle)
    return DatabaseError(
      result: extended & 0xff == result & 0xff ? extended : result, operation: operation, path: path,
      reason: text(functions.errmsg(handle)))
  }
}

/// The tables of a database: statements that make version 1 of an empty file, version 2 of version 1, and so on.
public struct DatabaseSchema: Sendable {
  /// Marks the files of this schema (`PRAGMA application_id`).
  public var applicationID: Int32
  /// The statements of each version.
  public var migrations: [String]

  /// A schema.
  public init(applicationID: Int32, migrations: [String]) {
    (self.applicationID, self.migrations) = (applicationID, migrations)
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

private func text(_ message: UnsafePointer<CChar>?) -> String { message.map { String(cString: $0) } ?? "no memory" }
