internal import ByteIO

extension Painter {
  /// Writes `text`, in which addresses become links.
  ///
  /// - Parameters:
  ///   - whole: The text that `text` is a part of, from its character `offset` on: a link leads to the whole address.
  package mutating func write(
    linked text: String, of whole: String? = nil, from offset: Int = 0, row: Int, column: Int, columns: Int,
    style: Style
  ) {
    let width = write(text, row: row, column: column, columns: columns, style: style)
    for link in webAddresses(in: whole ?? text) {
      let part = link.characters.clamped(to: offset..<(offset + text.count))
      let rest = text.dropFirst(part.lowerBound - offset)
      let start = self.width(of: String(text[..<rest.startIndex]))
      let end = min(width, start + self.width(of: String(rest.prefix(part.count))))
      guard start < end else { continue }
      self.link(row: row, (column + start)..<(column + end), to: link.address)
    }
  }
}

private func webAddresses(in text: String) -> [(characters: Range<Int>, address: String)] {
  var last: UInt8 = 0
  let mayHaveSome = text.utf8.contains { byte in
    defer { last = byte }
    return byte == UInt8(ascii: "/") && last == UInt8(ascii: ":")
  }
  guard mayHaveSome else { return [] }
  let limit = 4096
  let characters = Array(text.prefix(limit))
  var found: [(characters: Range<Int>, address: String)] = []
  for sign in characters.indices where characters[sign...].starts(with: "://") {
    // An address within another one is a part of it.
    let before = found.last?.characters.upperBound ?? 0
    guard sign >= before else { continue }
    let scheme = characters[before..<sign].reversed().prefix { $0.isASCII && $0.isLetter }
    var address = characters[(sign - scheme.count)...].prefix { !$0.isWhitespace && !"\"<>".contains($0) }
    // The limit cuts this address.
    if address.endIndex == limit { break }
    while let last = address.last, ".,;:!?')]".contains(last) { address.removeLast() }
    let web = WebAddress(String(address))
    let target = web.description
    guard web.isHTTP, target.utf8.count <= 2048 else { continue }
    found.append((address.indices, target))
  }
  return found
}
