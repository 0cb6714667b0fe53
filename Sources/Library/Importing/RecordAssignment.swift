internal import ByteIO
internal import Database

/// Finds the recordings of imported tracks. Each track with a sound gets a recording of its own, because several may
/// have the same sound: a song on an album and on a compilation, or a copy.
struct RecordAssignment {
  /// A track as an export names it.
  struct Track: Hashable {
    var path: BytePath
    /// The key of the audio; `nil` if it is not known, as in the libraries of other players.
    var key: [UInt8]?

    init(_ record: ListenerRecord) { (path, key) = (record.path, record.key.flatMap(bytes(ofHex:))) }
  }

  private let lookup: RecordingLookup
  private let recordingOfTrack: Statement
  private let recordingsOfSound: Statement
  private var recordings: [Track: Int64] = [:]
  /// Of more pairs of tracks and recordings with one sound, only the first are compared.
  private static let pairLimit = 1 << 20

  init(_ library: MusicLibrary) throws(DatabaseError) {
    lookup = try RecordingLookup(library)
    // The sign keeps SQLite from the index of keys: many tracks may have one sound.
    recordingOfTrack = try library.listener.prepare(
      "SELECT id FROM recording WHERE path=? AND +key=? ORDER BY id DESC LIMIT 1")
    recordingsOfSound = try library.listener.prepare(
      "SELECT id, path, title, album FROM recording WHERE key=? ORDER BY id")
  }

  /// Assigns recordings to the tracks with a sound: first those with the same sound and path, then the others with the
  /// sound, the best fit first, then those with the path.
  mutating func assign(_ records: some Sequence<(Track, ListenerRecord)>) throws(DatabaseError) {
    var others: [(track: Track, record: ListenerRecord)] = []
    var seen: Set<Track> = []
    for (track, record) in records {
      guard let key = track.key, seen.insert(track).inserted else { continue }
      try recordingOfTrack.bind(.blob(track.path.bytes), .blob(key))
      if try recordingOfTrack.step() {
        recordings[track] = recordingOfTrack.integer(0)
        recordingOfTrack.reset()
      } else {
        others.append((track, record))
      }
    }
    var taken = Set(recordings.values)
    for group in Dictionary(grouping: others, by: \.track.key).values {
      for (track, recording) in try pairs(group, without: taken)
      where recordings[track] == nil && taken.insert(recording).inserted {
        recordings[track] = recording
      }
    }
    for (track, _) in others where recordings[track] == nil {
      guard let recording = try lookup.recording(of: track.path), taken.insert(recording).inserted else { continue }
      recordings[track] = recording
    }
  }

  /// Tracks of one sound, each with each free recording that has it, the best fit first.
  private func pairs(
    _ tracks: [(track: Track, record: ListenerRecord)], without taken: Set<Int64>
  ) throws(DatabaseError) -> [(Track, Int64)] {
    guard let key = tracks.first?.track.key else { return [] }
    try recordingsOfSound.bind(.blob(key))
    defer { recordingsOfSound.reset() }
    var pairs: [(fit: Int, place: Int, recording: Int64)] = []
    while pairs.count < Self.pairLimit, try recordingsOfSound.step() {
      let (recording, path) = (recordingsOfSound.integer(0), BytePath(recordingsOfSound.blob(1)))
      let (title, album) = (recordingsOfSound.text(2), recordingsOfSound.text(3))
      guard !taken.contains(recording) else { continue }
      for (place, (_, record)) in tracks.enumerated() {
        let hasSameNames = record.title == title && record.album == album
        pairs.append((SoundMatch.fit(record.path, path, haveSameNames: hasSameNames), place, recording))
      }
    }
    pairs.sort { ($1.fit, $0.place, $0.recording) < ($0.fit, $1.place, $1.recording) }
    return pairs.map { (tracks[$0.place].track, $0.recording) }
  }

  /// The recording of a track; `nil` if the library does not know the track.
  func recording(of track: Track) throws(DatabaseError) -> Int64? {
    if let recording = recordings[track] { return recording }
    return track.key == nil ? try lookup.recording(of: track.path) : nil
  }

  mutating func note(_ recording: Int64, for track: Track) { recordings[track] = recording }
}
