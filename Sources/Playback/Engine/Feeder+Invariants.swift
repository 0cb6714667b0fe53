internal import AudioModel
internal import AudioOutput

// Which combinations of the feeder's variables are legal between two turns.
extension Feeder {
  /// The rules that are broken; empty unless there is a bug.
  var violations: [String] {
    rules.compactMap { $0.holds ? nil : $0.name } + sourceRules.compactMap { $0.holds ? nil : $0.name }
  }

  private typealias Rule = (name: String, holds: Bool)

  private var isStopped: Bool { machine.state == .stopped }

  /// The queues.
  private var rules: [Rule] {
    let segments = timeline.segments
    let frames = segments.map(\.queueFrame)
    return [
      ("without a queue there is nothing that it plays", queue != nil || segments.isEmpty),
      ("without a queue there are no buffers", queue != nil || freeBuffers.isEmpty),
      ("segments are in order", zip(frames, frames.dropFirst()).allSatisfy { $0 <= $1 }),
      ("the last segment begins before the queue's end", frames.last.map { $0 <= queueEnd } ?? true),
      ("a queue that plays out plays something", outgoing.map { !$0.timeline.segments.isEmpty } ?? true),
      ("queues have numbers of their own", outgoing?.number != queueNumber && lastOutgoing?.number != queueNumber),
      ("a lead-in leads to a queue", outgoing?.leadIn == nil || queue != nil),
      ("what is paused has no lead-in", outgoing?.leadIn == nil || machine.state != .paused),
      ("while the output is rebuilt there is no queue", rebuildTime == nil || queue == nil && outgoing == nil),
      ("a stopped player has no queue", !isStopped || queue == nil && outgoing == nil && lastOutgoing == nil),
      ("what drives the output has started it", !machine.drivesOutput || audibleQueue?.isRunning ?? true),
      ("few buffers", freeBuffers.count <= 64),
    ]
  }

  /// The source.
  private var sourceRules: [Rule] {
    let isReading = reading != nil
    return [
      ("a stopped player reads nothing", !isStopped || !isReading && successor == nil && beyond == nil),
      ("a stopped player moves nowhere", !isStopped || move == nil && !dropsQueued && rebuildTime == nil),
      ("what is queued is dropped for a place that is read", !dropsQueued || isReading || beyond != nil),
      ("the place that is read begins somewhere", !dropsQueued || entering != nil),
      ("a successor is another reader", successor == nil || successor !== reading),
      ("a fade-out lies before what is read next", reading.map { $0.exit.map(\.start) ?? 0 <= $0.nextFrame } ?? true),
      ("the pending place is one", pendingPosition.map { $0.isFinite && $0 >= 0 } ?? true),
      ("no position before the start", position >= 0 && position.isFinite),
      ("what is shown is current", shown == nil || current == nil || shown?.entry == current || move != nil),
      ("a change of sound is done at once", soundChange == nil),
    ]
  }
}
