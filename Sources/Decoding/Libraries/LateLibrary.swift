internal import AudioModel
internal import CLibraries
internal import Glibc
internal import Threads

/// A shared library that decodes: its functions, loaded at the first use. A library that cannot be loaded is tried again
/// at each use: it may be installed while the program runs.
///
/// Safety: `load` has no state but a table that never changes after it was filled, under the lock.
final class LateLibrary<Functions>: @unchecked Sendable {
  /// The table, or words about the failure.
  typealias Outcome = (functions: UnsafePointer<Functions>?, failure: String?)

  private let id: Int
  private let load: () -> Outcome
  private let table = Guarded<UnsafePointer<Functions>?>(nil)

  /// - Parameters:
  ///   - id: The library's row, such as `SEGUE_FLAC`.
  ///   - load: Fills a table and returns it; `nil` if the library cannot be loaded, or lacks a function.
  convenience init(_ id: Int, _ load: @escaping () -> UnsafePointer<Functions>?) {
    self.init(
      id,
      explaining: {
        let table = load()
        // The words are those of this thread's last call: of dlopen, else of dlsym.
        let failure = table == nil ? segue_library_failure().map { String(cString: $0) } : nil
        return (table, table == nil ? failure ?? dlerror().map { String(cString: $0) } : nil)
      })
  }

  /// - Parameter load: The same, for a library that the loader's words do not explain.
  init(_ id: Int, explaining load: @escaping () -> Outcome) { (self.id, self.load) = (id, load) }

  /// The functions; `nil` if the library cannot be loaded.
  var functions: UnsafePointer<Functions>? { loaded().functions }

  /// The functions, or words about the failure.
  func loaded() -> Outcome {
    table.withLock { table in
      if let table { return (table, nil) }
      let outcome = load()
      table = outcome.functions
      return outcome
    }
  }

  /// The functions. Throws `'fmt?'` if the library is not installed, or cannot be loaded.
  func required() throws(DecoderError) -> UnsafePointer<Functions> {
    guard let functions else { throw missing }
    return functions
  }

  /// The error of a library that is not installed, or cannot be loaded.
  var missing: DecoderError { DecoderError(.formatNotSupported, opened.complaint) }

  /// The library after its functions were loaded, or could not be.
  var opened: SharedLibrary {
    let (functions, failure) = loaded()
    return SharedLibrary(id, functions: functions.map { UnsafeRawPointer($0) }, failure: failure)
  }
}
