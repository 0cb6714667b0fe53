internal import CSQLite

public enum DatabaseValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  public init(_ value: (some BinaryInteger)?) { self = value.map { .integer(Int64(clamping: $0)) } ?? .null }

  public init(_ value: String?) { self = value.map(Self.text) ?? .null }
}

/// A prepared statement of a `Database`, to be run any number of times. Its columns are valid until the next step.
///
/// Owned by the owner of the database, on the same thread.
public final class Statement {
  private let handle: OpaquePointer
  // The connection must outlive its statements.
  private let database: Database
  private let functions: sqlite_functions

  init(_ handle: OpaquePointer, _ database: Database, _ functions: sqlite_functions) {
    (self.handle, self.database, self.functions) = (handle, database, functions)
  }

  deinit { _ = functions.finalize(handle) }

  /// Binds the parameters, from 1. A statement that has run before starts again.
  @discardableResult
  public func bind(_ values: DatabaseValue...) throws(DatabaseError) -> Statement { try bind(values) }

  /// Binds the parameters, from 1. A statement that has run before starts again.
  @discardableResult
  public func bind(_ values: [DatabaseValue]) throws(DatabaseError) -> Statement {
    _ = functions.reset(handle)
    for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
    return self
  }

  private func bind(_ value: DatabaseValue, at index: Int32) throws(DatabaseError) {
    var result: Int32
    switch value {
    case .null: result = functions.bind_null(handle, index)
    case .integer(let value): result = functions.bind_int64(handle, index, value)
    case .real(let value): result = functions.bind_double(handle, index, value)
    case .text(var text):
      result = withUnsafePointer(to: functions) { functions in
        text.withUTF8 { bytes in
          bytes.withMemoryRebound(to: CChar.self) { bytes in
            guard let start = bytes.baseAddress else {
              return sqlite_bind_copied_text(functions, handle, index, "", 0)
            }
            return sqlite_bind_copied_text(functions, handle, index, start, Int32(clamping: bytes.count))
          }
        }
      }
    case .blob(let bytes):
      result = withUnsafePointer(to: functions) { functions in
        bytes.withUnsafeBytes { bytes in
          // Without an address the value would be null.
          guard let start = bytes.baseAddress else {
            return sqlite_bind_copied_blob(functions, handle, index, "", 0)
          }
          return sqlite_bind_copied_blob(functions, handle, index, start, Int32(clamping: bytes.count))
        }
      }
    }
    guard result == SQLITE_OK else { throw database.failure(result, "use") }
  }

  /// Goes to the next row; false behind the last one, where the statement is reset.
  public func step() throws(DatabaseError) -> Bool {
    database.stepCount &+= 1
    let result = functions.step(handle)
    switch result {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      _ = functions.reset(handle)
      return false
    default:
      let error = database.failure(result, "use")
      _ = functions.reset(handle)
      throw error
    }
  }

  /// Runs it to its end, with these parameters.
  public func run(_ values: DatabaseValue...) throws(DatabaseError) { try run(values) }

  /// Runs it to its end, with these parameters.
  public func run(_ values: [DatabaseValue]) throws(DatabaseError) {
    try bind(values)
    while try step() {}
  }

  /// Ends a statement before its last row, so that it holds no lock.
  public func reset() { _ = functions.reset(handle) }

  public func isNull(_ column: Int) -> Bool { functions.column_type(handle, Int32(column)) == SQLITE_NULL }

  /// The column as an integer; 0 for null.
  public func integer(_ column: Int) -> Int64 { functions.column_int64(handle, Int32(column)) }

  /// The column as a count, a number, an index; 0 for null.
  public func int(_ column: Int) -> Int { Int(clamping: integer(column)) }

  /// The column as a number; 0 for null.
  public func real(_ column: Int) -> Double { functions.column_double(handle, Int32(column)) }

  /// The column as text; `nil` for null.
  public func text(_ column: Int) -> String? {
    guard let start = functions.column_text(handle, Int32(column)) else { return nil }
    let count = functions.column_bytes(handle, Int32(column))
    return String(decoding: UnsafeBufferPointer(start: start, count: Int(max(0, count))), as: UTF8.self)
  }

  /// The bytes of the column; none for null.
  public func blob(_ column: Int) -> [UInt8] { withBytes(column) { Array($0) } }

  /// Calls `body` with the bytes of the column, where they lie.
  public func withBytes<Result, Failure: Error>(
    _ column: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = functions.column_blob(handle, Int32(column))
    let count = functions.column_bytes(handle, Int32(column))
    return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(max(0, count))))
  }
}
