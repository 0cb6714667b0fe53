package import ByteIO
package import Library
package import Streaming

/// A certificate of a server that the system does not trust: the listener may accept it
/// (docs/decisions/0065-certificates-of-servers.md).
package struct UntrustedCertificate: Sendable, Hashable {
  package var certificate: ServerCertificate
  /// The one that was accepted before.
  package var former: ServerCertificate?
  /// Why it is not trusted.
  package var reason: String

  package var isKnown: Bool { certificate == former }

  /// The facts that the listener needs to decide.
  package var sentences: [String] {
    let shown = "its SHA-256 fingerprint is \(certificate.fingerprintWithColons)"
    guard let former, !isKnown else { return [reason, shown] }
    return [
      reason, shown,
      "it is NOT the one that you accepted before, \(former.fingerprintWithColons): if you did not renew it, somebody"
        + " else answers",
    ]
  }

  /// Looks at the certificate of a server; `nil` for one that the system trusts, and without TLS. Sends no request.
  /// Blocks.
  package static func find(
    at address: WebAddress, _ servers: KnownServers, isCancelled: () -> Bool = { false }
  ) throws(ServerFailure) -> UntrustedCertificate? {
    guard address.scheme == "https" else { return nil }
    let network = Network()
    defer { network.shutDown() }
    let refusal: NetworkError
    do throws(NetworkError) {
      try network.checkCertificate(of: address, isCancelled: isCancelled)
      return nil
    } catch { refusal = error }
    guard refusal.kind == .untrusted else { throw ServerFailure(refusal.message) }
    do throws(NetworkError) {
      return UntrustedCertificate(
        certificate: try network.certificate(of: address, isCancelled: isCancelled),
        former: servers.certificate(for: address), reason: refusal.message)
    } catch { throw ServerFailure(error.message) }
  }
}
