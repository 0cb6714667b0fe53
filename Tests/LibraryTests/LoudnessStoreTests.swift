import AudioModel
import ByteIO
import Database
import Glibc
import SignalProcessing
import SoundServerSupport
import Testing

@testable import Library

/// Measured loudness in the databases, and in the file that the player reads.
@Suite struct LoudnessStoreTests {
  private let made = MadeCollection()

  private func track(_ name: String, _ library: MusicLibrary) throws -> LoudnessStore.Track {
    let view = try library.view()
    let number = try #require(
      (0..<view.index.trackCount).first { view.track($0).path.lastComponent == BytePath(name) })
    return try #require(try LoudnessStore(library).track(view.track(number)))
  }

  /// Blocks of one loudness, as a meter gives them.
  private func loudness(_ level: Double, blocks count: Int = 10, peak: Double = 0.5) -> MeasuredLoudness {
    let meter = LoudnessMeter(format: PCMFormat(sampleRate: 1000, channelCount: 1, sampleFormat: .f32))
    let amplitude = Float(pow(10, level / 20))
    let signal = (0..<(100 * (count + 3))).map { $0 % 4 < 2 ? amplitude : -amplitude }
    signal.withUnsafeBytes { meter.add($0) }
    return MeasuredLoudness(blocks: meter.result.blocks, peak: peak)
  }

  private func gain(_ name: String) -> TrackTags.Gain? {
    MeasuredGains(folder: made.data).gain(of: made.music.appending(BytePath(name)))
  }

  @Test func `moved, renamed and retagged files keep their loudness, and another sound does not`() throws {
    for (number, name) in ["a.mp3", "b.mp3", "c.mp3"].enumerated() { made.add(name, sound: number) }
    let library = try made.library()
    try made.scan(library)
    let store = LoudnessStore(library)
    #expect(try store.filesToMeasure().count == 3)
    for (number, name) in ["a.mp3", "b.mp3", "c.mp3"].enumerated() {
      let track = try track(name, library)
      #expect(try store.state(of: track) == .unknown)
      try store.begin(track)
      try store.finish(track, .measured(loudness(-20 - Double(number))))
    }
    #expect(try store.filesToMeasure().isEmpty)
    #expect(try store.counts() == (3, 0))
    made.move("a.mp3", to: "other/moved.mp3")
    made.add("b.mp3", sound: 1, [("TIT2", "A longer title than before")])
    made.replace("c.mp3", sound: 99)
    try made.scan(library)
    #expect(try store.state(of: track("moved.mp3", library)) == .measured(loudness(-20)))
    #expect(try store.state(of: track("b.mp3", library)) == .measured(loudness(-21)))
    #expect(try store.state(of: track("c.mp3", library)) == .unknown, "another sound")
    #expect(try store.filesToMeasure().count == 1)
    // The file follows with the index.
    #expect(gain("other/moved.mp3")?.track == loudness(-20).gain.map { Double(Float($0)) })
    #expect(gain("a.mp3") == nil && gain("c.mp3") == nil && gain("b.mp3")?.isMeasured == true)
  }

  @Test func `a deleted catalogue costs no measurement`() throws {
    made.add("a.mp3", sound: 1)
    var library: MusicLibrary? = try made.library()
    try made.scan(try #require(library))
    let old = try track("a.mp3", try #require(library))
    try LoudnessStore(try #require(library)).begin(old)
    try LoudnessStore(try #require(library)).finish(old, .measured(loudness(-20)))
    library = nil
    for name in ["catalogue.db", "catalogue.db-wal", "catalogue.db-shm", "catalogue.map", "gains"] {
      _ = made.data.appending(BytePath(name)).withCString { unlink($0) }
    }
    let new = try made.library()
    try made.scan(new)
    #expect(try LoudnessStore(new).state(of: track("a.mp3", new)) == .measured(loudness(-20)))
    #expect(gain("a.mp3")?.track != nil)
  }

  @Test func `files with ReplayGain are not measured`() throws {
    made.add("tagged.mp3", sound: 1, [("TXXX", "REPLAYGAIN_TRACK_GAIN\0-7.20 dB")])
    made.add("plain.mp3", sound: 2)
    let library = try made.library()
    try made.scan(library)
    #expect(try LoudnessStore(library).filesToMeasure().count == 1)
    let view = try library.view()
    let tracks = try (0..<2).compactMap { try LoudnessStore(library).track(view.track($0)) }
    #expect(tracks.map(\.path) == [made.music.appending(BytePath("plain.mp3"))])
  }

  @Test func `the loudness of an album is known with that of all its tracks`() throws {
    let album = [("TALB", "Suite")]
    for (number, name) in ["a.mp3", "b.mp3", "bad.mp3"].enumerated() { made.add("suite/" + name, sound: number, album) }
    made.add(
      "suite/tagged.mp3", sound: 3, album + [("TXXX", "REPLAYGAIN_TRACK_GAIN\0-7.20 dB")])
    made.add("loose/one.mp3", sound: 4)
    let library = try made.library()
    try made.scan(library)
    let store = LoudnessStore(library)
    func finish(_ name: String, _ state: LoudnessStore.State) throws {
      let track = try track(name, library)
      try store.begin(track)
      try store.finish(track, state)
      #expect(try store.gainsAreOld() == (state != .unknown))
      try store.writeGains()
      #expect(try !store.gainsAreOld())
    }
    try finish("a.mp3", .measured(loudness(-40, blocks: 100, peak: 0.1)))
    try finish("one.mp3", .measured(loudness(-20)))
    try finish("bad.mp3", .failed(reason: "damaged"))
    #expect(gain("suite/a.mp3")?.album == nil && gain("suite/a.mp3")?.trackPeak == Double(Float(0.1)))
    try finish("b.mp3", .measured(loudness(-20, blocks: 50, peak: 0.9)))
    var both = loudness(-40, blocks: 100)
    both.add(loudness(-20, blocks: 50))
    // The soft track is below the gate, so that the mean of both gains would be 10 dB more.
    let expected = try #require(both.gain)
    for name in ["suite/a.mp3", "suite/b.mp3"] {
      let found = try #require(gain(name))
      #expect(abs(try #require(found.album) - expected) < 1e-4 && found.albumPeak == Double(Float(0.9)), "\(found)")
    }
    #expect(gain("loose/one.mp3")?.album == nil, "files without an album are none")
  }

  @Test func `a file that ends the program three times is not tried again, until it changes`() throws {
    made.add("a.mp3", sound: 1)
    let library = try made.library()
    try made.scan(library)
    let (store, track) = (LoudnessStore(library), try track("a.mp3", library))
    for _ in 0..<2 { try store.begin(track) }
    // Cancelled: nothing is known against the file.
    try store.finish(track, .unknown)
    for _ in 0..<3 {
      #expect(try store.filesToMeasure().count == 1)
      try store.begin(track)
    }
    #expect(try store.filesToMeasure().isEmpty)
    guard case .failed = try store.state(of: track) else {
      Issue.record("it was tried three times")
      return
    }
    made.replace("a.mp3", sound: 2)
    try made.scan(library)
    #expect(try store.filesToMeasure().count == 1)
  }

  @Test func `a library of the version before gets the table and keeps its ratings`() throws {
    made.add("a.mp3", sound: 1)
    var library: MusicLibrary? = try made.library()
    try made.scan(try #require(library))
    try library?.rate("a.mp3", 7)
    try library?.listener.execute(
      """
      DROP TABLE loudness; DROP TABLE root; DROP TABLE sticker; DROP TABLE served; DROP TABLE pin;
      DROP TABLE servedList; DROP TABLE servedPlace;
      ALTER TABLE recording DROP COLUMN forgotten; ALTER TABLE recording DROP COLUMN resumed;
      PRAGMA user_version=2
      """)
    library = nil
    let new = try made.library()
    #expect(try new.shown() == ["a.mp3 7 here"])
    #expect(try LoudnessStore(new).counts() == (0, 0))
    #expect(made.data.appending(BytePath("listener.db.version2.backup")).withCString { access($0, F_OK) } == 0)
  }

  @Test func `one program measures at a time`() throws {
    let library = try made.library()
    let store = LoudnessStore(library)
    let outcome = try store.exclusively { () throws(DatabaseError) in
      (try store.exclusively { () throws(DatabaseError) in true }) == nil
    }
    #expect(outcome == true)
    #expect(try store.exclusively { () throws(DatabaseError) in true } == true)
  }

  @Test func `a damaged or cut file of gains gives none, or right ones`() throws {
    for name in 0..<9 { made.add("\(name).mp3", sound: name) }
    let library = try made.library()
    try made.scan(library)
    let store = LoudnessStore(library)
    for name in 0..<9 { try store.finish(began(track("\(name).mp3", library), store), .measured(loudness(-20))) }
    try store.writeGains()
    let path = made.data.appending(BytePath("gains"))
    let bytes = try wholeFile(path, byteLimit: 1 << 20)
    #expect(bytes.count == 9 * 32)
    for count in stride(from: 0, to: bytes.count, by: 7) {
      made.folder.write(BytePath("data/gains"), bytes.prefix(count))
      for name in 0..<9 {
        let found = gain("\(name).mp3")
        #expect(found == nil || found?.track == loudness(-20).gain.map { Double(Float($0)) })
      }
    }
  }

  private func began(_ track: LoudnessStore.Track, _ store: LoudnessStore) throws -> LoudnessStore.Track {
    try store.begin(track)
    return track
  }
}
