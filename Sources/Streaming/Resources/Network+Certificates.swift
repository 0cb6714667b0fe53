internal import AudioModel
public import ByteIO
internal import Threads

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
