internal import CSandbox
internal import Glibc

/// A process that is forked before the sandbox is entered and acts outside it on request. It can do only what its
/// handler does, even if the process inside is taken over.
///
/// It ends with the process that started it. One thread at a time may ask.
public final class OutsideProcess: Sendable {
  /// A handler's answer: bytes, and a descriptor that is sent along and then closed.
  public struct Answer: Sendable {
    /// The answer; empty for none.
    public var bytes: [UInt8]
    /// An open file.
    public var descriptor: Int32?

    /// An answer.
    public init(_ bytes: [UInt8] = [], descriptor: Int32? = nil) { (self.bytes, self.descriptor) = (bytes, descriptor) }
  }

  /// A longer message ends the connection.
  public static let messageLimit = 1 << 28

  private let channel: Channel

  /// Forks; the process must have only one thread. Nil if the system refuses.
  ///
  /// - Parameters:
  ///   - prepare: Called once in the new process, before the first message, at the latest after three seconds.
  ///   - handler: Called for each message in the new process, which has no terminal and blocks signals.
  public init?(prepare: () -> Void = {}, handler: ([UInt8]) -> Answer) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { return nil }
    let child = segue_fork()
    if child == 0 {
      close(ends[0])
      Self.serve(Channel(descriptor: ends[1]), prepare, handler)
    }
    close(ends[1])
    guard child > 0 else {
      close(ends[0])
      return nil
    }
    channel = Channel(descriptor: ends[0])
  }

  deinit { channel.end() }

  /// Sends a message and waits for the answer; nil if the process is gone.
  public func ask(_ message: [UInt8]) -> Answer? {
    guard channel.send(message), let descriptor = channel.receiveDescriptor(), let bytes = channel.receive() else {
      return nil
    }
    return Answer(bytes, descriptor: descriptor >= 0 ? descriptor : nil)
  }

  /// The first milliseconds, in which this process leaves the processor to the start of the player.
  private static let quietTime: Int32 = 3000

  private static func serve(_ channel: Channel, _ prepare: () -> Void, _ handler: ([UInt8]) -> Answer) -> Never {
    segue_name_process("segue-save")
    // Ctrl-C and Ctrl-Z are for the player only.
    var all = sigset_t()
    sigfillset(&all)
    sigprocmask(SIG_BLOCK, &all, nil)
    let nowhere = open("/dev/null", O_RDWR)
    for descriptor in STDIN_FILENO...STDERR_FILENO { dup2(nowhere, descriptor) }
    channel.waitForMessage(milliseconds: quietTime)
    _ = SystemCallFilter(allowsModes: true).enter()
    prepare()
    while let message = channel.receive() {
      let answer = handler(message)
      let isSent = channel.send(descriptor: answer.descriptor ?? -1) && channel.send(answer.bytes)
      if let descriptor = answer.descriptor { close(descriptor) }
      guard isSent else { break }
    }
    segue_exit(0)
  }
}

/// Messages over a socket: their length in four bytes, then their bytes.
private struct Channel {
  let descriptor: Int32

  func end() { close(descriptor) }

  func send(descriptor other: Int32) -> Bool { segue_send_descriptor(descriptor, other) == 0 }

  func waitForMessage(milliseconds: Int32) {
    var arrival = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&arrival, 1, milliseconds)
  }

  /// -1 for none; nil at the end of the connection.
  func receiveDescriptor() -> Int32? {
    let other = segue_receive_descriptor(descriptor)
    return other == -2 ? nil : other
  }

  func send(_ bytes: [UInt8]) -> Bool {
    guard bytes.count <= OutsideProcess.messageLimit else { return false }
    let count = withUnsafeBytes(of: UInt32(bytes.count).littleEndian, Array.init)
    return sendAll(count) && sendAll(bytes)
  }

  func receive() -> [UInt8]? {
    guard let head = receive(count: 4) else { return nil }
    let count = head.reversed().reduce(0) { $0 << 8 | Int($1) }
    return count <= OutsideProcess.messageLimit ? receive(count: count) : nil
  }

  private func sendAll(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = UnsafeRawBufferPointer(rebasing: rest)
        let count = Glibc.send(descriptor, piece.baseAddress, piece.count, Int32(MSG_NOSIGNAL))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  /// Allocates for bytes that have arrived, not for the announced count.
  private func receive(count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let start = bytes.count
      let step = min(count - start, 1 << 16)
      bytes.append(contentsOf: repeatElement(0, count: step))
      let got = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress.map { $0 + start }, step, 0) }
      if got < 0, errno == EINTR {
        bytes.removeLast(step)
        continue
      }
      guard got > 0 else { return nil }
      bytes.removeLast(step - got)
    }
    return bytes
  }
}
