internal import Glibc

/// The stack on which a thread handles the signal of a crash: without one, the kernel ends the program without a handler
/// if the thread's own stack has overflowed (sigaltstack(2)). The system gives it memory only when a crash uses it.
struct SignalStack {
  /// More than any processor's registers (`AT_MINSIGSTKSZ`, 11 KiB with AMX) and the actions need.
  private static let byteCount = 64 << 10
  private let memory: UnsafeMutableRawPointer

  /// Gives the calling thread a stack. `nil` if it has one (sanitisers, and the runtime of Swift when it is to print
  /// backtraces, do the same), or if the system has no room.
  init?() {
    var present = stack_t()
    guard sigaltstack(nil, &present) == 0, present.ss_flags & Int32(SS_DISABLE) != 0,
      let memory = mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      memory != MAP_FAILED
    else { return nil }
    self.memory = memory
    var new = stack_t(ss_sp: memory, ss_flags: 0, ss_size: Self.byteCount)
    if sigaltstack(&new, nil) == 0 { return }
    munmap(memory, Self.byteCount)
    return nil
  }

  /// Takes the stack from the calling thread, which was given it.
  func remove() {
    var none = stack_t()
    none.ss_flags = Int32(SS_DISABLE)
    sigaltstack(&none, nil)
    munmap(memory, Self.byteCount)
  }
}
