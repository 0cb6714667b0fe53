internal import CPulse

/// True if libpulse is installed. The first use loads it, which takes some milliseconds.
var isLibpulseLoaded: Bool { table != nil }

/// libpulse's functions: `pa.stream_cork` is `pa_stream_cork`. Only for code that has an object of libpulse, or has
/// checked `isLibpulseLoaded`.
let pa: pulse_functions = {
  guard let table else { preconditionFailure("libpulse is used without having been loaded") }
  return table.pointee
}()

nonisolated(unsafe) let table = pulse_load()

/// libpulse's text for one of its error numbers.
func describe(_ number: Int32) -> String { pa.strerror(number).map { String(cString: $0) } ?? "error \(number)" }

/// Releases an operation without waiting for its end.
func release(_ operation: OpaquePointer?) { if let operation { pa.operation_unref(operation) } }
