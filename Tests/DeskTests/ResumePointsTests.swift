import AudioModel
import ByteIO
import Library
import Playback
import Testing

@testable import Desk

@Suite struct ResumePointsTests {
  private var points = ResumePoints([BytePath("/m/2.mp3"): 700, BytePath("/m/book.cue#2"): 90])
  private var now = MonotonicTime.zero + .seconds(1)
  private var snapshot = PlaybackSnapshot()
  private typealias Change = ResumePoints.Change

  init() { points.leastDuration = 1200 }

  /// Plays a track from a place, after the one before has played on for so many seconds.
  private mutating func play(
    _ id: Int, from position: Double = 0, duration: Double? = 3600, genre: String? = nil, after seconds: Double = 0
  ) -> Change? {
    now += .seconds(seconds)
    snapshot.entry = QueueEntry(id: id, location: .file(BytePath("/m/\(id).mp3")))
    snapshot.state = .playing
    snapshot.information.duration = duration
    snapshot.information.tags.genre = genre
    snapshot.clock = PlaybackClock(position: position, referenceTime: now, isRunning: true)
    return points.handle(snapshot, now: now)
  }

  @Test mutating func `a long track is continued where it was left`() {
    #expect(play(1) == nil)
    #expect(play(3, after: 1000) == Change(path: BytePath("/m/1.mp3"), seconds: 1000))
    #expect(points.start(of: .file(BytePath("/m/1.mp3"))) == 1000)
    #expect(points.start(of: .track(BytePath("/m/1.mp3"), number: 1)) == 0)
    #expect(points.start(of: .track(BytePath("/m/book.cue"), number: 2)) == 90)
    #expect(points.start(of: .url("http://example.org/m/1.mp3")) == 0)
    // The current track starts again.
    _ = play(1, from: 1000)
    #expect(points.start(of: .file(BytePath("/m/1.mp3"))) == 0)
  }

  @Test mutating func `a stop and the end of the program leave a track, too`() {
    _ = play(1)
    snapshot.state = .stopped
    now += .seconds(60)
    #expect(points.handle(snapshot, now: now) == Change(path: BytePath("/m/1.mp3"), seconds: 60))
    #expect(points.handle(snapshot, now: now) == nil)
    _ = play(3)
    now += .seconds(61)
    #expect(points.finish(now: now) == Change(path: BytePath("/m/3.mp3"), seconds: 61))
    #expect(points.finish(now: now) == nil)
  }

  @Test mutating func `at its start and its end a track has no place`() {
    _ = play(2, from: 700)
    #expect(play(1, after: 2880) == Change(path: BytePath("/m/2.mp3"), seconds: nil))
    #expect(points.start(of: .file(BytePath("/m/2.mp3"))) == 0)
    #expect(play(3, after: 29) == nil)
    #expect(play(4, after: 3571) == nil)
    #expect(play(5, after: 3570) == Change(path: BytePath("/m/4.mp3"), seconds: 3570))
  }

  @Test(
    arguments: [
      (1199.0, nil, false), (1200, nil, true), (300, "Audiobook", true), (300, "My Podcasts", true),
      (300, "Hörbuch", true),
      (300, "Rock", false), (nil, "Podcast", false),
    ] as [(Double?, String?, Bool)])
  mutating func `the duration decides, or the genre`(duration: Double?, genre: String?, isKept: Bool) {
    _ = play(1, duration: duration, genre: genre)
    #expect((play(3, after: 100) != nil) == isKept)
  }

  @Test mutating func `nothing is continued while the setting is off`() {
    points.leastDuration = nil
    #expect(points.start(of: .file(BytePath("/m/2.mp3"))) == 0)
    _ = play(1)
    #expect(play(3, after: 1000) == nil)
  }

  @Test func `the file keeps any path, and damage costs one entry`() {
    let odd = BytePath(Array("/m/a b\n".utf8) + [0xff])
    let bytes = ResumePoints.file([(odd, 61.25), (BytePath("/m/1.mp3"), 3)])
    #expect(ResumePoints(file: bytes).places == [odd: 61.25, BytePath("/m/1.mp3"): 3])
    let damaged = Array("x /a\0nan /b\0-1 /c\0inf /d\05\0".utf8) + bytes
    #expect(ResumePoints(file: damaged).places.count == 2)
    for count in bytes.indices { _ = ResumePoints(file: Array(bytes[..<count])) }
  }

  @Test func `the file never gets larger than a start reads`() {
    let folder = "/" + String(repeating: "long/", count: 600)
    let places = (0..<1000).map { (path: BytePath("\(folder)\($0)"), seconds: 60.0) }
    let file = ResumePoints.file(places)
    #expect(file.count <= SmallFile.limit && ResumePoints(file: file).places.count > 300)
    #expect(ResumePoints(file: file).places[places[0].path] == 60)
  }
}
