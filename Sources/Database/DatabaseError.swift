internal import AudioModel
public import ByteIO
internal import CSQLite

/// A failure of a database: the operation, the file, the reason, and what to do.
public struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: Hashable, Sendable {
    /// libsqlite3 is not installed, or too old.
    case libraryMissing
    /// Another program holds the database for longer than the limit.
    case busy
    /// No room is left on the disk.
    case full
    /// The file cannot be opened or written: permissions, a read-only disk, the sandbox.
    case notWritable
    /// The file is damaged, or is not a database.
    case damaged
    /// The file belongs to another program.
    case foreign
    /// A newer version of the program made the file.
    case tooNew
    /// Reading or writing failed.
    case inputOutput
    /// A constraint, a wrong statement: an error of the program.
    case statement
  }

  public var code: Code
  /// The operation: `open`, `write`.
  public var operation: String
  public var path: BytePath
  /// SQLite's text, and its extended result code.
  public var reason: String
  /// SQLite's extended result code; 0 if SQLite was not asked.
  public var result: Int32

  public init(_ code: Code, operation: String, path: BytePath, reason: String, result: Int32 = 0) {
    (self.code, self.operation, self.path, self.reason, self.result) = (code, operation, path, reason, result)
  }

  /// A failure that SQLite reports with `result`.
  init(result: Int32, operation: String, path: BytePath, reason: String) {
    let code: Code =
      switch result & 0xff {
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      case SQLITE_FULL: .full
      // SQLITE_IOERR_SHMSIZE: the file that connections share did not find room.
      case SQLITE_IOERR where result == SQLITE_IOERR | 19 << 8: .full
      case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM: .notWritable
      case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
      case SQLITE_IOERR: .inputOutput
      default: .statement
      }
    self.init(code, operation: operation, path: path, reason: reason, result: result)
  }

  private var advice: String? {
    switch code {
    case .libraryMissing: Database.library.remedy
    case .busy: "close the other program that uses it, or try again"
    case .full: "free some space"
    case .notWritable: "check the permissions of the file and its folder"
    // The next start repairs files that can be made anew, or have a backup.
    case .damaged: operation == "open" ? "move it away" : "start segue again, which repairs it"
    case .tooNew: "use the newer version of segue, or move the file away"
    case .foreign: "move it away"
    case .inputOutput: "check the disk"
    case .statement: nil
    }
  }

  /// `cannot write /path: database or disk is full (13); free some space`.
  public var description: String {
    "cannot \(operation) \(path): \(reason)" + (result == 0 ? "" : " (\(result))") + (advice.map { "; " + $0 } ?? "")
  }
}
