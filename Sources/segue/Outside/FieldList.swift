/// Fields of bytes as one message: before each its length in four bytes, least significant first.
struct FieldList {
  var fields: [[UInt8]]

  init(_ fields: [[UInt8]]) { self.fields = fields }

  /// Nil where lengths and bytes disagree.
  init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    fields = []
    while !rest.isEmpty {
      guard rest.count >= 4 else { return nil }
      let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      guard count <= rest.count else { return nil }
      fields.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
  }

  var bytes: [UInt8] {
    fields.reduce(into: []) { bytes, field in
      withUnsafeBytes(of: UInt32(truncatingIfNeeded: field.count).littleEndian) { bytes += $0 }
      bytes += field
    }
  }
}
