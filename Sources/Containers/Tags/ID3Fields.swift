internal import AudioModel

/// Collects the fields of one ID3v2 tag and makes sense of them together.
struct ID3Fields {
  private let version: UInt8
  private var texts: [Name: [String]] = [:]
  private var comment: (text: String, hasDescription: Bool)?
  private var lyrics: String?
  /// Values of fields of any name, pictures, chapters.
  private var others = TrackTags()
  /// From `RVA2`, which is weaker than ReplayGain by name.
  private var volume = TrackTags()
  /// The first and last frames of an MP3, as iTunes says.
  private(set) var gapless: GaplessInformation?

  /// Fields of a tag of version 2.`version`.
  init(version: UInt8) { self.version = version }

  /// Adds a field's content: a byte for the encoding, then text. The first of a name counts.
  mutating func add(_ name: Name, _ content: ArraySlice<UInt8>) {
    guard let encoding = content.first else { return }
    // A language of three characters, for some.
    let isInLanguage = name == .comment || name == .lyrics
    func values() -> [String] { TagText.id3(content.dropFirst(isInLanguage ? 4 : 1), encoding: encoding) }
    switch name {
    case .relativeVolume: addVolume(content)
    case .identifier: addIdentifier(content)
    case .syncedLyrics: others.fields.append(SynchronisedLyrics.lrc(content) ?? "", to: .syncedLyrics)
    case .comment: addComment(values())
    case .lyrics: lyrics = lyrics ?? TagText.joined(Array(values().dropFirst()))
    case .userText: addUserText(values())
    case .people: addPeople(values())
    default:
      let values = values().filter { !$0.isEmpty }
      if texts[name] == nil, !values.isEmpty { texts[name] = values }
    }
  }

  /// A name, values.
  private mutating func addUserText(_ values: [String]) {
    guard let name = values.first else { return }
    let isOfPeople = ["ARTISTS", "ALBUMARTISTS"].contains(name.uppercased())
    let texts = Array(values.dropFirst())
    others.add(isOfPeople ? people(texts) : texts, named: name)
  }

  // UFID: whose identifier it is, zero, the identifier.
  private mutating func addIdentifier(_ content: ArraySlice<UInt8>) {
    guard let end = content.firstIndex(of: 0), TagText.latin1(content[..<end]) == "http://musicbrainz.org" else {
      return
    }
    others.add(TagText.unlabelled(Array(content[(end + 1)...])), to: .recordingID)
  }

  /// Pairs of a role or an instrument and a name.
  private mutating func addPeople(_ values: [String]) {
    for index in stride(from: 0, to: min(values.count - 1, Self.maximumPeopleCount * 2), by: 2) {
      let (role, name) = (values[index], values[index + 1])
      guard !name.isEmpty else { continue }
      let field: TrackTags.Fields.Name =
        switch role.lowercased() {
        case "producer": .producers
        case "engineer": .engineers
        case "arranger": .arrangers
        case "mix", "mixer": .mixers
        case "dj-mix", "dj mix", "djmixer": .djMixers
        default: .performers
        }
      others.fields.append(field == .performers && !role.isEmpty ? "\(name) (\(role))" : name, to: field)
    }
  }

  /// A short description, the text. One without description is the listener's, others are programs'.
  private mutating func addComment(_ values: [String]) {
    let description = values.first ?? ""
    guard let text = TagText.joined(Array(values.dropFirst())) else { return }
    if description == "iTunSMPB" { gapless = gapless ?? GaplessInformation(text) }
    guard !description.hasPrefix("iTun") else { return }
    if comment == nil || comment?.hasDescription == true && description.isEmpty {
      comment = (text, !description.isEmpty)
    }
  }

  // RVA2: a name, zero; for each channel its kind u8 (1: all of them), gain i16 in 512ths of a decibel, bits of the
  // peak u8, the peak.
  private mutating func addVolume(_ content: ArraySlice<UInt8>) {
    guard let end = content.firstIndex(of: 0) else { return }
    let isAlbum = TagText.latin1(content[..<end]).lowercased() == "album"
    var rest = content[(end + 1)...]
    while rest.count >= 4 {
      let fields = Array(rest.prefix(4))
      let gain = Double(Int16(bitPattern: UInt16(fields[1]) << 8 | UInt16(fields[2]))) / 512
      if fields[0] == 1 {
        volume.gain.track = isAlbum ? volume.gain.track : volume.gain.track ?? gain
        volume.gain.album = isAlbum ? volume.gain.album ?? gain : volume.gain.album
      }
      rest = rest.dropFirst(4 + (Int(fields[3]) + 7) / 8)
    }
  }

  mutating func addArtwork(_ artwork: TrackTags.Artwork) {
    if artwork.byteCount > 0, others.artwork.count < Self.maximumArtworkCount { others.artwork.append(artwork) }
  }

  // CHAP: a name, zero; start and end in ms u32, and as offsets u32; then fields.
  mutating func addChapter(_ content: ArraySlice<UInt8>, version: UInt8) {
    guard let end = content.firstIndex(of: 0), content.endIndex - end > 16,
      others.chapters.count < Self.maximumChapterCount
    else { return }
    let start = content[(end + 1)...].prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    var rest = content[(end + 17)...]
    var title: String?
    let headerByteCount = ID3v2Reader.FieldHeader.byteCount(version)
    while title == nil, rest.count >= headerByteCount,
      let field = ID3v2Reader.FieldHeader(Array(rest.prefix(headerByteCount)).span.bytes, version: version)
    {
      let text = rest.dropFirst(headerByteCount).prefix(field.byteCount)
      if Name(field.id) == .title, field.isReadable, let encoding = text.first {
        title = TagText.joined(TagText.id3(text.dropFirst(), encoding: encoding))
      }
      rest = rest.dropFirst(headerByteCount).dropFirst(field.byteCount)
    }
    others.chapters.append(TrackTags.Chapter(start: Double(start) / 1000, title: title ?? ""))
  }

  private static let maximumArtworkCount = 64
  private static let maximumPeopleCount = 256
  private static let maximumChapterCount = 4096

  var tags: TrackTags {
    var tags = TrackTags()
    tags.title = text(.title)
    tags.album = text(.album)
    set(&tags, \.artist, .artist, .artist)
    set(&tags, \.albumArtist, .albumArtist, .albumArtist)
    set(&tags, \.composer, .composer, .composer)
    tags.add((texts[.genre] ?? []).flatMap(ID3Genre.resolved), named: "GENRE")
    tags.comment = comment?.text
    tags.copyright = text(.copyright)
    tags.isrc = text(.isrc)
    tags.lyrics = lyrics
    tags.date = text(.recorded) ?? date23 ?? text(.released) ?? text(.originallyReleased)
    if let track = text(.track) { (tags.trackNumber, tags.trackCount) = TrackTags.numberAndCount(track) }
    if let disc = text(.disc) { (tags.discNumber, tags.discCount) = TrackTags.numberAndCount(disc) }
    tags.claimedMilliseconds = text(.length).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    for (name, _) in texts {
      guard case .field(let field) = name else { continue }
      for value in values(name).prefix(TrackTags.Fields.maximumValueCount) { tags.add(value, to: field) }
    }
    if let date = text(.originallyReleased) { tags.add(date, to: .originalDate) }
    tags.fill(from: others)
    tags.fill(from: volume)
    // In the order of time, whatever the table of contents (`CTOC`) shows of them.
    tags.chapters.sort { $0.start < $1.start }
    return tags
  }

  private func text(_ name: Name) -> String? { texts[name].flatMap(TagText.joined) }

  private func values(_ name: Name) -> [String] {
    let values = texts[name] ?? []
    return [.artist, .composer, .field(.lyricists)].contains(name) ? people(values) : values
  }

  /// Until 2.3 a "/" stands between the names of several people (ID3v2.3.0 4.2.1, TPE1, TCOM, TEXT), but also within
  /// the name of one: parts as short as those of AC/DC and Au/Ra do not count as names.
  private func people(_ values: [String]) -> [String] {
    guard version < 4, values.count == 1 else { return values }
    let parts = values[0].split(separator: "/").map { part in
      var name = part.drop { $0 == " " }
      while name.last == " " { name.removeLast() }
      return String(name)
    }
    let shortestName = 4
    return parts.count > 1 && parts.allSatisfy { $0.count >= shortestName } ? parts : values
  }

  private func set(
    _ tags: inout TrackTags, _ joined: WritableKeyPath<TrackTags, String?>, _ field: TrackTags.Fields.Name, _ name: Name
  ) {
    tags[keyPath: joined] = text(name)
    let values = values(name)
    if values.count > 1 { tags.fields[field] = values }
  }

  /// Until 2.3 the year stands by itself and the day as DDMM.
  private var date23: String? {
    guard let year = text(.year) else { return nil }
    guard year.utf8.count == 4, let dayAndMonth = text(.dayAndMonth), dayAndMonth.utf8.count == 4,
      let day = Int(dayAndMonth.prefix(2)), let month = Int(dayAndMonth.suffix(2)), 1...31 ~= day, 1...12 ~= month
    else { return year }
    return "\(year)-\(dayAndMonth.suffix(2))-\(dayAndMonth.prefix(2))"
  }
}
