internal import ByteIO
internal import Library
internal import Playback
internal import Streaming

/// The file of a saved queue: a playlist whose first lines are comments about the turns of its entries. Numbers are
/// rows of the list, from 0.
///
///     #EXTM3U
///     #SEGUE-ORDER:2 0 1      in random order: the order of playing
///     #SEGUE-PAST:1 2         in random order: rows that were played in earlier rounds
///     #SEGUE-NEXT:2           wishes: to play next
///     #SEGUE-ENQUEUED:1       weaker wishes
///     #SEGUE-PARTS:0 500 1500 row, start and end of a part, in milliseconds; an end of -1 is that of the track
///     #SEGUE-PRIORITIES:1 255 row and priority
///     /music/a.mp3
struct SavedQueue {
  private static var fields: [(name: String, rows: WritableKeyPath<QueueTurns, [Int]>)] {
    [
      ("ORDER", \.ordered), ("PAST", \.past), ("NEXT", \.next), ("ENQUEUED", \.enqueued), ("PARTS", \.parts),
      ("PRIORITIES", \.priorities),
    ]
  }

  /// The bytes of the file. Standard input ends with the program and is left out.
  static func bytes(of queue: PlayQueue) -> [UInt8] {
    var queue = queue
    queue.apply(.remove(queue.entries.filter { $0.location == .file(.standardInput) }.map(\.id)))
    let turns = QueueTurns(of: queue)
    let comments = fields.map { name, rows in
      let numbers = turns[keyPath: rows]
      return numbers.isEmpty ? "" : "#SEGUE-\(name):\(numbers.map(String.init).joined(separator: " "))\n"
    }
    var bytes = PlaylistWriter.bytes(of: queue.entries.lazy.map(\.location))
    let head = bytes.prefix { $0 != UInt8(ascii: "\n") }.count + 1
    bytes.insert(contentsOf: comments.joined().utf8, at: head)
    return bytes
  }

  static func turns(in bytes: [UInt8]) -> QueueTurns {
    var turns = QueueTurns()
    for line in bytes[..<entries(in: bytes).startIndex].split(separator: UInt8(ascii: "\n")) {
      for (name, rows) in fields {
        let start = "#SEGUE-\(name):"
        guard line.starts(with: start.utf8) else { continue }
        let numbers = line.dropFirst(start.utf8.count).split(separator: UInt8(ascii: " "))
        turns[keyPath: rows] = numbers.map { Int(String(decoding: $0, as: UTF8.self)) ?? -1 }
      }
    }
    return turns
  }

  /// The part of a file after the comments.
  static func entries(in bytes: [UInt8]) -> ArraySlice<UInt8> {
    var rest = bytes[...]
    while rest.first == UInt8(ascii: "#") {
      rest = rest.drop { $0 != UInt8(ascii: "\n") }.dropFirst()
    }
    return rest
  }
}

extension QueueTurns {
  fileprivate var ordered: [Int] {
    get { order ?? [] }
    set { order = newValue }
  }
}
