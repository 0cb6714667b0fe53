public import AudioModel
internal import CPulse

/// Whether libpulse is there. It is loaded by the first who asks, which takes some milliseconds.
var isLibpulseLoaded: Bool { table != nil }

/// libpulse's functions: `pa.stream_cork` is `pa_stream_cork`. For those only who have an object of libpulse, or have
/// seen `isLibpulseLoaded`.
let pa: pulse_functions = {
  guard let table else { preconditionFailure("libpulse is used without having been loaded") }
  return table.pointee
}()

nonisolated(unsafe) let table = pulse_load()

/// libpulse's words for one of its error numbers.
func describe(_ number: Int32) -> String { pa.strerror(number).map { String(cString: $0) } ?? "error \(number)" }

/// Lets an operation go whose end nobody waits for.
func release(_ operation: OpaquePointer?) { if let operation { pa.operation_unref(operation) } }

extension PulseOutput {
  /// What speaks to the server. Opens it. Any thread.
  public static var library: SharedLibrary {
    SharedLibrary("libpulse", for: "sound", package: "libpulse0", functions: table)
  }
}
