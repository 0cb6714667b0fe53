/// The byte order of numbers, in formats that exist in both ways.
enum ByteOrder {
  case big, little
}

extension RawSpan {
  func unsigned16(at index: Int, _ order: ByteOrder) -> UInt16 {
    order == .big ? bigEndian16(at: index) : bigEndian16(at: index).byteSwapped
  }

  func unsigned32(at index: Int, _ order: ByteOrder) -> UInt32 {
    order == .big ? bigEndian32(at: index) : littleEndian32(at: index)
  }

  func unsigned64(at index: Int, _ order: ByteOrder) -> UInt64 {
    order == .big ? bigEndian64(at: index) : littleEndian64(at: index)
  }
}
