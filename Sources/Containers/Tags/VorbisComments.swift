internal import AudioModel

/// A list of Vorbis comments (Vorbis I 5), read as it comes: of Vorbis, Opus and FLAC, without the magic before it.
///
/// Text of moderate length is read, pictures are located, all else is skipped unseen. Its bytes may come in pieces
/// that lie anywhere in the file.
struct VorbisComments {
  // all numbers u32, little-endian:  size, vendor   count   count times: size, NAME=value in UTF-8

  /// Longer comments are skipped, but for pictures.
  static let maximumCommentByteCount = 0x10000
  /// The limits of kept comments, their text and pictures.
  static let maximumCount = 1024
  static let maximumTextByteCount = 0x20000
  static let maximumArtworkCount = 64

  /// The speakers of FLAC's channels (RFC 9639 8.6.2); 0 if unknown.
  private(set) var channelMask: UInt32 = 0
  private var facts = TrackTags()
  private var chapters: [String: TrackTags.Chapter] = [:]

  private enum Field { case vendorSize, vendor, count, size, comment, end }
  private var field = Field.vendorSize
  /// Bytes of the field, and how many were read.
  private var size = 4
  private var position = 0
  /// The first of them.
  private var head: [UInt8] = []
  /// The start of a picture's value in the file.
  private var valueOffset: Int64 = 0
  private var coverOffset: Int64 = 0
  /// The type of `COVERART`, as `COVERARTMIME` says.
  private var coverType: String?
  /// Comments still to come.
  private var commentCount = 0
  private var keptCount = 0
  private var keptByteCount = 0

  var tags: TrackTags {
    var tags = facts
    let chapters = chapters.values.filter { $0.start >= 0 }
    if !chapters.isEmpty { tags.chapters = chapters.sorted { $0.start < $1.start } }
    if let coverType {
      for index in tags.artwork.indices where tags.artwork[index].isBase64 { tags.artwork[index].mimeType = coverType }
    }
    return tags
  }

  /// Reads the next bytes, which begin `offset` bytes into the file.
  mutating func read(_ bytes: RawSpan, at offset: Int64) {
    var start = 0
    while field != .end, start < bytes.byteCount {
      let end = start + min(size - position, bytes.byteCount - start)
      take(bytes.extracting(start..<end), at: offset + Int64(start))
      start = end
      while position == size, field != .end { finishField(at: offset + Int64(end)) }
    }
  }

  /// Looks at some of the field's bytes.
  private mutating func take(_ bytes: RawSpan, at offset: Int64) {
    let wanted = field == .vendor ? 0 : size <= Self.maximumCommentByteCount ? size : pictureHeadByteCount
    if wanted > head.count {
      bytes.extracting(first: min(wanted - head.count, bytes.byteCount)).withUnsafeBytes { head += $0 }
    }
    if position <= pictureName.count { valueOffset = offset + Int64(pictureName.count - position) }
    if position <= coverName.count { coverOffset = offset + Int64(coverName.count - position) }
    position += bytes.byteCount
  }

  private mutating func finishField(at offset: Int64) {
    let number = Int(head.prefix(4).reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) })
    switch field {
    case .vendorSize: (field, size) = (.vendor, number)
    case .vendor: (field, size) = (.count, 4)
    case .count:
      commentCount = number
      (field, size) = (commentCount > 0 ? .size : .end, 4)
    case .size: (field, size) = (.comment, number)
    case .comment:
      finishComment(endingAt: offset)
      commentCount -= 1
      (field, size) = (commentCount > 0 ? .size : .end, 4)
    case .end: break
    }
    position = 0
    head.removeAll(keepingCapacity: true)
  }

  private mutating func finishComment(endingAt end: Int64) {
    guard let nameEnd = head.firstIndex(of: UInt8(ascii: "=")) else { return }
    let name = String(decoding: head[..<nameEnd], as: UTF8.self).uppercased()
    let value = head[(nameEnd + 1)...]
    if name.utf8.count == pictureName.count - 1, name.utf8.elementsEqual(pictureName.dropLast()) {
      return addPicture(value, byteCount: Int(clamping: end - valueOffset))
    }
    if name == "COVERART" { return addCover(value, byteCount: Int(clamping: end - coverOffset)) }
    guard head.count == size, keptCount < Self.maximumCount, keptByteCount + size <= Self.maximumTextByteCount else {
      return
    }
    keptCount += 1
    keptByteCount += size
    add(String(decoding: value, as: UTF8.self), named: name)
  }

  private mutating func add(_ value: String, named name: String) {
    if name == "WAVEFORMATEXTENSIBLE_CHANNEL_MASK" {
      channelMask = UInt32(value.dropFirst(value.lowercased().hasPrefix("0x") ? 2 : 0), radix: 16) ?? 0
    } else if name == "COVERARTMIME" {
      coverType = value.contains("/") ? value.lowercased() : nil
    } else if name.hasPrefix("CHAPTER") {
      addChapter(value, named: name.dropFirst("CHAPTER".count))
    } else {
      facts.add(value, named: name)
    }
  }

  // CHAPTER001=00:01:02.345   CHAPTER001NAME=title
  private mutating func addChapter(_ value: String, named name: Substring) {
    let number = name.prefix { $0.isNumber }
    let isTitle = name.dropFirst(number.count) == "NAME"
    guard !number.isEmpty, isTitle || number.count == name.count else { return }
    var chapter = chapters[String(number)] ?? TrackTags.Chapter(start: -1, title: "")
    if isTitle {
      chapter.title = value
    } else {
      let parts = value.split(separator: ":").map { Double($0) }
      guard 1...3 ~= parts.count else { return }
      let seconds = parts.reduce(0 as Double?) { sum, part in sum.flatMap { sum in part.map { sum * 60 + $0 } } }
      chapter.start = seconds.flatMap { $0.isFinite ? $0 : nil } ?? -1
    }
    chapters[String(number)] = chapter
  }

  /// A picture in base64, as programs wrote it before picture blocks were used.
  private mutating func addCover(_ value: ArraySlice<UInt8>, byteCount: Int) {
    let head = decodedBase64(value.prefix(pictureBase64ByteCount))
    guard facts.artwork.count < Self.maximumArtworkCount, byteCount > 0, !head.isEmpty else { return }
    let isPNG = head.starts(with: [0x89, 0x50, 0x4e, 0x47])
    facts.artwork.append(
      TrackTags.Artwork(
        byteOffset: coverOffset, byteCount: byteCount, mimeType: isPNG ? "image/png" : "image/jpeg", isBase64: true))
  }

  /// A picture block of FLAC (RFC 9639 8.8) in base64.
  private mutating func addPicture(_ value: ArraySlice<UInt8>, byteCount: Int) {
    guard facts.artwork.count < Self.maximumArtworkCount, byteCount > 0,
      let picture = FLACPicture(head: decodedBase64(value.prefix(pictureBase64ByteCount)).span.bytes)
    else { return }
    facts.artwork.append(
      TrackTags.Artwork(
        byteOffset: valueOffset, byteCount: byteCount, mimeType: picture.mimeType, isBase64Block: true,
        kind: picture.kind))
  }
}

private let pictureName = Array("METADATA_BLOCK_PICTURE=".utf8)
private let coverName = Array("COVERART=".utf8)
/// The part of a picture's text that is read: enough for its kind and MIME type.
private let pictureBase64ByteCount = 128
private let pictureHeadByteCount = pictureName.count + pictureBase64ByteCount
