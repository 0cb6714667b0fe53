internal import AudioModel
package import ByteIO
package import Library
package import Streaming
internal import Threads

/// Asks a server of music, one question after another. Blocks.
package struct ServerConnection: Sendable {
  private let network: Network
  private let isCancelled: @Sendable () -> Bool
  /// Longer answers are refused: an album of 10,000 tracks has 5 MB.
  private static let byteLimit = 16 << 20
  private static let tryLimit = 4
  /// A server that wants to be left alone longer is away.
  private static let longestWait = 30

  package init(_ network: Network, isCancelled: @escaping @Sendable () -> Bool = { false }) {
    (self.network, self.isCancelled) = (network, isCancelled)
  }

  /// The body of the answer, whatever it is. Waits and asks again if the server is busy.
  package func ask(_ address: WebAddress) throws(ServerFailure) -> [UInt8] {
    for attempt in 1...Self.tryLimit {
      let answer = try answer(address)
      switch answer.status {
      case 200: return answer.body
      case 429, 503:
        let seconds = answer.field("retry-after").flatMap { Int($0) } ?? 1 << attempt
        guard attempt < Self.tryLimit, seconds <= Self.longestWait else {
          throw ServerFailure("the server is busy (\(answer.status))")
        }
        try wait(seconds: max(0, seconds))
      case 401, 403: throw ServerFailure("the server refuses the name or the password (\(answer.status))")
      case 404: throw ServerFailure("there is nothing at this address (404): is the path right?")
      default: throw ServerFailure("the server answered \(answer.status)")
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
    } catch { throw ServerFailure(error.message) }
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
