/// The header of an EBML element (RFC 8794 4 to 6): its ID of 1 to 4 bytes, and the size of its content in 1 to 8
/// bytes. The number of zeros before the first one bit is the number of further bytes.
struct EBMLHeader {
  // 1xxxxxxx   01xxxxxx xxxxxxxx   001xxxxx xxxxxxxx xxxxxxxx  ...   All x of a size 1: unknown size.

  /// No header is longer.
  static let maximumByteCount = 12

  /// The ID, with its marker bit.
  let id: UInt32
  /// Bytes of the header.
  let byteCount: Int
  /// Bytes of the content; `nil` if unknown: then it ends at the first element that it cannot contain.
  let contentByteCount: Int64?

  /// The result of a look at some bytes.
  enum Look {
    case header(EBMLHeader)
    case no
    /// More bytes are needed.
    case needsBytes(Int)
  }

  static func look(_ bytes: RawSpan) -> Look {
    guard bytes.byteCount >= 2 else { return .needsBytes(2) }
    let idByteCount = bytes[0].leadingZeroBitCount + 1
    guard idByteCount <= 4 else { return .no }
    guard bytes.byteCount > idByteCount else { return .needsBytes(idByteCount + 1) }
    let sizeByteCount = bytes[idByteCount].leadingZeroBitCount + 1
    guard sizeByteCount <= 8 else { return .no }
    let byteCount = idByteCount + sizeByteCount
    guard bytes.byteCount >= byteCount, let size = bytes.variableNumber(at: idByteCount) else {
      return .needsBytes(byteCount)
    }
    let id = bytes.bigEndianNumber(0..<idByteCount)
    let isUnknown = size.value == 1 << (7 * UInt64(sizeByteCount)) - 1
    return .header(
      EBMLHeader(
        id: UInt32(id), byteCount: byteCount, contentByteCount: isUnknown ? nil : Int64(size.value)))
  }

  /// Bytes of the whole element; `nil` if unknown.
  var elementByteCount: Int64? { contentByteCount.map { $0 + Int64(byteCount) } }
}

extension RawSpan {
  /// A number of variable size, without its marker bit; `nil` if it has no marker or is incomplete.
  func variableNumber(at index: Int) -> (value: UInt64, byteCount: Int)? {
    guard index < byteCount else { return nil }
    let count = self[index].leadingZeroBitCount + 1
    guard count <= 8, byteCount - index >= count else { return nil }
    return (bigEndianNumber(index..<index + count) & (1 << (7 * UInt64(count)) - 1), count)
  }

  /// A big-endian number of up to 8 bytes.
  func bigEndianNumber(_ range: Range<Int>) -> UInt64 { range.reduce(0) { $0 << 8 | UInt64(self[$1]) } }

  /// Calls `body` for consecutive elements, as far as their bytes are available.
  func forEachElement<Failure: Error>(
    _ body: (_ id: UInt32, _ content: RawSpan) throws(Failure) -> Void
  ) throws(Failure) {
    var rest = self
    while case .header(let header) = EBMLHeader.look(rest) {
      let end = min(Int64(rest.byteCount), header.elementByteCount ?? .max)
      try body(header.id, rest.extracting(header.byteCount..<Int(end)))
      rest = rest.extracting(droppingFirst: Int(end))
    }
  }

  /// The content of an unsigned integer (RFC 8794 7.2); 0 if it is too long to be one.
  var ebmlUnsigned: UInt64 { byteCount <= 8 ? bigEndianNumber(0..<byteCount) : 0 }

  /// The same as a signed number; larger ones are clamped.
  var ebmlInteger: Int64 { Int64(clamping: ebmlUnsigned) }

  /// The content of a signed integer (RFC 8794 7.1).
  var ebmlSigned: Int64 {
    guard 1...8 ~= byteCount else { return 0 }
    let unused = 64 - 8 * byteCount
    return Int64(bitPattern: ebmlUnsigned << UInt64(unused)) >> Int64(unused)
  }

  /// The content of a float (RFC 8794 7.3) of 4 or 8 bytes; 0 for other sizes, NaN and infinity.
  var ebmlFloat: Double {
    let value: Double =
      switch byteCount {
      case 4: Double(Float(bitPattern: bigEndian32(at: 0)))
      case 8: Double(bitPattern: bigEndian64(at: 0))
      default: 0
      }
    return value.isFinite ? value : 0
  }

  /// The content of a string (RFC 8794 7.4, 7.5), which zeros may pad.
  var ebmlString: String { String(decoding: copy(0..<byteCount).prefix { $0 != 0 }, as: UTF8.self) }
}
