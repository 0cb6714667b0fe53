internal import Commands
internal import Library

/// The work on the library that is under way.
struct LibraryProgress {
  var scan: LibraryScanState?
  var pins: LibraryPinState?

  /// The progress, or the number of rows if a list does not show all; the longest text first.
  func texts(_ listing: LibraryListing) -> [String] {
    if let scan {
      if scan.isIndexing { return ["updating the index", "updating"] }
      guard scan.read > 0 else { return ["scanning: \(grouped(scan.found)) found", "\(grouped(scan.found)) found"] }
      let count = "\(grouped(scan.read)) of \(grouped(scan.toRead))"
      return ["scanning: \(count) read, \(grouped(scan.rate))/s", "\(count) read", count]
    }
    if let pins {
      let count = "\(grouped(pins.done + 1)) of \(grouped(pins.total))"
      return ["fetching pinned tracks: \(count)", "fetching \(count)", count]
    }
    let count = listing.rows.count
    return listing.total > count ? ["\(grouped(count)) of \(grouped(listing.total))"] : []
  }
}

extension LibraryList {
  /// The text of an empty list: the keys that add to it.
  func emptyText(_ keyMap: KeyMap) -> String {
    func key(_ action: Action, _ effect: String) -> String? {
      keyMap.label(of: action).map { "\($0) \(effect)" }
    }
    let keys: [String?] =
      switch self {
      case .favourites:
        [
          key(.player(.library(.rate(.toggleLove, []))), "loves a track"),
          key(.prompt("rate"), "rates it, 8 and more count"),
        ]
      case .playlists:
        [key(.prompt("playlist save"), "saves the queue as one"), key(.prompt("playlist add"), "adds a track to one")]
      case .playlist: [key(.prompt("playlist add"), "adds tracks, from any view")]
      case .recentlyPlayed, .mostPlayed: ["what you play comes here"]
      default: []
      }
    let text = keys.compactMap(\.self).joined(separator: ", ")
    return "Nothing here yet" + (text.isEmpty ? "." : ": \(text).")
  }
}
