internal import CSandbox
internal import Glibc

/// The end of an `OutsideProcess` that acts: answers messages with the handler. Its process has only one thread.
public final class OutsideService {
  /// The first milliseconds, in which the service leaves the processor to the start of the player.
  public static let quietTime: Int32 = 3000

  /// The descriptor to poll for POLLIN, to call `answer` then.
  public var descriptor: Int32 { channel.descriptor }

  let channel: Channel
  private let handler: ([UInt8]) -> OutsideProcess.Answer

  init(_ channel: Channel, _ handler: @escaping ([UInt8]) -> OutsideProcess.Answer) {
    (self.channel, self.handler) = (channel, handler)
  }

  /// Closes this end, which belongs to another process.
  public func close() { channel.end() }

  /// Answers one message; false at the end of the connection.
  public func answer() -> Bool {
    guard let message = channel.receive() else { return false }
    let answer = handler(message)
    let isSent = channel.send(descriptor: answer.descriptor ?? -1) && channel.send(answer.bytes)
    if let descriptor = answer.descriptor { Glibc.close(descriptor) }
    return isSent
  }

  /// Answers until the other end is closed.
  func run() -> Never {
    while answer() {}
    segue_exit(0)
  }

  /// Continues in a copy of this process, without a terminal.
  public func continueInCopy() {
    guard segue_fork() == 0 else { return }
    setsid()
    Self.leaveTerminal()
    Self.enterSandbox()
    run()
  }

  /// Refuses this process the calls that it never makes.
  ///
  /// - Parameter continues: True if `continueInCopy` will be called.
  public static func enterSandbox(continues: Bool = false) {
    _ = SystemCallFilter(allowsModes: true, allowsProcesses: continues).enter()
  }

  /// Names this process, and takes terminal and signals from it: Ctrl-C and Ctrl-Z are for the player only.
  static func leaveTerminal(name: String = "segue-save") {
    segue_name_process(name)
    var all = sigset_t()
    sigfillset(&all)
    sigprocmask(SIG_BLOCK, &all, nil)
    StandardDescriptors.close { _ in true }
  }
}

/// Standard input, output and error.
public enum StandardDescriptors {
  /// Makes /dev/null of those that are closed. The next file or socket would otherwise get their number, and all text
  /// that is meant for them. Call first.
  public static func fill() {
    var descriptor: Int32
    // Each one gets the lowest free number.
    repeat { descriptor = open("/dev/null", O_RDWR) } while STDIN_FILENO...STDERR_FILENO ~= descriptor
    if descriptor > STDERR_FILENO { Glibc.close(descriptor) }
  }

  /// Replaces those that satisfy a condition by /dev/null.
  public static func close(where condition: (Int32) -> Bool) {
    let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
    for descriptor in STDIN_FILENO...STDERR_FILENO where condition(descriptor) { dup2(nowhere, descriptor) }
    if nowhere > STDERR_FILENO { Glibc.close(nowhere) }
  }

  /// Closes all descriptors but these and one more, in a process that needs nothing else of its parent.
  public static func closeOthers(but kept: Int32) { segue_close_others(kept) }
}

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
