internal import AudioModel

/// Reads playlists in XML, or in similar text (ASX). Pure.
enum XMLPlaylist {
  /// The entries, in their order.
  static func items(in document: [UInt8], format: PlaylistFormat) -> [PlaylistReader.Item] {
    var scanner = TagScanner(document)
    var items: [PlaylistReader.Item] = []
    var item: PlaylistReader.Item?
    var text = ""
    while let token = scanner.next() {
      switch token {
      case .text(let more): text += more
      case .begin(let name, let attributes, _):
        text = ""
        switch (name, format) {
        case ("track", .xspf), ("entry", .asx): item = PlaylistReader.Item()
        case ("ref", .asx):
          // Later addresses are alternative sources of the same entry.
          if item?.target.isEmpty == true { item?.target = target(attributes["href"]) }
        case ("entryref", .asx), ("media", .wpl):
          let target = target(attributes[format == .wpl ? "src" : "href"])
          if !target.isEmpty { items.append(PlaylistReader.Item(target: target)) }
        default: break
        }
      case .end(let name):
        switch (name, format) {
        case ("track", .xspf), ("entry", .asx):
          if let item, !item.target.isEmpty { items.append(item) }
          item = nil
        case ("location", .xspf): if item?.target.isEmpty == true { item?.target = target(text) }
        case ("title", _): item?.title = text.trimmed.isEmpty ? nil : String(text.trimmed)
        // In milliseconds.
        case ("duration", .xspf): item?.seconds = Int(text.trimmed).flatMap { $0 > 0 ? Double($0) / 1000 : nil }
        default: break
        }
        text = ""
      }
    }
    return items
  }

  private static func target(_ text: String?) -> [UInt8] { Array((text?.trimmed ?? "").utf8) }
}
