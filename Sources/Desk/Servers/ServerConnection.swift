internal import AudioModel
package import ByteIO
package import Library
package import Streaming
internal import Threads

/// Asks a server of music. Blocks.
package struct ServerConnection: Sendable {
  private let network: Network
  private let patience: Int
  private let isCancelled: @Sendable () -> Bool
  /// Longer answers are refused: an album of 10,000 tracks has 5 MB.
  private static let byteLimit = 16 << 20
  private static let tryLimit = 6
  /// True once a server was busy: from then on, it is asked for one thing after another.
  private let wasBusy = Guarded(false)

  /// - Parameter patience: Seconds to wait in all for a server that is busy; it is away if that takes longer.
  package init(_ network: Network, patience: Int = 60, isCancelled: @escaping @Sendable () -> Bool = { false }) {
    (self.network, self.patience, self.isCancelled) = (network, patience, isCancelled)
  }

  /// The body of the answer, whatever it is. Waits and asks again if the server is busy.
  package func ask(_ address: WebAddress) throws(ServerFailure) -> [UInt8] { try usable(address).body }

  /// The same, with the query of the address as a form.
  package func post(_ address: WebAddress) throws(ServerFailure) -> [UInt8] {
    try usable(answers([address], asForms: true)[0], of: address, asForm: true).body
  }

  /// The bodies of the answers of a few addresses, which are asked for at once unless that was too much for the server.
  /// After a failure nothing more is asked for.
  package func ask(all addresses: [WebAddress]) -> [Result<[UInt8], ServerFailure>] {
    let first = wasBusy.withLock { $0 } ? [] : answers(addresses)
    var bodies: [Result<[UInt8], ServerFailure>] = []
    for (index, address) in addresses.enumerated() {
      if case .failure? = bodies.last {
        bodies.append(bodies[index - 1])
      } else if index < first.count, !wasBusy.withLock({ $0 }) || (try? first[index].get().status) == 200 {
        bodies.append(Result { () throws(ServerFailure) in try usable(first[index], of: address).body })
      } else {
        // Those that were refused beside another one have waited while that one did.
        bodies.append(Result { () throws(ServerFailure) in try ask(address) })
      }
    }
    return bodies
  }

  /// The answer with its head.
  func usable(_ address: WebAddress) throws(ServerFailure) -> PostAnswer {
    try usable(answers([address])[0], of: address)
  }

  private func usable(
    _ first: Result<PostAnswer, ServerFailure>, of address: WebAddress, asForm: Bool = false
  ) throws(ServerFailure) -> PostAnswer {
    var (answer, patience) = (try first.get(), patience)
    for attempt in 1...Self.tryLimit {
      let status = answer.status
      switch status {
      case 200: return answer
      case 429, 503:
        let seconds = max(0, answer.field("retry-after").flatMap { Int($0) } ?? 1 << attempt)
        guard attempt < Self.tryLimit, seconds <= patience else {
          throw ServerFailure("the server is busy (\(status))")
        }
        wasBusy.withLock { $0 = true }
        patience -= max(1, seconds)
        try wait(seconds: seconds)
        answer = try answers([address], asForms: asForm)[0].get()
      // Some servers add this status to an error of their interface, which says more.
      case _ where [400, 401, 403].contains(status) && Self.namesError(answer.body): return answer
      case 401, 403: throw ServerFailure("the server refuses the name or the password (\(status))", status: status)
      case 404: throw ServerFailure("there is nothing at this address (404): is the path right?", status: status)
      default: throw ServerFailure("the server answered \(status)", status: status)
      }
    }
    throw ServerFailure("the server is busy")
  }

  private static func namesError(_ body: [UInt8]) -> Bool {
    let text = String(decoding: body.prefix(4096), as: UTF8.self)
    return text.first { !$0.isWhitespace } == "{" && text.contains("\"error\"") && text.contains("\"code\"")
  }

  private func answers(_ addresses: [WebAddress], asForms: Bool = false) -> [Result<PostAnswer, ServerFailure>] {
    let arrived = Mailbox<(index: Int, answer: Result<PostAnswer, NetworkError>)>()
    var answers = addresses.map { _ in Result<PostAnswer, ServerFailure>.failure(ServerFailure("cancelled")) }
    var requests: [PostRequest] = []
    for (index, address) in addresses.enumerated() {
      var place = address
      if asForms { place.query = nil }
      do throws(NetworkError) {
        // One byte more shows that it is too long.
        requests.append(
          try network.send(
            asForms ? Array((address.query ?? "").utf8) : nil, to: place,
            fields: asForms ? ["Content-Type: application/x-www-form-urlencoded"] : [], byteLimit: Self.byteLimit + 1
          ) { arrived.post((index, $0)) })
      } catch { answers[index] = .failure(failure(error, at: address)) }
    }
    defer { withExtendedLifetime(requests) {} }
    var waitedFor = requests.count
    while waitedFor > 0, !isCancelled() {
      for (index, answer) in arrived.take(until: .now + .milliseconds(250)) {
        waitedFor -= 1
        answers[index] = answer.mapError { failure($0, at: addresses[index]) }.flatMap { answer in
          answer.body.count <= Self.byteLimit ? .success(answer) : .failure(ServerFailure("its answer is too long"))
        }
      }
    }
    return answers
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
