internal import Library

/// Addresses of streams as they are shown: those that are kept first.
struct StreamsView: Sendable {
  private(set) var streams: [StreamList.Stream] = []
  private(set) var keptCount = 0
  var list = ListView()
  /// What was noted last as heard.
  var heard: StreamList.Stream?

  var selectedStream: StreamList.Stream? { list.selected.map { streams[$0] } }

  func matches(_ pattern: SearchPattern, _ row: Int) -> Bool {
    pattern.matches(streams[row].title, streams[row].address)
  }

  /// Shows others; the chosen one stays chosen, where it is.
  mutating func show(_ new: StreamList) {
    let selected = selectedStream?.address
    (streams, keptCount) = (new.kept + new.recent, new.kept.count)
    list.setCount(streams.count, matching: matches)
    if let row = streams.firstIndex(where: { $0.address == selected }) { list.select(row) }
  }
}
