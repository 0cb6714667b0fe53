/// The bytes of base64 text, as far as it goes.
package func decodedBase64(_ text: ArraySlice<UInt8>) -> [UInt8] {
  var (bits, count, bytes) = (0 as UInt32, 0, [UInt8]())
  bytes.reserveCapacity(text.count / 4 * 3)
  for character in text {
    let value: UInt8? =
      switch character {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
      case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
      case UInt8(ascii: "+"): 62
      case UInt8(ascii: "/"): 63
      default: nil
      }
    guard let value else { break }
    (bits, count) = (bits << 6 | UInt32(value), count + 6)
    if count >= 8 {
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
  }
  return bytes
}
