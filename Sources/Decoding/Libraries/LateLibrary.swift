internal import Glibc
internal import Threads

/// The functions of a shared library, loaded at the first use. A library that cannot be loaded is tried again at each use:
/// it may be installed while the program runs.
///
/// Safety: `load` has no state but a table that never changes after it was filled, under the lock.
final class LateLibrary<Functions>: @unchecked Sendable {
  private let load: () -> UnsafePointer<Functions>?
  private let table = Guarded<UnsafePointer<Functions>?>(nil)

  /// - Parameter load: Fills a table and returns it; `nil` if the library cannot be loaded, or lacks a function.
  init(_ load: @escaping () -> UnsafePointer<Functions>?) { self.load = load }

  /// The functions; `nil` if the library cannot be loaded.
  var functions: UnsafePointer<Functions>? { loaded().functions }

  /// The functions, or the loader's words about the failure.
  func loaded() -> (functions: UnsafePointer<Functions>?, failure: String?) {
    table.withLock { table in
      if let table { return (table, nil) }
      table = load()
      // The words are those of this thread's last call.
      return (table, table == nil ? dlerror().map { String(cString: $0) } : nil)
    }
  }
}
