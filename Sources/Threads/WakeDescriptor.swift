internal import CGlibcExtras
internal import Glibc

/// A bell that any thread can ring, and that wakes one `poll`.
public final class WakeDescriptor: Sendable {
  /// The descriptor to poll for POLLIN.
  public let descriptor: CInt

  /// A bell that has not rung.
  public init() {
    descriptor = eventfd(0, SEGUE_EFD_FLAGS)
    precondition(descriptor >= 0, "no descriptor to wake by: \(errno)")
  }

  deinit { close(descriptor) }

  /// Any thread.
  public func ring() { _ = withUnsafeBytes(of: UInt64(1)) { write(descriptor, $0.baseAddress, $0.count) } }

  /// Consumes all rings so far.
  public func silence() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
  }
}
