public import AudioModel

/// The tags of a file that the library stores: lists of values by field, unchanged.
public struct CatalogueTags: Hashable, Sendable {
  /// The meaning of a value. Raw values are stored: never change one.
  public enum Field: UInt8, CaseIterable, Sendable {
    case title = 1
    /// The artist as credited: "A feat. B". `artists` lists each one.
    case artist, artists, album, albumArtist, albumArtists, composers, genres
    /// Dates as written, and numbers of a disc and of a track.
    case date, originalDate, disc, discCount, track, trackCount, discSubtitle
    /// Names for sorting.
    case titleSort, artistSort, albumSort, albumArtistSort
    /// Identifiers of MusicBrainz, and other fields.
    case recordingID, releaseID, releaseGroupID, albumVersion, compilation, labels, comment
    /// ReplayGain.
    case trackGain, trackPeak, albumGain, albumPeak
    /// More names for sorting and identifiers of MusicBrainz.
    case composerSort, artistIDs, albumArtistIDs, releaseTrackID, workID
    /// People, parts of a larger work, and facts of the piece.
    case performers, conductors, ensemble, work, movement, movementNumber, grouping, moods, location
    /// Names in another character set, for the search (`TrackTags.Fields.Name.latin1Names`).
    case latin1Names
    /// Rate, bits and channels: `44100:16:2`; of lossy formats `f` in place of the bits. No tag of the file.
    case audioFormat
  }

  /// The version of the facts that scans read, 1...255. A higher number makes scans read all files again, as a new field
  /// does by itself.
  static let readerVersion = Int64(Field.allCases.count - 40)

  /// The stored form: for each value its field, its length in two bytes (little-endian), its text in UTF-8.
  public private(set) var stored: [UInt8] = []
  private var valueCount = 0
  /// Longer values are cut; of more values only the first are stored.
  private static let (valueByteLimit, valueLimit) = (1 << 10, 512)

  public init() {}

  init(_ information: MediaInformation) {
    self.init(information.tags)
    add(Self.format(of: information), .audioFormat)
  }

  public init(_ tags: TrackTags) {
    let fields = tags.fields
    add(tags.title, .title)
    add(tags.artist, .artist)
    for artist in tags.artists { add(artist, .artists) }
    add(tags.album, .album)
    add(tags.albumArtist, .albumArtist)
    for artist in tags.albumArtists { add(artist, .albumArtists) }
    for composer in tags.composers { add(composer, .composers) }
    for genre in tags.genres { add(genre, .genres) }
    add(tags.date, .date)
    add(tags.discNumber.map(String.init), .disc)
    add(tags.discCount.map(String.init), .discCount)
    add(tags.trackNumber.map(String.init), .track)
    add(tags.trackCount.map(String.init), .trackCount)
    for comment in tags.comments { add(comment, .comment) }
    if !fields.isEmpty {
      for (name, field) in Self.rare + Self.ofRelease { for value in fields[name] { add(value, field) } }
    }
    add(tags.gain.track.map { "\($0)" }, .trackGain)
    add(tags.gain.trackPeak.map { "\($0)" }, .trackPeak)
    add(tags.gain.album.map { "\($0)" }, .albumGain)
    add(tags.gain.albumPeak.map { "\($0)" }, .albumPeak)
  }

  /// The facts that lists of tracks do not show: rare tags, the separate values of those with several, and the format.
  public init(besideNames information: MediaInformation) {
    let tags = information.tags
    add(Self.format(of: information), .audioFormat)
    for comment in tags.comments { add(comment, .comment) }
    guard !tags.fields.isEmpty else { return }
    let lists: [([String], Field)] = [
      (tags.artists, .artists), (tags.albumArtists, .albumArtists), (tags.composers, .composers),
      (tags.genres, .genres),
    ]
    for (values, field) in lists where values.count > 1 { for value in values { add(value, field) } }
    for (name, field) in Self.rare { for value in tags.fields[name] { add(value, field) } }
  }

  private static let rare: [(TrackTags.Fields.Name, Field)] = [
    (.originalDate, .originalDate), (.titleSort, .titleSort), (.artistSort, .artistSort), (.albumSort, .albumSort),
    (.albumArtistSort, .albumArtistSort), (.composerSort, .composerSort), (.recordingID, .recordingID),
    (.releaseID, .releaseID), (.releaseGroupID, .releaseGroupID), (.releaseTrackID, .releaseTrackID),
    (.artistIDs, .artistIDs), (.albumArtistIDs, .albumArtistIDs), (.workID, .workID), (.labels, .labels),
    (.performers, .performers), (.conductors, .conductors), (.ensemble, .ensemble), (.work, .work),
    (.movement, .movement), (.movementNumber, .movementNumber), (.grouping, .grouping), (.moods, .moods),
    (.location, .location),
  ]
  private static let ofRelease: [(TrackTags.Fields.Name, Field)] = [
    (.discSubtitle, .discSubtitle), (.albumVersion, .albumVersion), (.compilation, .compilation),
    (.latin1Names, .latin1Names),
  ]

  /// Rate, bits and channels of the sound, as MPD writes them: `44100:16:2`; `f` for floating point and lossy formats.
  public static func format(of information: MediaInformation) -> String? {
    guard let format = information.dataFormat, 1...10_000_000 ~= format.sampleRate else { return nil }
    let bits = information.sourceBitDepth.map { $0 < 0 ? "f" : String($0) } ?? "f"
    return "\(Int(format.sampleRate)):\(bits):\(format.channelsPerFrame)"
  }

  public var isEmpty: Bool { stored.isEmpty }

  /// Adds a value, unless it is blank.
  public mutating func add(_ value: String?, _ field: Field) {
    guard let value, !value.isBlank, valueCount < Self.valueLimit else { return }
    let isLong = value.utf8.count > Self.valueByteLimit
    // Cut between characters, without the separators of fields and lines of the index. 128 characters can have more
    // bytes than the length can say.
    let text = (isLong ? value.prefix(Self.valueByteLimit / 8) : value[...]).utf8.prefix(0xffff)
    stored += [field.rawValue, UInt8(truncatingIfNeeded: text.count), UInt8(truncatingIfNeeded: text.count >> 8)]
    stored += text
    valueCount += 1
  }

  public func first(_ field: Field) -> String? { self[field].first }

  /// The values of a field, in order.
  public subscript(field: Field) -> [String] { values { $0 == field }.map { $0.value } }

  /// The values of fields, in order.
  public func values(where isWanted: (Field) -> Bool) -> [(field: Field, value: String)] {
    var values: [(field: Field, value: String)] = []
    _ = stored.withUnsafeBytes { bytes in
      Self.forEach(stored: bytes) { field, text in
        if isWanted(field) { values.append((field, String(decoding: text, as: UTF8.self))) }
      }
    }
    return values
  }

  /// The first value of a field as a number from 1 to 65535.
  public func number(_ field: Field) -> Int? {
    first(field).flatMap { Int($0) }.flatMap { 1...0xffff ~= $0 ? $0 : nil }
  }

  /// The year at the start of a date.
  public static func year(of date: String?) -> Int? {
    guard let date, case let digits = date.utf8.prefix(4), digits.count == 4,
      digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return nil }
    return Int(date.prefix(4)).flatMap { $0 > 0 ? $0 : nil }
  }

  // MARK: Stored form

  /// The tags of a stored form, without unknown fields and without everything after damaged bytes.
  public init(stored bytes: UnsafeRawBufferPointer) {
    let end = Self.forEach(stored: bytes) { _, _ in valueCount += 1 }
    stored = Array(bytes[..<end])
  }

  /// Calls `body` with each value of a stored form. Returns the end of what is not damaged.
  @discardableResult
  static func forEach(stored bytes: UnsafeRawBufferPointer, _ body: (Field, UnsafeRawBufferPointer) -> Void) -> Int {
    var position = 0
    while bytes.count - position >= 3 {
      let count = Int(bytes[position + 1]) | Int(bytes[position + 2]) << 8
      guard count <= bytes.count - position - 3 else { break }
      if let field = Field(rawValue: bytes[position]) {
        body(field, UnsafeRawBufferPointer(rebasing: bytes[(position + 3)..<(position + 3 + count)]))
      }
      position += 3 + count
    }
    return position
  }
}
