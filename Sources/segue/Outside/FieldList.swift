/// Fields of bytes in one message. Four bytes before each field give its length, least significant byte first.
struct FieldList {
  var fields: [[UInt8]]

  init(_ fields: [[UInt8]]) { self.fields = fields }

  /// Nil if a length exceeds the bytes that are there.
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
