internal import ByteIO
internal import Pictures
internal import Commands

/// Covers of albums in a list, by a track of each: the latest ones, as many as a screen may show and a few more.
struct SmallCovers: Sendable {
  private static let limit = 64

  private var known: [BytePath: Picture?] = [:]
  /// The known ones, the latest last.
  private var order: [BytePath] = []
  /// The covers that were requested last, and are not known yet.
  private var awaited: Set<BytePath> = []

  /// The cover; `nil` if it is not known, a `nil` within if there is none.
  subscript(path: BytePath) -> Picture?? { known[path] }

  /// Stores an answer if it was requested.
  mutating func note(_ picture: Picture?, of path: BytePath) {
    guard awaited.remove(path) != nil else { return }
    known[path] = .some(picture)
    order.append(path)
  }

  /// Requests those of the visible covers that are not known, each once.
  mutating func request(_ visible: [BytePath]) -> [Command] {
    if order.count > max(Self.limit, visible.count) {
      let old = order.dropLast(Self.limit).filter { !visible.contains($0) }
      for path in old { known[path] = nil }
      order.removeAll(where: old.contains)
    }
    let missing = visible.filter { known[$0] == nil }
    guard !awaited.isSuperset(of: missing) else { return [] }
    awaited = Set(missing)
    return [.ask(.smallCovers(missing))]
  }

  /// Another view may have requested covers, which ends these requests.
  mutating func abandonRequests() { awaited = [] }
}
