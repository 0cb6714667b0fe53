import AudioModel
import ByteIO
import Database
import Glibc
import SignalProcessing
import SoundServerSupport
import Streaming
import Testing
import Threads

@testable import Desk
@testable import Library

/// Tracks of a made library that are measured, by a caller and at idle.
struct LoudnessRunTests {
  private let folder: TemporaryFolder
  private let library: MusicLibrary
  private var music: String { folder("music") }

  init() throws {
    folder = try TemporaryFolder()
    try #require(mkdir(folder("music"), 0o700) == 0 && mkdir(folder("data"), 0o700) == 0)
    library = try MusicLibrary(folder: BytePath(folder("data")))
    try library.addRoot(BytePath(folder("music")))
  }

  /// Writes a WAVE file of one channel with a tone.
  private func add(_ name: String, sound: Int, seconds: Int = 1) throws {
    func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
      withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
    let samples = (0..<(8000 * seconds)).flatMap { bytes(Int16(8000 * sin(Double($0 * sound) / 9))) }
    let format =
      bytes(UInt16(1)) + bytes(UInt16(1)) + bytes(UInt32(8000)) + bytes(UInt32(16000)) + bytes(UInt32(0x10_0002))
    let chunks = Array("WAVEfmt ".utf8) + bytes(UInt32(16)) + format + Array("data".utf8) + bytes(UInt32(samples.count))
    try write(
      Array("RIFF".utf8) + bytes(UInt32(chunks.count + samples.count)) + chunks + samples, to: "\(music)/\(name)")
  }

  private func tracks() throws -> [LoudnessStore.Track] {
    _ = try LibraryScan(library, extensions: ["wav"]).run()
    let view = try library.view()
    return try (0..<view.index.trackCount).compactMap { try LoudnessStore(library).track(view.track($0)) }
      .sorted { "\($0.path)" < "\($1.path)" }
  }

  @Test func `a track is measured once`() throws {
    try add("a.wav", sound: 1)
    let track = try #require(tracks().first)
    var calls = 0
    var run = LoudnessRun(library) {
      calls += 1
      return true
    }
    guard case .measured(let loudness) = try run.measure(track) else {
      Issue.record("not measured")
      return
    }
    #expect(loudness.blocks.loudness != nil && loudness.peak > 0 && calls > 1)
    calls = 0
    #expect(try run.measure(track) == .measured(loudness))
    #expect(calls == 0, "the file was not read")
    #expect(try run.measure(track, again: true) == .measured(loudness) && calls > 1)
    try run.finish()
    #expect(MeasuredGains(folder: library.folder).gain(of: track.path)?.track != nil)
  }

  @Test func `a damaged file is noted and not read again, and one that is gone is not damaged`() throws {
    try add("a.wav", sound: 1)
    try add("b.wav", sound: 2)
    let both = try tracks()
    // Cut after the scan, so that the library believes in it.
    try write(Array("no sound at all, but long enough to look for some".utf8), to: "\(music)/a.wav")
    try #require(unlink("\(music)/b.wav") == 0)
    var calls = 0
    var run = LoudnessRun(library) {
      calls += 1
      return true
    }
    guard case .failed(let reason) = try run.measure(both[0]) else {
      Issue.record("measured")
      return
    }
    #expect(!reason.isEmpty)
    calls = 0
    #expect(try run.measure(both[0]) == .failed(reason: reason))
    #expect(calls == 0)
    #expect(try run.measure(both[1]) == .unknown && calls > 0)
    #expect(try LoudnessStore(library).counts() == (0, 1))
  }

  @Test func `a cancelled measurement leaves the track as it was`() throws {
    try add("a.wav", sound: 1, seconds: 10)
    let track = try #require(tracks().first)
    for limit in [1, 3, 30] {
      var calls = 0
      var run = LoudnessRun(library) {
        calls += 1
        return calls <= limit
      }
      #expect(try run.measure(track) == .unknown, "\(limit)")
    }
    #expect(try LoudnessStore(library).filesToMeasure().count == 1)
    #expect(try LoudnessStore(library).counts() == (0, 0))
  }

  @Test func `the thread measures all tracks, and those that a scan brings`() throws {
    try add("a.wav", sound: 1)
    try add("b.wav", sound: 2)
    _ = try tracks()
    let desk = LibraryDesk(
      library.folder, folders: UserFolders(all: library.folder, home: library.folder),
      collector: MediaCollector(playableExtensions: []), network: Network(),
      disk: Worker(named: "disk", ring: {}) { _ in .init { _ in } }, patience: .milliseconds(20)
    ) {}
    desk.noteScan(isRunning: true)
    desk.measureLoudness(true)
    let gains = MeasuredGains(folder: library.folder)
    func isMeasured(_ name: String) -> Bool { gains.gain(of: BytePath("\(music)/\(name)"))?.track != nil }
    // Later than it would have begun.
    _ = waitUntil(seconds: 1) { isMeasured("a.wav") }
    #expect(!isMeasured("a.wav"), "a scan runs")
    desk.noteScan(isRunning: false)
    #expect(waitUntil { isMeasured("a.wav") && isMeasured("b.wav") })
    try add("c.wav", sound: 3)
    _ = try tracks()
    desk.noteScan(isRunning: false)
    #expect(waitUntil { isMeasured("c.wav") })
    desk.settle(within: .seconds(60))
    try add("d.wav", sound: 4)
    _ = try tracks()
    desk.noteScan(isRunning: false)
    _ = waitUntil(seconds: 1) { isMeasured("d.wav") }
    #expect(!isMeasured("d.wav"), "it was stopped")
  }

  @Test func `a battery is one that is being discharged, and not that of a mouse`() throws {
    func isBattery(_ supplies: [(String, [(String, String)])]) throws -> Bool {
      let place = try TemporaryFolder()
      for (name, files) in supplies {
        try #require(mkdir(place(name), 0o700) == 0)
        for (file, text) in files { try write(Array((text + "\n").utf8), to: place("\(name)/\(file)")) }
      }
      return PowerSupply.isBattery(below: BytePath(place.path))
    }
    #expect(try !isBattery([("AC", [("type", "Mains"), ("online", "1")])]))
    #expect(try isBattery([("AC", [("type", "Mains")]), ("BAT0", [("type", "Battery"), ("status", "Discharging")])]))
    #expect(try !isBattery([("BAT0", [("type", "Battery"), ("status", "Charging")])]))
    #expect(
      try !isBattery([("hid", [("type", "Battery"), ("scope", "Device"), ("status", "Discharging")])]))
    #expect(!PowerSupply.isBattery(below: BytePath("/nowhere")))
  }
}
