import Testing

@testable import Playback

struct TimelineTests {
  static let twoTracks: Timeline<String> = {
    var timeline = Timeline<String>()
    timeline.append("first", trackFrame: 500, atQueueFrame: 100)
    timeline.append("second", trackFrame: 0, atQueueFrame: 1100)
    return timeline
  }()

  @Test(arguments: [
    (0, "first", 500), (100, "first", 500), (1099, "first", 1499), (1100, "second", 0), (1101, "second", 1),
  ])
  func `each queue frame belongs to one frame of one track`(queueFrame: Int64, track: String, frame: Int64) throws {
    var timeline = Self.twoTracks
    _ = timeline.advance(toQueueFrame: queueFrame)
    let heard = try #require(timeline.heard(atQueueFrame: queueFrame))
    #expect(heard.track == track)
    #expect(heard.frame == frame)
  }

  @Test func `a boundary is reported when it is reached, once`() {
    var timeline = Self.twoTracks
    #expect(timeline.nextBoundary == 1100)
    #expect(timeline.advance(toQueueFrame: 1099) == nil)
    #expect(timeline.advance(toQueueFrame: 1100)?.track == "second")
    #expect(timeline.advance(toQueueFrame: 1101) == nil)
    #expect(timeline.nextBoundary == nil)
  }

  @Test(arguments: [(1050, "first", 1450), (1100, "second", 0), (1200, "second", 100)])
  func `a track that ended a moment ago is still known`(queueFrame: Int64, track: String, frame: Int64) throws {
    var timeline = Self.twoTracks
    _ = timeline.advance(toQueueFrame: 1110)
    _ = timeline.advance(toQueueFrame: 1110)
    let heard = try #require(timeline.heard(backAtQueueFrame: queueFrame))
    #expect(heard.track == track)
    #expect(heard.frame == frame)
    // But not for ever.
    _ = timeline.advance(toQueueFrame: 200_000)
    #expect(timeline.heard(backAtQueueFrame: queueFrame)?.track == "second")
  }

  @Test func `tracks shorter than a look are reported, too`() {
    var timeline = Self.twoTracks
    timeline.append("third", trackFrame: 0, atQueueFrame: 1105)
    #expect(timeline.advance(toQueueFrame: 2000)?.track == "second")
    #expect(timeline.advance(toQueueFrame: 2000)?.track == "third")
    #expect(timeline.advance(toQueueFrame: 2000) == nil)
  }
}
