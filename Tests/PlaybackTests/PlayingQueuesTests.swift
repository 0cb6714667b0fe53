import AudioModel
import AudioOutput
import Testing

@testable import Playback

/// The queues of a hand-over between formats, without audio: handles and tracks are names.
struct PlayingQueuesTests {
  private typealias Queues = PlayingQueues<String, Int, String>

  private static let format = PCMFormat(sampleRate: 1000, channelCount: 2, sampleFormat: .s16)

  /// Queue "a" with a track; what follows is another queue.
  private static func playing() -> Queues {
    var queues = Queues()
    queues.open("a", format: format, freeBuffers: [1, 2])
    queues.filled?.timeline.append("first", trackFrame: 0, atQueueFrame: 0)
    queues.filled?.end = 500
    return queues
  }

  /// Queue "a" plays out, queue "b" is filled.
  private static func handingOver() -> Queues {
    var queues = playing()
    _ = queues.retire()
    queues.open("b", format: format, freeBuffers: [3])
    queues.filled?.timeline.append("second", trackFrame: 0, atQueueFrame: 0)
    queues.filled?.end = 100
    return queues
  }

  @Test func `a queue that plays out is the one that is heard`() {
    let queues = Self.handingOver()
    #expect(queues.audible?.handle == "a" && queues.filled?.handle == "b")
    #expect(queues.tracks == ["first", "second"] && queues.lastTrack == "second")
    #expect(queues.heard(at: 20)?.track == "first")
  }

  @Test func `events are distinguished by the number of their queue`() {
    var queues = Self.handingOver()
    #expect(queues.role(ofNumber: 0) == .outgoing && queues.role(ofNumber: 1) == .filled)
    #expect(queues.handOver() == nil)
    #expect(queues.role(ofNumber: 0) == .retired && queues.role(ofNumber: 1) == .filled)
    #expect(queues.closeRetired()?.handle == "a")
    #expect(queues.role(ofNumber: 0) == nil)
    #expect(queues.closeFilled()?.handle == "b")
    // Without a queue, the number of the next one stands for it.
    #expect(queues.role(ofNumber: 1) == nil && queues.role(ofNumber: 2) == .filled)
  }

  @Test func `buffers return to their queue`() {
    var queues = Self.handingOver()
    queues.giveBack(9, to: .outgoing)
    queues.giveBack(8, to: .filled)
    #expect(queues.outgoing?.freeBuffers == [1, 2, 9] && queues.filled?.freeBuffers == [3, 8])
  }

  @Test func `only one queue plays out at a time`() {
    var queues = Self.handingOver()
    #expect(queues.retire() == nil)
    #expect(queues.outgoing?.handle == "a")
  }

  @Test func `a queue that is recalled is filled again, and its follower is closed`() {
    var queues = Self.handingOver()
    queues.setLeadIn(.silence)
    #expect(queues.recall()?.handle == "b")
    #expect(queues.filled?.handle == "a" && queues.filled?.end == 500 && queues.outgoing == nil)
    #expect(queues.leadIn == nil && queues.recall() == nil)
    // The number of the closed queue is not used again.
    #expect(queues.nextNumber == 2)
  }

  @Test func `two hand-overs in a row return the queue of the first`() {
    var queues = Self.handingOver()
    _ = queues.handOver()
    _ = queues.retire()
    queues.open("c", format: Self.format, freeBuffers: [])
    #expect(queues.handOver()?.handle == "a")
    #expect(queues.retired?.handle == "b" && queues.filled?.handle == "c")
  }

  @Test func `a follower that fails waits for the end of the queue before`() {
    var queues = Self.handingOver()
    queues.setIncomingLoss(AudioOutputError(.serverLost, detail: "gone"))
    let ended = queues.outgoingEnded()
    #expect(ended.queue?.handle == "a" && ended.incomingLoss?.code == .serverLost)
    #expect(queues.outgoing == nil && queues.filled?.handle == "b")
  }

  @Test func `closing the prepared queue forgets its lead-in and its failure`() {
    var queues = Self.handingOver()
    queues.setLeadIn(.aligned)
    queues.setIncomingLoss(AudioOutputError(.serverLost, detail: "gone"))
    #expect(queues.closeFilled()?.handle == "b")
    #expect(queues.leadIn == nil && queues.incomingLoss == nil && queues.outgoing?.handle == "a")
    #expect(queues.closeOutgoing().map(\.handle) == ["a"])
    #expect(queues.audible == nil)
  }

  @Test func `tracks advance on the queue that is heard`() {
    var queues = Self.playing()
    queues.filled?.timeline.append("second", trackFrame: 0, atQueueFrame: 300)
    #expect(queues.nextBoundary == 300)
    #expect(queues.advance(to: 299) == nil)
    #expect(queues.advance(to: 300) == "second")
    #expect(queues.heard(backAt: 290)?.track == "first")
  }
}
