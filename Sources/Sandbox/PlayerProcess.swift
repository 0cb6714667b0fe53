internal import CSandbox
internal import Glibc

/// The process of the player, apart from the process that a shell waits for.
public enum PlayerProcess {
  /// Forks; the process must have only one thread. Returns 0 in the new process, which has a session of its own and ends
  /// with its parent until `outliveParent`; -1 if the system refuses.
  public static func fork() -> Int32 {
    let parent = getpid()
    let processors = ProcessorMask()
    processors?.stay()
    let child = segue_fork()
    processors?.restore()
    guard child == 0 else { return child }
    segue_end_with_parent(SIGKILL)
    if getppid() != parent { segue_exit(1) }
    setsid()
    return 0
  }

  /// Forks; the process must have only one thread. Returns 0 in the new process, which has a session of its own without a
  /// terminal and blocks signals; -1 if the system refuses.
  public static func forkHelper(_ name: String) -> Int32 {
    let child = segue_fork()
    guard child == 0 else { return child }
    setsid()
    OutsideService.leaveTerminal(name: name)
    return 0
  }

  /// Names this process for `ps` and `pkill`.
  public static func rename(_ name: String) { segue_name_process(name) }

  /// Lets this process run on when its parent ends.
  public static func outliveParent() { segue_end_with_parent(0) }

  /// Ends the program at once, without what it does at its end.
  public static func exit(_ status: Int32) -> Never { segue_exit(status) }
}

/// The processors that this process may use. A new process that stays on its parent's need not wait until another one
/// wakes up, and finds its memory in the caches.
private struct ProcessorMask {
  // 8192 processors.
  private var mask = [UInt](repeating: 0, count: 128)
  private let byteCount: Int

  init?() {
    byteCount = segue_processors(&mask, mask.count * 8)
    guard byteCount > 0 else { return nil }
  }

  /// Allows only the present processor.
  func stay() {
    var number: UInt32 = 0
    guard segue_processor(&number) == 0, Int(number) < byteCount * 8 else { return }
    var one = [UInt](repeating: 0, count: mask.count)
    one[Int(number) / 64] = 1 << (number % 64)
    _ = segue_use_processors(one, byteCount)
  }

  func restore() { _ = segue_use_processors(mask, byteCount) }
}
