internal import Glibc

/// Restores the terminal when the program crashes. Otherwise it would stay raw, in the alternate screen, without a
/// cursor. `arm` prepares everything; the handler calls only functions that are safe in a signal handler.
enum CrashGuard {
  // Safety: written by `arm` and `disarm` on the main thread, read by the handler of a signal that ends the process.
  nonisolated(unsafe) private static var modes = termios()
  nonisolated(unsafe) private static var descriptor: CInt = -1
  nonisolated(unsafe) private static var farewell = UnsafeRawBufferPointer(start: nil, count: 0)
  nonisolated(unsafe) private static var errors: (source: CInt, destination: CInt) = (-1, -1)
  private static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT]

  /// Makes a crash set these modes and write these bytes, which live as long as the program, then the messages that
  /// `errors` has collected.
  static func arm(descriptor: CInt, modes: termios, farewell: StaticString, errors: StrayErrors?) {
    if let errors { self.errors = (errors.source, errors.destination) }
    self.modes = modes
    self.descriptor = descriptor
    self.farewell = UnsafeRawBufferPointer(start: farewell.utf8Start, count: farewell.utf8CodeUnitCount)
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { @Sendable in CrashGuard.handle($0) }
    action.sa_flags = CInt(bitPattern: UInt32(SA_RESETHAND)) | SA_NODEFER
    for signal in signals { sigaction(signal, &action, nil) }
  }

  static func disarm() {
    descriptor = -1
    errors = (-1, -1)
    for number in signals { signal(number, SIG_DFL) }
  }

  private static func handle(_ signal: CInt) {
    if descriptor >= 0 {
      _ = write(descriptor, farewell.baseAddress, farewell.count)
      tcsetattr(descriptor, TCSANOW, &modes)
      withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
        while case let count = read(errors.source, buffer.baseAddress, buffer.count), count > 0 {
          _ = write(errors.destination, buffer.baseAddress, count)
        }
      }
    }
    raise(signal)
  }
}
