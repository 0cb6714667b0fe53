internal import AudioModel
public import ByteIO
internal import Threads

/// An answer to a request of `Network.send`.
public struct PostAnswer: Sendable, Hashable {
  /// The status of the answer's head: 200, 401, 429 ...
  public var status: Int
  /// The first bytes of the body.
  public var body: [UInt8]
  private var head: HTTPResponseHead?

  /// An answer without fields.
  init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }

  fileprivate init(_ head: HTTPResponseHead, _ body: [UInt8]) {
    (status, self.body, self.head) = (head.status, body, head)
  }

  /// The value of a header field, by its name in lower case.
  public func field(_ name: String) -> String? { head?[name] }
}

extension Network {
  /// Sends bytes to a server by a POST request, or asks it by a GET request. Follows no redirects of a POST request. Any
  /// thread; does not wait.
  ///
  /// - Parameters:
  ///   - body: `nil` for a GET request.
  ///   - fields: Lines of the head, such as `Content-Type: application/json`.
  ///   - byteLimit: The number of bytes of the body that are kept.
  ///   - answer: Called once, on the network's thread, with the answer, whatever its status, or with the reason why there
  ///     is none within the limits of the configuration.
  /// - Returns: The request; it is cancelled, and `answer` may not be called, if nothing refers to it any more.
  public func send(
    _ body: [UInt8]?, to address: WebAddress, fields: [String], byteLimit: Int = 256 << 10,
    _ answer: @escaping @Sendable (Result<PostAnswer, NetworkError>) -> Void
  ) throws(NetworkError) -> PostRequest {
    guard address.isHTTP else {
      throw NetworkError(.unusable, "only addresses that begin with http:// or https:// can be used")
    }
    let post = PostRequest(answer, byteLimit: byteLimit)
    var request = TransferRequest(address: address, fields: fields)
    request.body = body
    _ = try loop().start(request, for: post, at: .now)
    return post
  }
}

/// A request of `Network.send` that is under way.
public final class PostRequest: TransferReceiver {
  private let answer: @Sendable (Result<PostAnswer, NetworkError>) -> Void
  private let arrived = Guarded<(head: HTTPResponseHead?, body: [UInt8])>((nil, []))
  private let byteLimit: Int

  init(_ answer: @escaping @Sendable (Result<PostAnswer, NetworkError>) -> Void, byteLimit: Int) {
    (self.answer, self.byteLimit) = (answer, byteLimit)
  }

  func transfer(_ id: Int, didReceive head: HTTPResponseHead) -> Bool {
    arrived.withLock { $0.head = head }
    return true
  }

  func transfer(_ id: Int, didReceive bytes: UnsafeRawBufferPointer) -> TransferVerdict {
    arrived.withLock { $0.body += bytes.prefix(byteLimit - $0.body.count) }
    return .take
  }

  var isAwaited: Bool { true }

  func transfer(_ id: Int, didEnd error: NetworkError?) {
    let (head, body) = arrived.withLock { $0 }
    if let head, error == nil {
      answer(.success(PostAnswer(head, body)))
    } else {
      answer(.failure(error ?? NetworkError(.unusable, "the server sent no answer")))
    }
  }
}

// The certificates of servers.
extension Network {
  /// The certificate that the listener accepted for the server of an address.
  public func acceptedCertificate(for address: WebAddress) -> ServerCertificate? { configuration.certificate?(address) }

  /// Connects to the server of an `https` address, to see whether its certificate is trusted, or accepted. Blocks; no
  /// request is sent.
  public func checkCertificate(of address: WebAddress, isCancelled: () -> Bool = { false }) throws(NetworkError) {
    _ = try look(.trusted, at: address, isCancelled)
  }

  /// The certificate that the server of an `https` address shows, whether it is trusted or not. Blocks; no request is
  /// sent.
  public func certificate(
    of address: WebAddress, isCancelled: () -> Bool = { false }
  ) throws(NetworkError) -> ServerCertificate {
    guard let certificate = try look(.untrusted, at: address, isCancelled) else {
      throw NetworkError(.unusable, "the server shows no certificate that can be read")
    }
    return certificate
  }

  private func look(
    _ look: CertificateLook, at address: WebAddress, _ isCancelled: () -> Bool
  ) throws(NetworkError) -> ServerCertificate? {
    var request = TransferRequest(address: address)
    // Nothing of what opens the server.
    (request.address.path, request.address.query, request.address.userInfo) = ("/", nil, nil)
    request.look = look
    let receiver = CertificateReceiver()
    let id = try loop().start(request, for: receiver, at: .now)
    while true {
      if let result = receiver.results.take(until: .now + .milliseconds(250)).first { return try result.get() }
      if isCancelled() {
        try loop().cancel(id)
        throw NetworkError(.cancelled, "cancelled")
      }
    }
  }
}

private final class CertificateReceiver: TransferReceiver {
  let results = Mailbox<Result<ServerCertificate?, NetworkError>>()
  private let seen = Guarded<ServerCertificate?>(nil)

  var isAwaited: Bool { true }

  func transfer(_ id: Int, didReceive head: HTTPResponseHead) -> Bool { false }
  func transfer(_ id: Int, didReceive bytes: UnsafeRawBufferPointer) -> TransferVerdict { .stop }
  func transfer(_ id: Int, didSee certificate: ServerCertificate) { seen.withLock { $0 = certificate } }

  func transfer(_ id: Int, didEnd error: NetworkError?) {
    results.post(error.map { .failure($0) } ?? .success(seen.withLock { $0 }))
  }
}
