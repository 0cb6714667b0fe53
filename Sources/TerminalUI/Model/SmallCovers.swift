internal import ByteIO
internal import Cells
internal import Pictures
internal import Commands

/// Covers of albums in a list, by a track of each: the latest ones, as many as a screen may show and a few more.
struct SmallCovers: Sendable {
  /// The size of a cover beside two lines of text. A cell is half as wide as high.
  static let (lines, columns) = (2, 4)
  private static let limit = 64

  /// By track: `nil` within if there is none. The sides are those that were requested.
  private var known: [BytePath: (picture: Picture?, side: Int)] = [:]
  /// The known ones, the latest last.
  private var order: [BytePath] = []
  /// The covers that were requested last, and are not known yet.
  private var awaited: Set<BytePath> = []
  private var awaitedSide = 0

  /// The cover; `nil` if it is not known, a `nil` within if there is none.
  subscript(path: BytePath) -> Picture?? { known[path].map(\.picture) }

  /// Stores an answer if it was requested: an earlier request, or that of another view, may be of another size.
  mutating func note(_ picture: Picture?, of path: BytePath, side: Int = Inquiry.smallCoverSide) {
    guard side == awaitedSide, awaited.remove(path) != nil else { return }
    if known[path] == nil { order.append(path) }
    known[path] = (picture, side)
  }

  /// Requests those of the visible covers that are not known in this size, each once. Until they arrive smaller ones stay.
  mutating func request(_ visible: [BytePath], side: Int = Inquiry.smallCoverSide) -> [Command] {
    if order.count > max(Self.limit, visible.count) {
      let old = order.dropLast(Self.limit).filter { !visible.contains($0) }
      for path in old { known[path] = nil }
      order.removeAll(where: old.contains)
    }
    var listed: Set<BytePath> = []
    let missing = visible.filter { known[$0]?.side ?? 0 < side && listed.insert($0).inserted }
    guard !missing.isEmpty, side > awaitedSide || !awaited.isSuperset(of: missing) else { return [] }
    (awaited, awaitedSide) = (Set(missing), side)
    return [.ask(.smallCovers(missing, side: side))]
  }

  /// Another view may have requested covers, which ends these requests.
  mutating func abandonRequests() { awaited = [] }

  /// Draws a cover, or a sign where there is none. Until it arrives its place stays empty.
  func draw(_ path: BytePath?, on painter: inout Painter, inRows rows: Range<Int>, columns: Range<Int>) {
    guard !rows.isEmpty else { return }
    let known = path.flatMap { self[$0] }
    if path != nil, known == nil { return }
    if let cover = known ?? nil {
      painter.draw(inColumns: columns) { $0.show(cover, inRows: rows) }
    } else {
      let (row, column) = ((rows.lowerBound + rows.upperBound - 1) / 2, columns.lowerBound + columns.count / 2)
      painter.write(painter.typography.sign.playable, row: row, column: column, style: .faint)
    }
  }
}
