internal import AudioModel
internal import ByteIO
internal import Glibc
package import Library
internal import Streaming

/// The state of a server of music, for `segue doctor`.
package struct ServerCheck: Sendable {
  /// The fingerprint of the accepted certificate; `nil` if it is one that the system trusts, and without TLS.
  package var acceptedFingerprint: String?
  /// `navidrome 0.58.0`; and the version of the interface.
  package var program, version: String
  /// The names of its extensions, sorted.
  package var extensions: [String]
  /// Seconds by which its clock is ahead of this one; `nil` if it does not tell the time.
  package var clockDifference: Int64?

  /// Asks a server. Blocks.
  ///
  /// - Parameter now: Seconds since 1970.
  package init(_ account: ServerAccount, _ servers: KnownServers, now: () -> Int64) throws(ServerFailure) {
    let network = servers.network
    defer { network.shutDown() }
    let connection = ServerConnection(network, patience: 0)
    acceptedFingerprint = account.certificate?.fingerprint
    switch account.kind {
    case .openSubsonic:
      let answer = try connection.usable(SubsonicRequest.address("ping", of: account))
      clockDifference = answer.field("date").flatMap(Self.moment).map { $0 - now() }
      let facts = try SubsonicAnswer(answer.body)
      program = [facts.program ?? "a server", facts.programVersion].compactMap(\.self).joined(separator: " ")
      version = facts.version ?? account.version
      extensions = try SubsonicLyrics(account: account, ask: connection.ask).extensions().sorted()
    }
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 5.6.7).
  static func moment(_ text: String) -> Int64? {
    guard let parts = text.wholeMatch(of: /\w{3}, (\d\d) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT/),
      let month = months.firstIndex(of: String(parts.2)), let year = Int32(parts.3), 1970..<3000 ~= year
    else { return nil }
    var time = tm()
    (time.tm_year, time.tm_mon, time.tm_mday) = (year - 1900, Int32(month), Int32(parts.1) ?? 1)
    (time.tm_hour, time.tm_min, time.tm_sec) = (Int32(parts.4) ?? 0, Int32(parts.5) ?? 0, Int32(parts.6) ?? 0)
    return Int64(timegm(&time))
  }
}
