public import ByteIO
internal import Glibc

/// The mapped index file of the library, which opens in microseconds at any size. Immutable; any thread.
///
/// It is derived from the databases and may be deleted at any time. Numbers in it are checked where they are used, so a
/// damaged file gives wrong texts, but no crash.
///
/// Safety: the mapping is read-only and lives as long as the object. Writers replace the file, never its bytes.
public final class LibraryIndex: @unchecked Sendable {
  private let map: UnsafeRawBufferPointer
  /// The tracks, in the order of the library: by artist, album, disc and number.
  public let trackCount: Int
  /// The albums, by artist and year.
  public let albumCount: Int
  /// The artists of albums, by name.
  public let artistCount: Int
  /// The last change of the listener's facts that it includes.
  let change: Int64
  private let sections: [Range<Int>]
  /// False if it is in memory only.
  let isFile: Bool

  /// The index file in the library's folder.
  public static func path(in folder: BytePath) -> BytePath { folder.appending(BytePath("catalogue.map")) }

  /// Opens the index in a folder; `nil` if there is none, or it is damaged or of another version.
  public convenience init?(folder: BytePath) {
    // Without waiting: a FIFO may have taken its place.
    let descriptor = Self.path(in: folder).withCString { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size >= IndexLayout.headerWordCount * 4 + 8,
      let start = mmap(nil, Int(status.st_size), PROT_READ, MAP_SHARED, descriptor, 0), start != MAP_FAILED
    else { return nil }
    self.init(map: UnsafeRawBufferPointer(start: start, count: Int(status.st_size)), isFile: true)
  }

  /// An index that could not be written; `nil` without memory for it.
  convenience init?(bytes: [UInt8]) {
    guard let start = mmap(nil, bytes.count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      start != MAP_FAILED
    else { return nil }
    UnsafeMutableRawBufferPointer(start: start, count: bytes.count).copyBytes(from: bytes)
    self.init(map: UnsafeRawBufferPointer(start: start, count: bytes.count), isFile: false)
  }

  /// Reads the header: its words stand in `IndexLayout.headerWordCount`.
  private init?(map: UnsafeRawBufferPointer, isFile: Bool) {
    func word(_ index: Int) -> UInt32 { map.load(fromByteOffset: index * 4, as: UInt32.self) }
    func long(_ index: Int) -> UInt64 { UInt64(word(index)) | UInt64(word(index + 1)) << 32 }
    var sections: [Range<Int>] = []
    for section in IndexLayout.Section.allCases {
      let (offset, count) = (long(8 + section.rawValue * 4), long(10 + section.rawValue * 4))
      guard offset <= map.count, count <= UInt64(map.count) - offset, offset % 4 == 0 else { break }
      sections.append(Int(offset)..<Int(offset + count))
    }
    (trackCount, albumCount, artistCount) = (Int(word(3)), Int(word(4)), Int(word(5)))
    (change, self.sections, self.map, self.isFile) = (Int64(bitPattern: long(6)), sections, map, isFile)
    let sizes: [(IndexLayout.Section, Int)] = [
      (.tracks, trackCount * IndexLayout.Track.allCases.count),
      (.albums, albumCount * IndexLayout.Album.allCases.count),
      (.artists, artistCount * IndexLayout.Artist.allCases.count), (.byTitle, trackCount),
      (.byRecording, 2 * trackCount), (.lineStarts, trackCount + 1),
    ]
    let isWhole =
      long(0) == IndexLayout.magic && word(2) == IndexLayout.version
      && long(IndexLayout.headerWordCount - 2) == IndexLayout.magic && long(map.count / 4 - 2) == IndexLayout.magic
      && sections.count == IndexLayout.Section.allCases.count
      && sizes.allSatisfy { sections[$0.0.rawValue].count == $0.1 * 4 }
    // All properties are set: `deinit` runs if this fails.
    guard isWhole else { return nil }
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: map.baseAddress), map.count) }

  /// Returns the memory of the mapping to the system. The next use reads from the page cache again.
  public func release() {
    if isFile { madvise(UnsafeMutableRawPointer(mutating: map.baseAddress), map.count, MADV_DONTNEED) }
  }

  // MARK: Words

  func word(_ section: IndexLayout.Section, _ index: Int) -> UInt32 {
    let range = sections[section.rawValue]
    guard index >= 0, range.count - index * 4 >= 4 else { return 0 }
    return map.load(fromByteOffset: range.lowerBound + index * 4, as: UInt32.self)
  }

  func word(_ track: Int, _ word: IndexLayout.Track) -> UInt32 {
    self.word(.tracks, track * IndexLayout.Track.allCases.count + word.rawValue)
  }

  /// From 0 to 10; `nil` if it has none.
  func rating(ofTrack number: Int) -> Int? {
    let rating = word(number, IndexLayout.Track.yearRatingState).low >> 8
    return rating == 0xff ? nil : rating
  }

  func word(_ album: Int, _ word: IndexLayout.Album) -> UInt32 {
    self.word(.albums, album * IndexLayout.Album.allCases.count + word.rawValue)
  }

  func word(_ artist: Int, _ word: IndexLayout.Artist) -> UInt32 {
    self.word(.artists, artist * IndexLayout.Artist.allCases.count + word.rawValue)
  }

  func list(_ offset: UInt32) -> [UInt32] {
    let start = Int(offset)
    let count = min(Int(word(.lists, start)), sections[IndexLayout.Section.lists.rawValue].count / 4 - start - 1)
    return count > 0 ? (0..<count).map { word(.lists, start + 1 + $0) } : []
  }

  // MARK: Texts

  func bytes(_ offset: UInt32) -> UnsafeRawBufferPointer {
    let range = sections[IndexLayout.Section.strings.rawValue]
    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
    guard Int(offset) + 2 <= range.count else { return empty }
    let start = range.lowerBound + Int(offset) + 2
    let count = Int(map[start - 2]) | Int(map[start - 1]) << 8
    guard start + count <= range.upperBound else { return empty }
    return UnsafeRawBufferPointer(rebasing: map[start..<(start + count)])
  }

  func text(_ offset: UInt32) -> String { String(decoding: bytes(offset), as: UTF8.self) }

  func optionalText(_ offset: UInt32) -> String? { offset == 0 ? nil : text(offset) }

  func texts(_ list: UInt32) -> [String] { self.list(list).map(text) }

  var lines: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: map[sections[IndexLayout.Section.lines.rawValue]])
  }

  func lineRange(_ track: Int) -> Range<Int> {
    let end = min(Int(word(.lineStarts, track + 1)), lines.count)
    return min(Int(word(.lineStarts, track)), end)..<end
  }

  /// The track whose line has a byte of `lines`.
  func track(atLineByte byte: Int) -> Int {
    max(0, first(of: trackCount) { Int(word(.lineStarts, $0)) > byte } - 1)
  }

  /// The numbers of the tracks that are a recording.
  public func tracks(ofRecording recording: Int64) -> [Int] {
    var low = first(of: trackCount) { Int64(word(.byRecording, 2 * $0)) >= recording }
    var tracks: [Int] = []
    while low < trackCount, Int64(word(.byRecording, 2 * low)) == recording {
      tracks.append(Int(word(.byRecording, 2 * low + 1)))
      low += 1
    }
    return tracks
  }

  // MARK: Places without rows

  /// The number of places that tracks have beside those of their rows.
  var placeCount: Int { sections[IndexLayout.Section.places.rawValue].count / 4 / IndexLayout.Place.allCases.count }

  func word(_ place: Int, _ word: IndexLayout.Place) -> UInt32 {
    self.word(.places, place * IndexLayout.Place.allCases.count + word.rawValue)
  }

  func places(ofRecording recording: Int64) -> Range<Int> {
    let start = first(of: placeCount) { Int64(word($0, IndexLayout.Place.recording)) >= recording }
    let end = first(of: placeCount) { Int64(word($0, IndexLayout.Place.recording)) > recording }
    return start..<max(start, end)
  }

  /// The first of so many rows that has a property, which all rows after it have, too.
  private func first(of count: Int, where isThere: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isThere(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
