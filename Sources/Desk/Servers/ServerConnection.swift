internal import AudioModel
package import ByteIO
package import Library
package import Streaming
internal import Threads

/// Asks a server of music, one question after another. Blocks.
package struct ServerConnection: Sendable {
  private let network: Network
  private let patience: Int
  private let isCancelled: @Sendable () -> Bool
  /// Longer answers are refused: an album of 10,000 tracks has 5 MB.
  private static let byteLimit = 16 << 20
  private static let tryLimit = 6

  /// - Parameter patience: Seconds to wait in all for a server that is busy; it is away if that takes longer.
  package init(_ network: Network, patience: Int = 60, isCancelled: @escaping @Sendable () -> Bool = { false }) {
    (self.network, self.patience, self.isCancelled) = (network, patience, isCancelled)
  }

  /// The body of the answer, whatever it is. Waits and asks again if the server is busy.
  package func ask(_ address: WebAddress) throws(ServerFailure) -> [UInt8] { try usable(address).body }

  /// The same with its head.
  func usable(_ address: WebAddress) throws(ServerFailure) -> PostAnswer {
    var patience = patience
    for attempt in 1...Self.tryLimit {
      let answer = try answer(address)
      let status = answer.status
      switch status {
      case 200: return answer
      case 429, 503:
        let seconds = max(0, answer.field("retry-after").flatMap { Int($0) } ?? 1 << attempt)
        guard attempt < Self.tryLimit, seconds <= patience else {
          throw ServerFailure("the server is busy (\(status))")
        }
        patience -= max(1, seconds)
        try wait(seconds: seconds)
      case 401, 403: throw ServerFailure("the server refuses the name or the password (\(status))", code: status)
      case 404: throw ServerFailure("there is nothing at this address (404): is the path right?", code: status)
      default: throw ServerFailure("the server answered \(status)", code: status)
      }
    }
    throw ServerFailure("the server is busy")
  }

  private func answer(_ address: WebAddress) throws(ServerFailure) -> PostAnswer {
    let answers = Mailbox<Result<PostAnswer, NetworkError>>()
    do throws(NetworkError) {
      // One byte more shows that it is too long.
      let request = try network.send(nil, to: address, fields: [], byteLimit: Self.byteLimit + 1) { answers.post($0) }
      defer { withExtendedLifetime(request) {} }
      while true {
        if let answer = answers.take(until: .now + .milliseconds(250)).first {
          let answer = try answer.get()
          guard answer.body.count <= Self.byteLimit else { throw NetworkError(.unusable, "its answer is too long") }
          return answer
        }
        if isCancelled() { throw NetworkError(.cancelled, "cancelled") }
      }
    } catch { throw failure(error, at: address) }
  }

  /// A changed certificate is shown with both fingerprints.
  private func failure(_ error: NetworkError, at address: WebAddress) -> ServerFailure {
    guard error.kind == .untrusted, let accepted = network.acceptedCertificate(for: address),
      let shown = try? network.certificate(of: address, isCancelled: isCancelled)
    else { return ServerFailure(error.message) }
    let name = address.hostName ?? "the server"
    return ServerFailure(
      shown == accepted
        ? "the certificate of \(name) that you accepted is not valid any more: renew it there, and add the server again"
        : "the certificate of \(name) has CHANGED from SHA-256 \(accepted.fingerprint) to \(shown.fingerprint): nothing is"
          + " sent. If you did not renew it, somebody else answers; if you did, add the server again")
  }

  private func wait(seconds: Int) throws(ServerFailure) {
    let end = MonotonicTime.now + .seconds(Double(seconds))
    let nothing = Mailbox<Void>()
    while .now < end {
      if isCancelled() { throw ServerFailure("cancelled") }
      _ = nothing.take(until: min(end, .now + .milliseconds(250)))
    }
  }
}
