import AudioModel
import ByteIO
import Containers
import Streaming
import Testing

@testable import Playback

/// A track of facts, without a file: one frame of it is a millisecond.
private final class FactTrack: SequenceTrack {
  let entry: QueueEntry
  var format = PCMFormat(sampleRate: 1000, channelCount: 2, sampleFormat: .s16)
  var startSeconds = 0.0
  var rest: StreamContinuation?
  var isLive = false
  var enteredFrame: Int64 = 0
  var nextFrame: Int64 = 0
  var frameCount: Int64? = 10_000
  var fadeOutStart: Int64?
  var frameCountToJoin: Int64 = 0
  var isAlbum = false
  var hasArrived = true

  init(_ id: Int, startSeconds: Double = 0) {
    entry = .number(id)
    self.startSeconds = startSeconds
  }

  var isContinuation: Bool { startSeconds > 0 }
  var duration: Double? { frameCount.map { startSeconds + Double($0) / 1000 } }
  func isFollowed(by next: FactTrack) -> Bool { isAlbum && next.isAlbum }
  func isReady(seconds: Double) -> Bool { hasArrived }
  func seconds(atFrame frame: Int64) -> Double { startSeconds + Double(frame) / 1000 }
  func frame(atSeconds seconds: Double) -> Int64 {
    Int64(exactly: ((seconds - startSeconds) * 1000).rounded()) ?? .max
  }
}

extension QueueEntry {
  fileprivate static func number(_ id: Int) -> QueueEntry {
    QueueEntry(id: id, location: .url("http://localhost/\(id)"))
  }
}

extension TrackError {
  fileprivate static func problem(_ reason: String) -> TrackError { .container(ContainerError(.invalidFile, reason)) }
}

/// The order of tracks as transcripts: events in, effects and steps out, as words.
@Suite struct TrackSequenceTests {
  private typealias Sequence = TrackSequence<FactTrack>
  private typealias Opening = SequenceOpening<FactTrack>

  // MARK: Words

  private func words(_ effects: [SequenceEffect<FactTrack>]) -> [String] {
    effects.map { effect in
      switch effect {
      case .notice(.needsNext(let id)): "what follows \(id)?"
      case .notice(.trackFailed(let entry, let error)): "\(entry.id) failed: \(error.reason)"
      case .notice(.foundPlaylist(let entry, let locations)): "\(entry.id) names \(locations.count)"
      case .notice(.seeked(let seconds, let isEstimated)): "seeked to \(seconds)\(isEstimated ? " or so" : "")"
      case .notice(let notice): "\(notice)"
      case .report(let event): "report \(event)"
      case .dropQueue: "drop the queue"
      case .began(let track, let isNew): "\(track.entry.id) \(isNew ? "began" : "goes on")"
      }
    }
  }

  private func words(_ step: SequenceStep<FactTrack>?) -> String {
    switch step {
    case nil: "none"
    case .wait: "wait"
    case .awaitNext: "await the answer"
    case .end: "end"
    case .begin(let track): "begin \(track.entry.id)"
    case .read(let track): "read \(track.entry.id)"
    case .move(let track, let frame): "move \(track.entry.id) to \(frame)"
    case .open(let opening):
      switch opening.purpose {
      case .start(let seconds): "open \(opening.entry.id) at \(seconds)"
      case .next: "open \(opening.entry.id) next"
      case .rest: "open the rest of \(opening.entry.id)"
      }
    }
  }

  private func words(_ step: CrossfadeStep<FactTrack>) -> String {
    switch step {
    case .read(.max): "read"
    case .read(let count): "read \(count)"
    case .wait: "wait"
    case .open(let opening): "open \(opening.entry.id)"
    case .mix(let track, let count): "mix \(count) with \(track.entry.id)"
    }
  }

  // MARK: Situations

  /// Track 1 is read, and its first buffer is queued.
  private func playing(_ track: FactTrack, from seconds: Double = 0) -> Sequence {
    var sequence = Sequence()
    sequence.play(track.entry, from: seconds)
    _ = sequence.opened(track, for: Opening(entry: track.entry, purpose: .start(from: seconds)))
    if seconds > 0 { _ = sequence.moved(track, toFrame: track.frame(atSeconds: seconds), isEstimated: false) }
    _ = sequence.joined(isAlone: true, isHeard: true)
    return sequence
  }

  /// Both tracks are queued; the second is read.
  private func crossing(_ first: FactTrack, _ second: FactTrack) -> Sequence {
    var sequence = playing(first)
    _ = sequence.follow(first.entry.id, with: second.entry)
    _ = sequence.readToEnd(first, rest: nil, lastQueued: first)
    _ = sequence.opened(second, for: Opening(entry: second.entry, purpose: .next))
    sequence.begin(second)
    _ = sequence.joined(isAlone: false, isHeard: true)
    return sequence
  }

  // MARK: Start

  @Test func `a track is opened, read from its start, and announced with its first buffer`() {
    var sequence = Sequence()
    let track = FactTrack(1)
    #expect(words(sequence.nextStep(lastQueued: nil)) == "wait")
    sequence.play(track.entry, from: 0)
    #expect(sequence.currentEntry == track.entry && sequence.shownTrack == nil && sequence.pendingPosition == 0)
    #expect(words(sequence.nextMove()) == "open 1 at 0.0")
    let opened = sequence.opened(track, for: Opening(entry: track.entry, purpose: .start(from: 0)))
    #expect(words(opened) == ["what follows 1?"])
    #expect(sequence.queueIsStale && sequence.joiningFrame == 0 && !sequence.isMoving)
    #expect(words(sequence.nextStep(lastQueued: nil)) == "read 1")
    #expect(words(sequence.joined(isAlone: true, isHeard: true)) == ["1 began"])
    #expect(!sequence.queueIsStale && sequence.joiningFrame == nil && sequence.pendingPosition == nil)
  }

  @Test func `a start within a track moves the source first, and still announces the track`() {
    var sequence = Sequence()
    let track = FactTrack(1)
    sequence.play(track.entry, from: 3)
    _ = sequence.opened(track, for: Opening(entry: track.entry, purpose: .start(from: 3)))
    #expect(words(sequence.nextMove()) == "move 1 to 3000")
    #expect(words(sequence.moved(track, toFrame: 3000, isEstimated: false)) == [])
    #expect(words(sequence.joined(isAlone: true, isHeard: true)) == ["1 began"])
  }

  @Test func `a start at no finite position shows the start until the track is open`() {
    var sequence = Sequence()
    sequence.play(.number(1), from: .infinity)
    #expect(sequence.pendingPosition == 0 && sequence.violations(isStopped: false) == [])
  }

  @Test func `a station begins live for any requested place`() {
    var sequence = Sequence()
    let track = FactTrack(1)
    track.isLive = true
    sequence.play(track.entry, from: 60)
    _ = sequence.opened(track, for: Opening(entry: track.entry, purpose: .start(from: 60)))
    #expect(!sequence.isMoving && sequence.joiningFrame == 0)
  }

  @Test func `the last of several commands to play wins`() {
    var sequence = playing(FactTrack(1))
    sequence.play(.number(2), from: 0)
    sequence.play(.number(3), from: 5)
    #expect(words(sequence.nextMove()) == "open 3 at 5.0")
    #expect(sequence.currentEntry?.id == 3 && sequence.pendingPosition == 5)
  }

  // MARK: Gapless transitions

  @Test func `the next track is opened at the end of the track before, and begins when it is heard`() {
    let (first, second) = (FactTrack(1), FactTrack(2))
    var sequence = playing(first)
    #expect(words(sequence.follow(1, with: second.entry)) == ["report sourceContinues"])
    #expect(words(sequence.readToEnd(first, rest: nil, lastQueued: first)) == [])
    #expect(words(sequence.nextStep(lastQueued: first)) == "open 2 next")
    let opened = sequence.opened(second, for: Opening(entry: second.entry, purpose: .next))
    #expect(words(opened) == ["what follows 2?"])
    #expect(words(sequence.nextStep(lastQueued: first)) == "begin 2")
    sequence.begin(second)
    #expect(words(sequence.nextStep(lastQueued: first)) == "read 2")
    #expect(!sequence.queueIsStale && sequence.joiningFrame == 0)
    #expect(words(sequence.joined(isAlone: false, isHeard: true)) == [])
    #expect(sequence.currentEntry?.id == 1)
    #expect(words(sequence.began(second)) == ["2 began"])
    #expect(sequence.currentEntry?.id == 2)
  }

  @Test func `after a format change the next track begins when its queue is heard, not with its first buffer`() {
    let (first, second) = (FactTrack(1), FactTrack(2))
    var sequence = playing(first)
    _ = sequence.follow(1, with: second.entry)
    _ = sequence.readToEnd(first, rest: nil, lastQueued: first)
    _ = sequence.opened(second, for: Opening(entry: second.entry, purpose: .next))
    sequence.begin(second)
    #expect(words(sequence.joined(isAlone: true, isHeard: false)) == [])
  }

  @Test func `nothing is read until it is known what follows, and the last track ends playback`() {
    let track = FactTrack(1)
    var sequence = playing(track)
    _ = sequence.readToEnd(track, rest: nil, lastQueued: track)
    #expect(words(sequence.nextStep(lastQueued: track)) == "await the answer")
    #expect(words(sequence.follow(1, with: nil)) == [])
    #expect(words(sequence.nextStep(lastQueued: track)) == "end")
    #expect(sequence.end(isQueueEmpty: false) == .sourceEnded)
  }

  @Test func `an answer about a track that was not asked for changes nothing`() {
    var sequence = playing(FactTrack(1))
    #expect(words(sequence.follow(9, with: .number(2))) == [])
  }

  // MARK: Seeks

  @Test func `a seek makes the queue stale until its first buffer is ready`() {
    let track = FactTrack(1)
    var sequence = playing(track)
    sequence.seek(to: 4, heard: track, position: 0)
    #expect(sequence.pendingPosition == 4 && !sequence.queueIsStale)
    #expect(words(sequence.nextMove()) == "move 1 to 4000")
    #expect(words(sequence.moved(track, toFrame: 3990, isEstimated: true)) == ["seeked to 3.99 or so"])
    #expect(sequence.queueIsStale && sequence.pendingPosition == 3.99)
    #expect(words(sequence.joined(isAlone: true, isHeard: true)) == [])
  }

  @Test func `the last of several seeks wins`() {
    let track = FactTrack(1)
    var sequence = playing(track)
    sequence.seek(to: 4, heard: track, position: 0)
    sequence.seek(to: 6, heard: track, position: 0)
    #expect(words(sequence.nextMove()) == "move 1 to 6000")
  }

  @Test func `a seek to an unknown end shows the duration`() {
    let track = FactTrack(1)
    var sequence = playing(track)
    sequence.seek(to: .infinity, heard: track, position: 1)
    #expect(sequence.pendingPosition == 10)
    #expect(words(sequence.nextMove()) == "move 1 to \(Int64.max)")
  }

  @Test func `a seek across a gapless transition goes back into the track that is heard, and asks again what follows`()
  {
    let (first, second) = (FactTrack(1), FactTrack(2))
    var sequence = crossing(first, second)
    sequence.seek(to: 2, heard: first, position: 9)
    #expect(words(sequence.nextMove()) == "move 1 to 2000")
    #expect(words(sequence.moved(first, toFrame: 2000, isEstimated: false)) == ["what follows 1?", "seeked to 2.0"])
    #expect(words(sequence.nextStep(lastQueued: second)) == "read 1")
  }

  @Test func `a seek while a track is opened changes where it starts`() {
    var sequence = Sequence()
    sequence.play(.number(1), from: 0)
    sequence.seek(to: 7, heard: nil, position: 0)
    #expect(words(sequence.nextMove()) == "open 1 at 7.0")
  }

  @Test func `a seek while another entry is opened has nothing to do with the track that is heard`() {
    let track = FactTrack(1)
    var sequence = playing(track)
    sequence.play(.number(2), from: 0)
    #expect(sequence.seekableTrack(heard: track) == nil && sequence.isEntering)
    sequence.seek(to: 1800, heard: track, position: 0)
    #expect(words(sequence.nextMove()) == "open 2 at 1800.0" && sequence.pendingPosition == 1800)
  }

  @Test func `a seek while an earlier part of the entry is opened has the bounds of the entry`() {
    let part = FactTrack(1, startSeconds: 10)
    var sequence = playing(part)
    sequence.seek(to: 3, heard: part, position: 12)
    #expect(words(sequence.nextMove()) == "open 1 at 3.0")
    #expect(sequence.seekableTrack(heard: part) === part)
  }

  @Test func `a seek to the end of a track drops the queue`() {
    let track = FactTrack(1)
    var sequence = playing(track)
    sequence.seek(to: 10, heard: track, position: 0)
    _ = sequence.moved(track, toFrame: 10_000, isEstimated: false)
    #expect(words(sequence.readToEnd(track, rest: nil, lastQueued: track)) == ["drop the queue"])
    #expect(!sequence.queueIsStale && sequence.isIdle)
  }

  @Test func `a seek that fails empties the queue and is reported`() {
    let track = FactTrack(1)
    var sequence = playing(track)
    sequence.seek(to: 4, heard: track, position: 0)
    let effects = sequence.failedToMove(track, .problem("broken"), isEstimated: false, lastQueued: track)
    #expect(words(effects) == ["drop the queue", "1 failed: broken", "seeked to 4.0"])
    #expect(!sequence.isMoving && sequence.isIdle)
  }

  // MARK: Failures

  @Test func `a track that cannot be opened drops the queue; what follows it is tried`() {
    var sequence = playing(FactTrack(1))
    sequence.play(.number(2), from: 0)
    let opening = Opening(entry: .number(2), purpose: .start(from: 0))
    let effects = sequence.failedToOpen(opening, .problem("gone"), locations: nil, lastQueued: nil)
    #expect(words(effects) == ["what follows 2?", "drop the queue", "2 failed: gone"])
    _ = sequence.follow(2, with: .number(3))
    #expect(words(sequence.nextStep(lastQueued: nil)) == "open 3 next")
  }

  @Test func `if the last track fails and nothing is queued, playback has failed`() {
    var sequence = Sequence()
    sequence.play(.number(1), from: 0)
    let opening = Opening(entry: .number(1), purpose: .start(from: 0))
    _ = sequence.failedToOpen(opening, .problem("gone"), locations: nil, lastQueued: nil)
    _ = sequence.follow(1, with: nil)
    #expect(sequence.end(isQueueEmpty: true) == .trackFailed)
    #expect(sequence.end(isQueueEmpty: false) == .sourceEnded)
  }

  @Test func `a playlist is named as such`() {
    var sequence = Sequence()
    sequence.play(.number(1), from: 0)
    let effects = sequence.failedToOpen(
      Opening(entry: .number(1), purpose: .start(from: 0)), .problem(""), locations: [.url("a"), .url("b")],
      lastQueued: nil)
    #expect(words(effects).last == "1 names 2")
  }

  @Test func `a track without a frame fails, so that repeating it cannot go on for ever`() {
    let track = FactTrack(1)
    var sequence = Sequence()
    sequence.play(track.entry, from: 0)
    _ = sequence.opened(track, for: Opening(entry: track.entry, purpose: .start(from: 0)))
    let effects = words(sequence.readToEnd(track, rest: nil, lastQueued: nil))
    #expect(effects.first == "drop the queue" && effects.last?.hasPrefix("1 failed: ") == true)
  }

  @Test func `a read that fails at a new place drops the stale queue; elsewhere what is queued is heard`() {
    let track = FactTrack(1)
    var sequence = playing(track)
    #expect(words(sequence.failed(track.entry, .problem("x"), lastQueued: track)) == ["1 failed: x"])
    sequence = playing(track)
    sequence.seek(to: 4, heard: track, position: 0)
    _ = sequence.moved(track, toFrame: 4000, isEstimated: false)
    let effects = sequence.failed(track.entry, .problem("x"), lastQueued: track)
    #expect(words(effects) == ["drop the queue", "1 failed: x"])
  }

  // MARK: Parts of an entry

  @Test func `the rest of an entry is opened at the end of a part, and is the same entry`() {
    let (first, second) = (FactTrack(1), FactTrack(1, startSeconds: 10))
    var sequence = playing(first)
    #expect(words(sequence.readToEnd(first, rest: .now, lastQueued: first)) == [])
    let step = sequence.nextStep(lastQueued: first)
    #expect(words(step) == "open the rest of 1")
    let opening = Opening(entry: first.entry, purpose: .rest(of: first))
    #expect(words(sequence.opened(second, for: opening)) == [])
    #expect(words(sequence.nextStep(lastQueued: first)) == "read 1")
    _ = sequence.joined(isAlone: false, isHeard: true)
    #expect(words(sequence.began(second)) == ["1 goes on"])
  }

  @Test func `a rest that turns out to be none ends the entry`() {
    let part = FactTrack(1)
    var sequence = playing(part)
    _ = sequence.readToEnd(part, rest: .now, lastQueued: part)
    #expect(words(sequence.ended(part)) == [])
    #expect(words(sequence.nextStep(lastQueued: part)) == "await the answer")
    _ = sequence.follow(1, with: .number(2))
    #expect(words(sequence.nextStep(lastQueued: part)) == "open 2 next")
  }

  @Test func `a rest that cannot be opened is not tried again`() {
    let part = FactTrack(1)
    var sequence = playing(part)
    _ = sequence.readToEnd(part, rest: .now, lastQueued: part)
    let opening = Opening(entry: part.entry, purpose: .rest(of: part))
    let effects = sequence.failedToOpen(opening, .problem("gone"), locations: nil, lastQueued: part)
    #expect(words(effects) == ["1 failed: gone"])
    #expect(words(sequence.nextStep(lastQueued: part)) == "await the answer")
  }

  /// A seek has met the end of a part whose next part begins at 10 s.
  private func afterSeek(to seconds: Double, endOf part: FactTrack, atFrame frame: Int64) -> Sequence {
    var sequence = playing(part)
    sequence.seek(to: seconds, heard: part, position: 0)
    _ = sequence.moved(part, toFrame: frame, isEstimated: false)
    var rest = StreamContinuation.now
    rest.seconds = 10
    #expect(words(sequence.readToEnd(part, rest: rest, lastQueued: nil)) == [])
    return sequence
  }

  @Test func `a seek beyond the end of a part enters the next part at the same target`() {
    let (first, second) = (FactTrack(1), FactTrack(1, startSeconds: 10))
    var sequence = afterSeek(to: 14, endOf: first, atFrame: 10_000)
    // Nothing of the first part is heard, and the stale queue plays on meanwhile.
    #expect(sequence.queueIsStale)
    #expect(words(sequence.nextStep(lastQueued: nil)) == "open the rest of 1")
    _ = sequence.opened(second, for: Opening(entry: first.entry, purpose: .rest(of: first)))
    #expect(words(sequence.nextMove()) == "move 1 to 4000")
    #expect(words(sequence.moved(second, toFrame: 4000, isEstimated: false)) == [])
    #expect(sequence.pendingPosition == 14)
    #expect(words(sequence.joined(isAlone: true, isHeard: true)) == [])
  }

  @Test func `a seek into a gap between two parts enters the part behind it`() {
    let (first, second) = (FactTrack(1), FactTrack(1, startSeconds: 10))
    var sequence = afterSeek(to: 7, endOf: first, atFrame: 7000)
    _ = sequence.opened(second, for: Opening(entry: first.entry, purpose: .rest(of: first)))
    #expect(words(sequence.nextMove()) == "move 1 to 0")
  }

  @Test func `a station is not asked again and again for audio that does not come`() {
    let part = FactTrack(1)
    var sequence = playing(part)
    sequence.seek(to: 10, heard: part, position: 0)
    _ = sequence.moved(part, toFrame: 10_000, isEstimated: false)
    let effects = words(sequence.readToEnd(part, rest: .now, lastQueued: nil))
    #expect(effects.first == "drop the queue" && effects.last?.hasPrefix("1 failed: ") == true)
  }

  @Test func `a seek to an earlier part opens the entry again`() {
    let part = FactTrack(1, startSeconds: 10)
    var sequence = playing(part, from: 12)
    sequence.seek(to: 3, heard: part, position: 12)
    #expect(words(sequence.nextMove()) == "open 1 at 3.0")
    let first = FactTrack(1)
    _ = sequence.opened(first, for: Opening(entry: first.entry, purpose: .start(from: 3)))
    #expect(words(sequence.nextMove()) == "move 1 to 3000")
    #expect(words(sequence.moved(first, toFrame: 3000, isEstimated: false)) == ["seeked to 3.0"])
  }

  @Test func `frames that a station has lost are skipped`() {
    let track = FactTrack(1)
    var sequence = playing(track)
    #expect(words(sequence.skipped(toFrame: 5000, seconds: 2)).count == 1)
    #expect(sequence.joiningFrame == 5000 && !sequence.queueIsStale)
  }

  // MARK: Crossfades

  @Test func `the next track is opened before the end and mixed with it`() {
    let (first, second) = (FactTrack(1), FactTrack(2))
    var sequence = playing(first)
    let step = { (sequence: Sequence) in words(sequence.crossfadeStep(of: first, seconds: 2, bufferSeconds: 0.5)) }
    #expect(step(sequence) == "read 8000")
    first.nextFrame = 8000
    #expect(step(sequence) == "wait")
    _ = sequence.follow(1, with: second.entry)
    #expect(step(sequence) == "open 2")
    _ = sequence.opened(second, for: Opening(entry: second.entry, purpose: .next))
    #expect(words(sequence.nextStep(lastQueued: first)) == "read 1")
    #expect(step(sequence) == "mix 2000 with 2")
    sequence.begin(second)
    #expect(words(sequence.nextStep(lastQueued: first)) == "read 2")
    #expect(!sequence.queueIsStale && sequence.joiningFrame == 0)
  }

  @Test func `a next track that cannot be opened does not end the track before`() {
    let first = FactTrack(1)
    var sequence = playing(first)
    first.nextFrame = 9000
    _ = sequence.follow(1, with: .number(2))
    let effects = sequence.failedToOpen(
      Opening(entry: .number(2), purpose: .next), .problem("gone"), locations: nil, lastQueued: first)
    #expect(words(effects) == ["what follows 2?", "2 failed: gone"])
    #expect(words(sequence.nextStep(lastQueued: first)) == "read 1")
  }

  @Test func `tracks of one album, short tracks and tracks that come too late are not mixed`() {
    let (first, second) = (FactTrack(1), FactTrack(2))
    var sequence = playing(first)
    first.nextFrame = 8000
    _ = sequence.follow(1, with: second.entry)
    _ = sequence.opened(second, for: Opening(entry: second.entry, purpose: .next))
    let step = { words(sequence.crossfadeStep(of: first, seconds: 2, bufferSeconds: 0.5)) }
    (first.isAlbum, second.isAlbum) = (true, true)
    #expect(step() == "read")
    (first.isAlbum, second.hasArrived) = (false, false)
    #expect(step() == "read")
    (second.hasArrived, second.frameCount) = (true, 1000)
    #expect(step() == "read 1500")
    second.frameCount = 10
    #expect(step() == "read")
    (second.frameCount, first.frameCount) = (10_000, nil)
    #expect(step() == "read")
  }

  @Test func `without a crossfade a track is read to its end`() {
    let first = FactTrack(1)
    first.nextFrame = 9999
    #expect(words(playing(first).crossfadeStep(of: first, seconds: 0, bufferSeconds: 0.5)) == "read")
  }

  @Test func `a next track that completes the last frames is opened before the end`() {
    let (first, second) = (FactTrack(1), FactTrack(2))
    first.frameCountToJoin = 500
    var sequence = playing(first)
    let step = { (sequence: Sequence) in words(sequence.crossfadeStep(of: first, seconds: 0, bufferSeconds: 0.5)) }
    // Nothing waits for an answer, or for the end of a track whose end is not known.
    #expect(step(sequence) == "read")
    _ = sequence.follow(1, with: second.entry)
    #expect(step(sequence) == "read 9500")
    first.nextFrame = 9500
    #expect(step(sequence) == "open 2")
    _ = sequence.opened(second, for: Opening(entry: second.entry, purpose: .next))
    #expect(step(sequence) == "read")
    first.frameCount = nil
    #expect(step(playing(first)) == "read")
  }

  // MARK: Changes of what follows

  @Test func `another next track takes back the track that was read ahead`() throws {
    let (first, second) = (FactTrack(1), FactTrack(2))
    var sequence = crossing(first, second)
    let correction = try #require(sequence.correction(after: 1, next: .number(3), queued: [first, second]))
    #expect(correction.index == 0 && correction.last == first.entry)
    sequence.tookBack(behind: first, isWhole: false)
    // The end that was reported, if there was one, is another now.
    #expect(words(sequence.correct(correction)) == ["report sourceContinues"])
    #expect(words(sequence.follow(1, with: .number(3))) == ["report sourceContinues"])
    #expect(words(sequence.nextStep(lastQueued: first)) == "open 3 next")
  }

  @Test func `the opened entries are those that are queued, read and read ahead, each once`() {
    let (first, second, third) = (FactTrack(1), FactTrack(2), FactTrack(3))
    var sequence = crossing(first, second)
    #expect(sequence.openedIDs(queued: [first, first, second]) == [1, 2])
    _ = sequence.follow(2, with: third.entry)
    _ = sequence.opened(third, for: Opening(entry: third.entry, purpose: .next))
    #expect(sequence.openedIDs(queued: [second]) == [2, 3])
    sequence.stop(at: 0)
    #expect(sequence.openedIDs(queued: []) == [])
  }

  @Test func `the same next track takes nothing back`() {
    let (first, second) = (FactTrack(1), FactTrack(2))
    let sequence = crossing(first, second)
    #expect(sequence.correction(after: 1, next: second.entry, queued: [first, second]) == nil)
    #expect(sequence.correction(after: 9, next: second.entry, queued: [first, second]) == nil)
  }

  @Test func `the parts of an entry stay together`() throws {
    let (first, rest, second) = (FactTrack(1), FactTrack(1, startSeconds: 10), FactTrack(2))
    let sequence = crossing(rest, second)
    let correction = try #require(sequence.correction(after: 1, next: nil, queued: [first, rest, second]))
    #expect(correction.index == 1)
  }

  @Test func `a lead-in that is dropped opens the next track again`() {
    let (first, second) = (FactTrack(1), FactTrack(2))
    var sequence = crossing(first, second)
    #expect(words(sequence.prepareAgain(after: first, next: second.entry)) == ["report sourceContinues"])
    #expect(words(sequence.nextStep(lastQueued: first)) == "open 2 next")
  }

  @Test func `a change of the sound reads the track again, and opens the next one again`() {
    let (first, second) = (FactTrack(1), FactTrack(2))
    var sequence = crossing(first, second)
    #expect(words(sequence.readAgain(first)) == ["what follows 1?", "report sourceContinues"])
    #expect(words(sequence.nextStep(lastQueued: first)) == "read 1")
    #expect(sequence.joiningFrame == nil)
  }

  // MARK: Losses

  @Test func `after a lost server playback resumes at the confirmed frame, without a second announcement`() {
    let (first, second) = (FactTrack(1), FactTrack(2))
    var sequence = crossing(first, second)
    _ = sequence.began(second)
    // The server died before it had played the end of the first track.
    #expect(words(sequence.outputLost(confirmed: (first, 9.5), heard: second)) == ["1 began"])
    #expect(words(sequence.nextMove()) == "move 1 to 9500")
    #expect(words(sequence.moved(first, toFrame: 9500, isEstimated: false)) == ["what follows 1?"])
    #expect(words(sequence.joined(isAlone: true, isHeard: true)) == [])
  }

  @Test func `resuming the position after a lost server is not a seek`() {
    let track = FactTrack(1)
    var sequence = playing(track)
    for _ in 0..<2 {
      #expect(words(sequence.outputLost(confirmed: (track, 1), heard: track)) == [])
      #expect(words(sequence.nextMove()) == "move 1 to 1000")
      #expect(words(sequence.moved(track, toFrame: 1000, isEstimated: false)) == [])
      #expect(words(sequence.joined(isAlone: true, isHeard: true)) == [])
    }
  }

  @Test func `a pending seek survives a lost server`() {
    let track = FactTrack(1)
    var sequence = playing(track)
    sequence.seek(to: 4, heard: track, position: 1)
    #expect(words(sequence.outputLost(confirmed: (track, 1), heard: track)) == [])
    #expect(sequence.pendingPosition == 4)
    #expect(words(sequence.nextMove()) == "move 1 to 4000")
  }

  @Test func `unheard frames are repeated without an announcement`() {
    let (first, second) = (FactTrack(1), FactTrack(2))
    var sequence = crossing(first, second)
    // The next track waits for its first buffer, which would announce it.
    _ = sequence.began(second)
    sequence.seek(to: 9, heard: first, position: 0)
    #expect(words(sequence.repeatUnheard(in: first)) == ["1 began"])
    #expect(sequence.isEntering)
    #expect(words(sequence.moved(first, toFrame: 9000, isEstimated: false)) == ["what follows 1?"])
    #expect(words(sequence.joined(isAlone: true, isHeard: true)) == [])
  }

  // MARK: Stop

  @Test func `stopped, it reads nothing and keeps the entry`() {
    var sequence = crossing(FactTrack(1), FactTrack(2))
    sequence.stop(at: 0)
    #expect(sequence.violations(isStopped: true) == [])
    #expect(sequence.isIdle && !sequence.isMoving && !sequence.queueIsStale)
    #expect(sequence.currentEntry?.id == 1 && sequence.pendingPosition == 0)
    #expect(words(sequence.nextStep(lastQueued: nil)) == "wait")
  }
}
