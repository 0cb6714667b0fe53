public import ByteIO
internal import CGlibcExtras
public import Glibc

/// A connection between two processes of one user: messages of some words, and open files with them. Nothing waits.
public final class PacketLink {
  /// The largest message.
  public static let byteLimit = 1 << 15
  private static let descriptorLimit = 8

  public enum Arrival {
    /// Words, and descriptors that the receiver must close.
    case message([String], [CInt])
    /// No message has arrived.
    case nothing
    /// The other process has ended, or broken a limit.
    case closed
  }

  /// The descriptor to poll for POLLIN.
  public private(set) var descriptor: CInt

  public init(owning descriptor: CInt) { self.descriptor = descriptor }

  deinit { close() }

  /// Ends the connection. Does nothing the second time.
  public func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  /// Both ends of a connection; `nil` if the system refuses.
  public static func makePair() -> (PacketLink, PacketLink)? {
    var ends: [CInt] = [-1, -1]
    guard socketpair(AF_UNIX, LocalListener.Kind.packets.rawValue | SEGUE_SOCK_CLOEXEC, 0, &ends) == 0 else {
      return nil
    }
    return (PacketLink(owning: ends[0]), PacketLink(owning: ends[1]))
  }

  /// Connects to a listener for packets; `nil` if none is there.
  public static func connect(to path: BytePath) -> PacketLink? {
    guard let descriptor = try? LocalListener.connect(to: path, waits: false, kind: .packets), descriptor >= 0 else {
      return nil
    }
    return PacketLink(owning: descriptor)
  }

  /// The next client of a listener, if it is of the same user.
  public static func accept(from listener: LocalListener) -> PacketLink? {
    let descriptor = segue_accept4(listener.descriptor, nil, nil, SEGUE_SOCK_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    let link = PacketLink(owning: descriptor)
    return link.peer?.user == geteuid() ? link : nil
  }

  /// The process at the other end, and its user: for a pair, the process that made it.
  public var peer: (process: pid_t, user: uid_t)? { Self.peer(of: descriptor) }

  /// The process at the other end of a Unix socket, and its user: for a client, the process that has begun to listen.
  public static func peer(of descriptor: CInt) -> (process: pid_t, user: uid_t)? {
    // struct ucred: process, user, group.
    var credentials = SIMD4<UInt32>(repeating: 0)
    var count = socklen_t(12)
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &count) == 0 else { return nil }
    return (pid_t(bitPattern: credentials[0]), credentials[1])
  }

  // MARK: Messages

  private static let receiveFlags = CInt(MSG_DONTWAIT) | CInt(MSG_CMSG_CLOEXEC)

  // cmsghdr (unix(7)): the length, the level and the type, then the descriptors.
  private static let headSize = 16

  /// Sends words; false if the other process is gone or does not read.
  @discardableResult
  public func send(_ words: [String], _ descriptors: [CInt] = []) -> Bool {
    var bytes = Array(words.map { Array($0.utf8.filter { $0 != 0 }) }.joined(separator: [0]))
    guard bytes.count <= Self.byteLimit, descriptors.count <= Self.descriptorLimit else { return false }
    var control = [UInt8](repeating: 0, count: Self.headSize + (descriptors.count * 4 + 7) / 8 * 8)
    control.withUnsafeMutableBytes { control in
      control.storeBytes(of: Self.headSize + descriptors.count * 4, toByteOffset: 0, as: Int.self)
      control.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: CInt.self)
      control.storeBytes(of: CInt(SCM_RIGHTS), toByteOffset: 12, as: CInt.self)
      for (index, descriptor) in descriptors.enumerated() {
        control.storeBytes(of: descriptor, toByteOffset: Self.headSize + index * 4, as: CInt.self)
      }
    }
    return withMessage(&bytes, &control) { message in
      if descriptors.isEmpty { (message.msg_control, message.msg_controllen) = (nil, 0) }
      return sendmsg(descriptor, &message, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
    } == bytes.count
  }

  public func receive() -> Arrival {
    var bytes = [UInt8](repeating: 0, count: Self.byteLimit)
    var control = [UInt8](repeating: 0, count: Self.headSize + Self.descriptorLimit * 4)
    var (flags, controlCount) = (CInt(0), 0)
    let count = withMessage(&bytes, &control) { message in
      var count = recvmsg(descriptor, &message, Self.receiveFlags)
      // The other process has ended without reading all messages. The system tells that once, before its last ones.
      if count < 0, errno == ECONNRESET { count = recvmsg(descriptor, &message, Self.receiveFlags) }
      (flags, controlCount) = (message.msg_flags, message.msg_controllen)
      return count
    }
    if count < 0, errno == EAGAIN || errno == EINTR { return .nothing }
    let descriptors = count < 0 ? [] : Self.descriptors(in: control, byteCount: controlCount)
    guard count > 0, flags & CInt(MSG_TRUNC | MSG_CTRUNC) == 0 else {
      for descriptor in descriptors { Glibc.close(descriptor) }
      return .closed
    }
    let words = bytes[..<count].split(separator: 0, omittingEmptySubsequences: false)
    return .message(words.map { String(decoding: $0, as: UTF8.self) }, descriptors)
  }

  private static func descriptors(in control: [UInt8], byteCount: Int) -> [CInt] {
    guard byteCount >= headSize, byteCount <= control.count else { return [] }
    return control.withUnsafeBytes { control in
      let end = min(control.loadUnaligned(as: Int.self), byteCount)
      let kind = control.loadUnaligned(fromByteOffset: 8, as: SIMD2<CInt>.self)
      guard kind == SIMD2(SOL_SOCKET, CInt(SCM_RIGHTS)), end >= headSize else { return [] }
      return (0..<(end - headSize) / 4).map {
        control.loadUnaligned(fromByteOffset: headSize + $0 * 4, as: CInt.self)
      }
    }
  }

  private func withMessage(
    _ bytes: inout [UInt8], _ control: inout [UInt8], _ body: (inout msghdr) -> Int
  ) -> Int {
    bytes.withUnsafeMutableBytes { bytes in
      control.withUnsafeMutableBytes { control in
        var piece = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        return withUnsafeMutablePointer(to: &piece) { piece in
          var message = msghdr()
          (message.msg_iov, message.msg_iovlen) = (piece, 1)
          (message.msg_control, message.msg_controllen) = (control.baseAddress, control.count)
          return body(&message)
        }
      }
    }
  }
}
