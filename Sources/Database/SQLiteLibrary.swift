public import AudioModel
internal import CSQLite

/// SQLite's functions, loaded when the first database is opened.
// Safety: filled once before the first use (a global), never changed.
nonisolated(unsafe) let sqlite: UnsafePointer<sqlite_functions>? = {
  // STRICT tables need 3.37.
  guard let table = sqlite_load(), table.pointee.libversion_number() >= 3_037_000 else { return nil }
  return table
}()

extension Database {
  /// The library, for `segue doctor`. Opens it.
  public static var library: SharedLibrary {
    SharedLibrary(SEGUE_SQLITE, functions: UnsafeRawPointer(sqlite))
  }
}
