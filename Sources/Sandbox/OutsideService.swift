internal import CSandbox
internal import Glibc

/// The side of an `OutsideProcess` that acts: answers messages with the handler. Its process has only one thread.
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
