internal import ByteIO
internal import Glibc

/// A lock between programs (flock(2)). It ends with the program, even after a crash.
struct FolderLock {
  private let descriptor: CInt

  /// Takes the lock of that file; `nil` if another program has it. A file that cannot be made locks nothing.
  init?(_ path: BytePath) {
    descriptor = path.withCString { open($0, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
    guard descriptor < 0 || flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
  }

  /// Frees it, once. By name: a child process may hold the descriptor, too, until it runs another program.
  func unlock() {
    guard descriptor >= 0 else { return }
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
