internal import AudioModel
internal import Glibc
internal import Threads

/// A shared library that decodes: its functions, loaded at the first use. A library that cannot be loaded is tried again
/// at each use: it may be installed while the program runs.
///
/// Safety: `load` has no state but a table that never changes after it was filled, under the lock.
final class LateLibrary<Functions>: @unchecked Sendable {
  private let name, formats, package: String
  private let load: () -> UnsafePointer<Functions>?
  private let table = Guarded<UnsafePointer<Functions>?>(nil)

  /// - Parameters:
  ///   - formats: Formats that need the library, for people.
  ///   - package: Debian's package.
  ///   - load: Fills a table and returns it; `nil` if the library cannot be loaded, or lacks a function.
  init(
    _ name: String, for formats: String, package: String, _ load: @escaping () -> UnsafePointer<Functions>?
  ) { (self.name, self.formats, self.package, self.load) = (name, formats, package, load) }

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

  /// The functions. Throws `'fmt?'` if the library is not installed, or cannot be loaded.
  func required() throws(DecoderError) -> UnsafePointer<Functions> {
    guard let functions else { throw missing }
    return functions
  }

  /// The error of a library that is not installed, or cannot be loaded.
  var missing: DecoderError {
    DecoderError(.formatNotSupported, "\(name) is \(opened.problem) (Debian's package \(package))")
  }

  /// The library after its functions were loaded, or could not be.
  var opened: SharedLibrary {
    let (functions, failure) = loaded()
    return SharedLibrary(
      name, for: formats, package: package, functions: functions.map { UnsafeRawPointer($0) }, failure: failure)
  }
}
