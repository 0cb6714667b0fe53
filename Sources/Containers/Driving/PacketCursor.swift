internal import AudioModel
internal import ByteIO

/// A parser at a place in a byte source, with a window on the bytes there.
final class PacketCursor {
  /// Bytes that are read at a time.
  static let windowByteCount = 0x10000
  /// Bytes that are read to find the next packet; more of them without one are not audio, and may be as many as a sparse
  /// file pretends to have.
  static let searchByteLimit = 1 << 26

  private(set) var parser: ProbingParser
  private let source: any ByteSource
  /// Owned, and no array: that would be retained and released for each packet.
  private var window = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  /// Bytes of `window` that were read: no others are looked at.
  private var windowFilled = 0
  private var windowOffset: Int64 = 0
  /// True if `window` reaches to the end of the file, as it was then.
  private(set) var windowEndsStream = false
  /// True if the last `next` gave nothing because bytes are missing that the source promises.
  private(set) var isStarved = false
  /// Bytes that were read since the last packet was found.
  private var searchedByteCount = 0
  /// The start of the next step.
  private(set) var byteOffset: Int64 = 0
  /// Number of the next packet, and its first frame.
  private(set) var packet: Int64 = 0
  private(set) var frame: Int64 = 0
  /// True if the parser had to look elsewhere: the stream cannot be played as it arrives.
  private(set) var hasJumped = false

  init(_ parser: ProbingParser, source: any ByteSource, start: Int64 = 0) {
    (self.parser, self.source) = (parser, source)
    (byteOffset, windowOffset) = (start, start)
  }

  /// Another cursor at the same place.
  init(copying other: PacketCursor) {
    (parser, source) = (other.parser, other.source)
    (windowFilled, windowOffset, windowEndsStream) = (other.windowFilled, other.windowOffset, other.windowEndsStream)
    (byteOffset, packet, frame, hasJumped) = (other.byteOffset, other.packet, other.frame, other.hasJumped)
    window = .allocate(byteCount: other.window.count, alignment: 16)
    window.copyMemory(from: UnsafeRawBufferPointer(rebasing: other.window[..<windowFilled]))
  }

  deinit { window.deallocate() }

  /// Goes to a place.
  func move(to point: ResumePoint) throws(ContainerError) {
    try parser.resume(at: point)
    (byteOffset, packet, frame) = (point.byteOffset, point.packet, point.frame)
    (windowEndsStream, searchedByteCount) = (false, 0)
  }

  /// Reads the end of the file, if the parser needs it.
  func readTail() throws(ContainerError) {
    let byteCount = Int64(parser.tailByteCount)
    guard byteCount > 0, let end = source.byteCount else { return }
    let tail = try source.bytes(at: max(0, end - byteCount), byteCount: Int(min(end, byteCount)))
    parser.noteTail(tail.span.bytes)
  }

  /// Reads header elements elsewhere in the file, and returns. Damage there is ignored; throws if reading fails.
  func readElsewhere() throws(ContainerError) {
    let offset = byteOffset
    while let target = parser.goElsewhere() {
      byteOffset = target
      do throws(ContainerError) { while try next() != nil {} } catch { if error.cause != nil { throw error } }
    }
    (byteOffset, windowEndsStream) = (offset, false)
  }

  /// The next thing found and where; `nil` at the end, behind too many bytes without a packet, or if it `isStarved`.
  /// Continues where it was if a read fails or more bytes are there.
  func next() throws(ContainerError) -> (event: ContainerEvent, byteOffset: Int64, byteCount: Int64)? {
    var needed = 1
    isStarved = false
    while true {
      guard searchedByteCount < Self.searchByteLimit, let start = try fill(needed) else { return nil }
      let bytes = UnsafeRawBufferPointer(rebasing: window[start..<windowFilled])
      switch try parser.step(bytes.bytes, at: byteOffset, isLast: windowEndsStream) {
      case .found(let event, let byteCount):
        let offset = byteOffset
        byteOffset += byteCount
        if case .packet(let found) = event {
          packet += Int64(found.packetCount)
          frame += Int64(found.frameCount)
          searchedByteCount = 0
        }
        return (event, offset, byteCount)
      case .needsBytes(let count):
        guard !windowEndsStream, count <= AudioFileStream.maximumWindowByteCount else {
          throw ContainerError(.invalidFile, at: byteOffset, "\(count) bytes in one piece are too many")
        }
        needed = count
      case .needsSeek(let target):
        (byteOffset, hasJumped, needed) = (max(0, target), true, 1)
      case .endOfStream:
        return nil
      }
    }
  }

  /// Copies bytes of the packet that `next()` just found: they are in the window.
  func copy(_ packet: ContainerPacket, at offset: Int64, to buffer: UnsafeMutableRawBufferPointer) {
    let bytes = UnsafeRawBufferPointer(rebasing: window[Int(offset - windowOffset)..<windowFilled])
    guard packet.isFragmented else {
      return buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<packet.byteCount]))
    }
    var copied = parser.leadingBytes.count
    buffer.copyBytes(from: parser.leadingBytes)
    for fragment in parser.fragments {
      UnsafeMutableRawBufferPointer(rebasing: buffer[copied...]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes[fragment]))
      copied += fragment.count
    }
  }

  /// Makes sure that the window holds `needed` bytes from `byteOffset` on, or all there are. Returns where they begin,
  /// `nil` if it is past the end, or the cursor `isStarved`.
  private func fill(_ needed: Int) throws(ContainerError) -> Int? {
    let start = byteOffset - windowOffset
    if start >= 0, start <= windowFilled {
      if windowEndsStream || windowFilled - Int(start) >= needed { return Int(start) }
      moveDown(from: Int(start))
      windowOffset = byteOffset
    } else {
      // One byte more shows whether the jump led past the end.
      (windowOffset, windowFilled, windowEndsStream) = (max(0, byteOffset - 1), 0, false)
    }
    let begin = Int(byteOffset - windowOffset)
    if window.count < max(begin + needed, Self.windowByteCount) { grow(to: max(begin + needed, Self.windowByteCount)) }
    while windowFilled < begin + needed, !windowEndsStream {
      let count = try source.read(into: window, from: windowFilled, at: windowOffset + Int64(windowFilled))
      windowFilled += count
      searchedByteCount += count
      guard count == 0 else { continue }
      if let promised = source.byteCount, windowOffset + Int64(windowFilled) < promised {
        isStarved = true
        return nil
      }
      windowEndsStream = true
    }
    return windowFilled >= begin ? begin : nil
  }

  private func moveDown(from start: Int) {
    window.copyMemory(from: UnsafeRawBufferPointer(rebasing: window[start..<windowFilled]))
    windowFilled -= start
  }

  private func grow(to byteCount: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: window[..<windowFilled]))
    window.deallocate()
    window = larger
  }
}
