public import AudioModel
public import ByteIO
internal import Glibc
internal import CGlibcExtras

/// A TCP socket that waits for clients.
public final class NetworkListener: ClientListener, Sendable {
  /// The descriptor to poll for POLLIN.
  public let descriptor: CInt
  /// Clients from the network cannot take the places of all others.
  public let clientLimit: Int
  /// Clients give their password at once; a person who types it has as long as with MPD.
  public let admissionTime: TimeSpan?
  private let sendByteCount: Int?

  /// Listens at an address, given in numbers.
  ///
  /// - Parameter sendByteCount: The bytes that the kernel keeps for a client that does not read; `nil` for as many as it
  ///   likes, which may be megabytes.
  public init(
    host: String, port: UInt16, clientLimit: Int = 16, admissionTime: TimeSpan = .seconds(60),
    sendByteCount: Int? = nil
  ) throws(ByteIOError) {
    (self.clientLimit, self.admissionTime, self.sendByteCount) = (clientLimit, admissionTime, sendByteCount)
    var address = sockaddr_storage()
    let size = Self.fill(&address, host, port)
    guard size > 0 else { throw ByteIOError(operation: "listen at", errno: EINVAL, detail: "no address: \(host)") }
    let kind = CInt(SOCK_STREAM.rawValue) | SEGUE_SOCK_CLOEXEC | CInt(O_NONBLOCK)
    descriptor = socket(CInt(address.ss_family), kind, 0)
    guard descriptor >= 0 else { throw ByteIOError(operation: "open a socket", errno: errno) }
    // Connections of a player that has just ended do not hinder the next one.
    Self.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
    }
    guard isBound, listen(descriptor, 16) == 0 else {
      let code = errno
      close(descriptor)
      throw ByteIOError(operation: "listen at", errno: code)
    }
  }

  deinit { close(descriptor) }

  /// A client that is gone without a word is noticed after some minutes, and answers are not held back.
  public func prepare(client: CInt) {
    Self.set(client, SOL_SOCKET, SO_KEEPALIVE, 1)
    Self.set(client, CInt(IPPROTO_TCP), TCP_KEEPIDLE, 60)
    Self.set(client, CInt(IPPROTO_TCP), TCP_KEEPINTVL, 20)
    Self.set(client, CInt(IPPROTO_TCP), TCP_KEEPCNT, 3)
    Self.set(client, CInt(IPPROTO_TCP), TCP_NODELAY, 1)
    if let sendByteCount { Self.set(client, SOL_SOCKET, SO_SNDBUF, CInt(clamping: sendByteCount)) }
  }

  /// This computer's address on the network that leads to others, in numbers; `nil` without a network. Nothing is sent.
  public static var ownAddress: String? {
    let descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue) | SEGUE_SOCK_CLOEXEC, 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var address = sockaddr_storage()
    // RFC 5737: an address of nobody.
    var size = fill(&address, "192.0.2.1", 9)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard connect(descriptor, address, size) == 0, getsockname(descriptor, address, &size) == 0 else { return nil }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(address, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      }
    }
  }

  private static func set(_ descriptor: CInt, _ level: CInt, _ name: CInt, _ value: CInt) {
    var value = value
    setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
  }

  /// The size of the address; 0 if the text is none.
  private static func fill(_ storage: inout sockaddr_storage, _ host: String, _ port: UInt16) -> socklen_t {
    withUnsafeMutableBytes(of: &storage) { bytes in
      var four = sockaddr_in()
      if inet_pton(AF_INET, host, &four.sin_addr) == 1 {
        (four.sin_family, four.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
        withUnsafeBytes(of: four) { bytes.copyMemory(from: $0) }
        return socklen_t(MemoryLayout<sockaddr_in>.size)
      }
      var six = sockaddr_in6()
      guard inet_pton(AF_INET6, host, &six.sin6_addr) == 1 else { return 0 }
      (six.sin6_family, six.sin6_port) = (sa_family_t(AF_INET6), port.bigEndian)
      withUnsafeBytes(of: six) { bytes.copyMemory(from: $0) }
      return socklen_t(MemoryLayout<sockaddr_in6>.size)
    }
  }
}
