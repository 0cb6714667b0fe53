internal import CSandbox
internal import Glibc

/// A process that is forked before the sandbox is entered and acts outside it on request. It can do only what its
/// handler does, even if the process inside is taken over.
///
/// It ends with the process inside. One thread at a time may ask, for as long as the program runs.
public final class OutsideProcess: Sendable {
  /// A handler's answer: bytes, and a descriptor that is sent along and then closed.
  public struct Answer: Sendable {
    /// The answer; empty for none.
    public var bytes: [UInt8]
    public var descriptor: Int32?

    public init(_ bytes: [UInt8] = [], descriptor: Int32? = nil) { (self.bytes, self.descriptor) = (bytes, descriptor) }
  }

  /// A longer message ends the connection.
  public static let messageLimit = 1 << 28

  private let channel: Channel

  private init(_ channel: Channel) { self.channel = channel }

  /// Both ends: one of them belongs to another process after a fork, and is closed in this one.
  public static func makePair(handler: @escaping ([UInt8]) -> Answer) -> (OutsideProcess, OutsideService)? {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { return nil }
    return (OutsideProcess(Channel(descriptor: ends[0])), OutsideService(Channel(descriptor: ends[1]), handler))
  }

  /// Forks; the process must have only one thread. Nil if the system refuses.
  ///
  /// - Parameters:
  ///   - prepare: Called once in the new process, before the first message, at the latest after three seconds.
  ///   - handler: Called for each message in the new process, which has no terminal and blocks signals.
  public static func fork(
    prepare: () -> Void = {}, handler: @escaping ([UInt8]) -> Answer
  ) -> OutsideProcess? {
    guard let (inside, service) = makePair(handler: handler) else { return nil }
    let child = segue_fork()
    if child == 0 {
      inside.channel.end()
      OutsideService.leaveTerminal()
      service.channel.waitForMessage(milliseconds: OutsideService.quietTime)
      OutsideService.enterSandbox()
      prepare()
      service.run()
    }
    service.channel.end()
    guard child > 0 else { return nil }
    return inside
  }

  /// Closes this end, after which nobody may ask.
  public func close() { channel.end() }

  /// Sends a message and waits for the answer; `nil` if the process is gone.
  public func ask(_ message: [UInt8]) -> Answer? {
    guard channel.send(message), let descriptor = channel.receiveDescriptor(), let bytes = channel.receive() else {
      return nil
    }
    return Answer(bytes, descriptor: descriptor >= 0 ? descriptor : nil)
  }
}

/// Messages over a socket: their length in four bytes, then their bytes.
struct Channel {
  let descriptor: Int32

  func end() { close(descriptor) }

  func send(descriptor other: Int32) -> Bool { segue_send_descriptor(descriptor, other) == 0 }

  func waitForMessage(milliseconds: Int32) {
    var arrival = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&arrival, 1, milliseconds)
  }

  /// -1 for none; `nil` at the end of the connection.
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
