internal import Glibc
internal import Threads

/// Restores the terminal when the program crashes. Otherwise it would stay raw, in the alternate screen, without a
/// cursor.
enum CrashGuard {
  // Safety: written by `arm` and `disarm` on the main thread, read by the handler of a signal that ends the process.
  // On the heap: Swift 6.3 gives a global with padding inside three bytes less than are written to it.
  nonisolated(unsafe) private static let modes = UnsafeMutablePointer<termios>.allocate(capacity: 1)
  nonisolated(unsafe) private static var descriptor: CInt = -1
  nonisolated(unsafe) private static var farewell = UnsafeRawBufferPointer(start: nil, count: 0)
  nonisolated(unsafe) private static var errors: (source: CInt, destination: CInt) = (-1, -1)

  /// Makes a crash set these modes and write these bytes, which live as long as the program, then the messages that
  /// `errors` has collected.
  static func arm(descriptor: CInt, modes: termios, farewell: StaticString, errors: StrayErrors?) {
    if let errors { self.errors = (errors.source, errors.destination) }
    self.modes.initialize(to: modes)
    self.descriptor = descriptor
    self.farewell = UnsafeRawBufferPointer(start: farewell.utf8Start, count: farewell.utf8CodeUnitCount)
    CrashActions.set({ CrashGuard.restore() }, of: .terminal)
  }

  static func disarm() {
    CrashActions.set(nil, of: .terminal)
    descriptor = -1
    errors = (-1, -1)
  }

  private static func restore() {
    guard descriptor >= 0 else { return }
    _ = write(descriptor, farewell.baseAddress, farewell.count)
    tcsetattr(descriptor, TCSANOW, modes)
    withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
      while case let count = read(errors.source, buffer.baseAddress, buffer.count), count > 0 {
        _ = write(errors.destination, buffer.baseAddress, count)
      }
    }
  }
}
