internal import Library

/// A part of the interface of a server that speaks OpenSubsonic.
protocol SubsonicPart {
  var account: ServerAccount { get }
  var ask: SubsonicLogin.Ask { get }
}

extension SubsonicPart {
  /// The answer to a method, such as `getAlbum`.
  func answer(_ method: String, _ fields: [(String, String)] = []) throws(ServerFailure) -> SubsonicAnswer {
    try SubsonicAnswer(ask(SubsonicRequest.address(method, fields, of: account)))
  }

  /// The artist of a track: an ID; `nil` if the server does not say.
  func artist(ofTrack id: String) throws(ServerFailure) -> String? {
    try SubsonicAnswer(ask(SubsonicRequest.track(id, of: account))).artistID
  }

  /// The names of the extensions of the server; none of an older one.
  func extensions() throws(ServerFailure) -> Set<String> {
    let bytes: [UInt8]
    do throws(ServerFailure) {
      bytes = try ask(SubsonicRequest.address("getOpenSubsonicExtensions", of: account))
    } catch {
      guard error.code != nil || error.status != nil else { throw error }
      return []
    }
    return (try? SubsonicAnswer(bytes))?.extensions ?? []
  }
}
