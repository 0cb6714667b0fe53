import AudioModel
import ByteIO
import Playback
import Testing

@testable import Desk

@Suite struct ListeningMachineTests {
  private var machine = ListeningMachine()
  private var now = MonotonicTime.zero + .seconds(1)
  private var snapshot = PlaybackSnapshot()

  /// Shows the player as it is after so many seconds.
  private mutating func after(_ seconds: Double, _ notices: [PlaybackNotice] = []) -> [Listen] {
    now += .seconds(seconds)
    return machine.handle(snapshot, notices, now: now)
  }

  private mutating func begin(
    _ id: Int, duration: Double?, after seconds: Double = 0, at position: Double = 0, _ location: MediaLocation? = nil
  ) -> [Listen] {
    let entry = QueueEntry(id: id, location: location ?? .file(BytePath("/m/\(id).mp3")))
    snapshot.entry = entry
    snapshot.state = .playing
    snapshot.information.duration = duration
    snapshot.clock = PlaybackClock(position: position, referenceTime: now + .seconds(seconds), isRunning: true)
    return after(seconds, [.trackBegan(entry)])
  }

  @Test mutating func `half of a track counts as heard, less as skipped`() {
    _ = begin(1, duration: 100)
    #expect(
      begin(2, duration: 100, after: 50) == [
        Listen(path: BytePath("/m/1.mp3"), heard: 50, duration: 100, isSkip: false)
      ])
    #expect(
      begin(3, duration: 100, after: 49) == [Listen(path: BytePath("/m/2.mp3"), heard: 49, duration: 100, isSkip: true)]
    )
    // Passed on the way to another.
    #expect(begin(4, duration: 100, after: 0.5) == [])
  }

  @Test mutating func `time that a device has not played is not heard`() {
    _ = begin(1, duration: 100)
    _ = after(60, [.clockCorrected(by: -20)])
    #expect(begin(2, duration: 100).map(\.heard) == [40])
  }

  @Test mutating func `four minutes of a long track count`() {
    _ = begin(1, duration: 3000)
    #expect(begin(2, duration: 10, after: 241).map(\.isSkip) == [false])
  }

  @Test mutating func `pauses and seeks are not heard, and speed counts as it plays`() {
    _ = begin(1, duration: 100)
    _ = after(20)
    snapshot.clock.isRunning = false
    snapshot.state = .paused
    _ = after(0)
    _ = after(500)
    snapshot.state = .playing
    snapshot.clock = PlaybackClock(position: 80, referenceTime: now, isRunning: true, speed: 2)
    _ = after(0, [.seeked(to: 80)])
    #expect(begin(2, duration: 10, after: 5).map(\.heard) == [30])
  }

  @Test mutating func `a track that repeats is heard again each time`() {
    _ = begin(1, duration: 100)
    #expect(begin(1, duration: 100, after: 100).map(\.heard) == [100])
    #expect(begin(1, duration: 100, after: 100).map(\.heard) == [100])
  }

  @Test mutating func `a stop is not a skip, and ends a track that was heard`() {
    _ = begin(1, duration: 100)
    _ = after(10)
    snapshot.state = .stopped
    snapshot.clock.isRunning = false
    #expect(after(0) == [])
    _ = begin(2, duration: 100)
    _ = after(60)
    #expect(machine.finish(now: now).map(\.isSkip) == [false])
    #expect(machine.finish(now: now) == [])
  }

  @Test mutating func `a track that was resumed behind its middle and ends by itself is not skipped`() {
    _ = begin(1, duration: 100, at: 70)
    _ = after(30)
    #expect(begin(2, duration: 100, at: 70) == [])
    snapshot.crossfade = 10
    _ = after(0)
    #expect(begin(3, duration: 100, after: 20, at: 70) == [])
    #expect(begin(4, duration: 100, after: 10).map(\.isSkip) == [true])
  }

  @Test mutating func `a track of a cue sheet is heard`() {
    _ = begin(1, duration: 100, .track(BytePath("/m/album.cue"), number: 3))
    let path = BytePath("/m/album.cue#3")
    #expect(begin(2, duration: 100, after: 50) == [Listen(path: path, heard: 50, duration: 100, isSkip: false)])
  }

  @Test mutating func `a stream is in no library`() {
    _ = begin(1, duration: nil)
    snapshot.entry = QueueEntry(id: 9, location: .url("http://station.example/"))
    _ = after(0)
    #expect(begin(2, duration: nil, after: 500) == [])
  }
}
