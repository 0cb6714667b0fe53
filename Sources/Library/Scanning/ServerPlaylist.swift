/// A playlist as a server of music has it.
public struct ServerPlaylist: Sendable, Hashable {
  public var id: String
  public var name: String
  /// Another one after each change; `nil` if the server does not say when it was changed.
  public var version: String?
  /// The number of its tracks, as the server says it.
  public var count = 0
  /// True if the listener may change it.
  public var isOwn = true
  /// None in a list of playlists.
  public var tracks: [ServerTrack] = []

  public init(id: String, name: String) { (self.id, self.name) = (id, name) }
}

/// The playlists of a server. Blocks. Throws the reason why it does not answer, or does not take a change. Tracks are
/// named as in `ServerTrack.id`.
public protocol ServerPlaylists {
  /// All of them, without their tracks.
  func all() throws(ServerFailure) -> [ServerPlaylist]
  /// One with its tracks; `nil` if the server does not have it any more.
  func playlist(_ id: String) throws(ServerFailure) -> ServerPlaylist?
  /// Makes an empty one. Returns its ID; `nil` if the server does not say it.
  func create(_ name: String) throws(ServerFailure) -> String?
  func replace(_ id: String, with tracks: [String]) throws(ServerFailure)
  /// Removes tracks, then adds others.
  func edit(_ id: String, _ change: PlaylistChange) throws(ServerFailure)
  func rename(_ id: String, to name: String) throws(ServerFailure)
  func delete(_ id: String) throws(ServerFailure)
}

/// A change of the tracks of a playlist on a server that keeps the order of the others. Pure.
public struct PlaylistChange: Sendable, Hashable {
  /// The indices of the tracks to remove, the last one first.
  public private(set) var removed: [Int] = []
  /// The tracks to add at the end.
  public let added: [String]
  /// As many indices as fit in one request: a server that has removed half of them would have a third list.
  private static let removalLimit = 100

  /// `nil` if the whole list is to be sent: it has another order, nothing of what is in it stays, or much is removed.
  public init?(from old: [String], to new: [String]) {
    var keptCount = 0
    for (index, track) in old.enumerated() {
      if keptCount < new.count, track == new[keptCount] { keptCount += 1 } else { removed.append(index) }
    }
    removed.reverse()
    added = Array(new[keptCount...])
    let moved = Set(added)
    guard keptCount > 0 || new.isEmpty || old.isEmpty, removed.count <= Self.removalLimit,
      !removed.contains(where: { moved.contains(old[$0]) })
    else { return nil }
  }
}

extension ServerFailure {
  /// True if the server refuses the name, the password or the key.
  public var isLogin: Bool { code.map { 40...44 ~= $0 } ?? (status == 401 || status == 403) }
  /// True if the server has understood and refuses, or does not know such a request. A later attempt would not help.
  public var isRefusal: Bool { code != nil && !isLogin || isUnknown }
  /// True if it, or a proxy before it, also refuses what was sent as invalid or too large: others may be taken.
  public var isRefusalOfContent: Bool { isRefusal || [400, 413, 414, 422, 431].contains(status) }
  /// True if the server does not know such a request.
  public var isUnknown: Bool { status == 501 }
}

/// The steps that make a playlist the same here and on a server, by what has changed since the last comparison. If both
/// have changed, that of the server is copied and the one here counts. Pure.
struct PlaylistMerge: Hashable {
  var takes = false
  var copies = false
  var sends = false

  /// - Parameters:
  ///   - areSame: Both have the same tracks.
  ///   - canSend: The server has all tracks, and lets the listener change it.
  init(isChangedHere: Bool, isChangedThere: Bool, areSame: Bool, canSend: Bool) {
    guard !areSame else { return }
    takes = isChangedThere && !isChangedHere
    copies = isChangedThere && isChangedHere
    sends = isChangedHere && canSend
  }
}
