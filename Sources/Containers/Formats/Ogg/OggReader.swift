/// Follows the pages of one stream in Ogg and puts its packets together. A value: a copy can look ahead.
struct OggReader {
  /// The next item.
  enum Found {
    /// The header of a page of the stream.
    case page
    /// A page of another stream.
    case otherPage
    /// A page that begins a stream; it is not passed.
    case beginning(OggPage)
    /// A whole packet.
    case packet
    /// The beginning of a packet whose rest is missing, or was not looked for.
    case part
    /// The rest of a packet that began before, or some of it.
    case rest
    /// Something that is no page.
    case garbage
    case needsBytes(Int)
    case end
  }

  /// A packet that spreads over more bytes is given up: less than the parsers' window.
  static let maximumPacketSpan = 15 << 16

  /// The stream; `nil` to take that of the next page.
  private(set) var serial: UInt32?
  /// The current page; after a packet on several pages, the last of them.
  private(set) var page: OggPage?
  /// True if pages are missing before it.
  private(set) var isAfterGap = false
  /// The places of the bytes of the last packet found.
  private(set) var fragments: [Range<Int>] = []
  /// True if they begin a packet, and end one.
  private(set) var beginsPacket = false
  private(set) var endsPacket = false
  /// The start of the page on which the packet found last is the first to begin; `nil` if it is not the first.
  private(set) var resumeOffset: Int64?
  /// The start of the current page, if no packet has begun on it.
  private(set) var freshPageOffset: Int64?
  /// The next segment.
  private var segment = 0
  /// True if a packet continues there that began before.
  private var isInsidePacket = false
  private var nextSequence: UInt32?
  /// True if a page of the stream is known to begin here.
  private var isAtPage: Bool

  /// Follows stream `serial`, or that of the first page that comes. `isAtPage` if one was found there before: then it
  /// is one even if the end of the file cuts it short.
  init(serial: UInt32? = nil, isAtPage: Bool = false) { (self.serial, self.isAtPage) = (serial, isAtPage) }

  /// True if the current page has unread bytes.
  var isInsidePage: Bool { page.map { segment < $0.lacing.count } ?? false }

  /// True if no more packets end on the current page, except empty ones.
  var isBehindLastEnd: Bool {
    guard let page else { return true }
    // Zeros there are empty packets; one after a 255 would end a packet.
    return !page.lacing[segment...].drop { $0 == 0 }.contains { $0 < 255 }
  }

  /// Looks at bytes from `position` on, which begin `offset` bytes into the stream, and moves `position` after what it
  /// finds. With `isPatient` false it does not look on other pages for the rest of a packet.
  mutating func next(
    _ bytes: RawSpan, from position: inout Int, at offset: Int64, isLast: Bool, isPatient: Bool = true
  ) -> Found {
    while let page, segment < page.lacing.count {
      let part = page.part(from: segment)
      let end = position + part.byteCount
      guard end <= bytes.byteCount else {
        if !isLast { return .needsBytes(end) }
        return take(position..<bytes.byteCount, upTo: page.lacing.count, endsPacket: false, &position)
      }
      if isInsidePacket || part.isEnd && part.byteCount > 0 {
        return take(position..<end, upTo: part.endIndex, endsPacket: part.isEnd, &position)
      }
      if part.isEnd {
        segment = part.endIndex
      } else if isPatient, let found = finish(bytes, position..<end, at: offset, isLast: isLast, &position) {
        return found
      } else {
        return take(position..<end, upTo: part.endIndex, endsPacket: false, &position)
      }
    }
    return nextPage(bytes, from: &position, at: offset, isLast: isLast)
  }

  /// Enters a page that begins the stream.
  mutating func enter(_ page: OggPage, from position: inout Int, at offset: Int64) {
    self = OggReader(serial: page.serial)
    turn(to: page, at: offset + Int64(position))
    position += page.headerByteCount
  }

  private mutating func take(
    _ range: Range<Int>, upTo segment: Int, endsPacket: Bool, _ position: inout Int
  ) -> Found {
    let isRest = isInsidePacket
    fragments.removeAll(keepingCapacity: true)
    fragments.append(range)
    (self.segment, self.endsPacket, position) = (segment, endsPacket, range.upperBound)
    (beginsPacket, isInsidePacket) = (!isRest, isRest && !endsPacket)
    if !isRest { noteBeginning() }
    return isRest ? .rest : endsPacket ? .packet : .part
  }

  private mutating func noteBeginning() { (resumeOffset, freshPageOffset) = (freshPageOffset, nil) }

  /// Looks for the rest of a packet on the pages that follow; `nil` if it is not there.
  private mutating func finish(
    _ bytes: RawSpan, _ first: Range<Int>, at offset: Int64, isLast: Bool, _ position: inout Int
  ) -> Found? {
    var (end, sequence, fragments) = (first.upperBound, nextSequence, [first])
    while true {
      switch OggPage.look(bytes, at: end, isLast: isLast, serial: serial, sequence: sequence) {
      case .needsBytes(let count):
        guard end + count - first.lowerBound <= Self.maximumPacketSpan else { return nil }
        // Of small pages not one by one.
        let span = end - first.lowerBound > 0x10000 ? 2 * (end - first.lowerBound) : 0
        return .needsBytes(max(end + count, first.lowerBound + min(Self.maximumPacketSpan, span)))
      case .no: return nil
      case .page(let page):
        guard end + page.byteCount - first.lowerBound <= Self.maximumPacketSpan, !page.beginsStream else { return nil }
        if page.serial == serial {
          guard page.sequence == sequence, page.isContinued else { return nil }
          let (part, start) = (page.part(from: 0), end + page.headerByteCount)
          guard start + part.byteCount <= bytes.byteCount else { return nil }
          fragments.append(start..<start + part.byteCount)
          sequence = page.sequence &+ 1
          if part.isEnd {
            noteBeginning()
            turn(to: page, at: offset + Int64(end))
            (self.fragments, segment, isInsidePacket, endsPacket) = (fragments, part.endIndex, false, true)
            position = start + part.byteCount
            return .packet
          }
        }
        end += page.byteCount
      }
    }
  }

  private mutating func nextPage(
    _ bytes: RawSpan, from position: inout Int, at offset: Int64, isLast: Bool
  ) -> Found {
    if isLast, position >= bytes.byteCount { return .end }
    let look = OggPage.look(
      bytes, at: position, isLast: isLast, serial: serial, sequence: nextSequence, isExpected: isAtPage)
    if case .needsBytes(let count) = look { return .needsBytes(position + count) }
    isAtPage = false
    switch look {
    case .needsBytes, .no:
      position = OggPage.nextMark(bytes, behind: position, isLast: isLast)
      return .garbage
    case .page(let page) where page.beginsStream: return .beginning(page)
    case .page(let page) where page.serial != serial ?? page.serial:
      position += page.byteCount
      return .otherPage
    case .page(let page):
      serial = page.serial
      turn(to: page, at: offset + Int64(position))
      position += page.headerByteCount
      return .page
    }
  }

  private mutating func turn(to page: OggPage, at offset: Int64) {
    isAfterGap = page.sequence != nextSequence ?? page.sequence
    (self.page, segment, isInsidePacket, freshPageOffset) = (page, 0, page.isContinued, offset)
    nextSequence = page.sequence &+ 1
  }
}
