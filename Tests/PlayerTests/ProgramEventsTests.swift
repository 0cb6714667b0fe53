import ByteIO
import Commands
import Playback
import Testing

@testable import Player

@Suite struct `Events for programs` {
  private func names(_ notices: [PlaybackNotice]) -> [String] {
    var events: [String] = []
    let observer = ProgramEvents(status: { [:] }) { events.append($0["event"]?.text ?? "") }
    for notice in notices { observer.show(PlaybackSnapshot(), [notice]) }
    return events
  }

  private let entry = QueueEntry(id: 1, location: .file(BytePath("/a.mp3")))

  private func state(_ state: PlaybackState, _ reason: PlaybackReason = .user) -> PlaybackNotice {
    .state(state, reason, position: 0)
  }

  @Test func `name what a listener notices, not each state`() {
    let notices = [
      state(.waiting, .starting), .trackBegan(entry), state(.playing), state(.waiting, .connecting), state(.playing),
      state(.paused), state(.waiting, .seeking), state(.playing), .titleChanged("t"), .trackBegan(entry),
      state(.stopped, .finished), state(.stopped),
    ]
    #expect(names(notices) == ["track", "pause", "play", "title", "track", "end"])
    #expect(names([state(.paused), state(.stopped)]) == ["stop"], "of a session that was restored")
    #expect(names([state(.playing), state(.stopped, .failed)]) == ["stop"])
  }

  @Test func `have the members of the status`() {
    var event: JSON?
    ProgramEvents(status: { ["state": .string("playing"), "volume": JSON(80)] }) { event = $0 }.announce(.quit)
    #expect(event?.description == #"{"event":"quit","state":"playing","volume":80}"#)
  }
}
