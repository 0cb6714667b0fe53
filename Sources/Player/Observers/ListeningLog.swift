internal import AudioModel
public import ByteIO
public import Commands
public import Desk
internal import Glibc
internal import Library
public import Playback
internal import Threads

/// Records heard tracks and resume points in the library, and sends the queue to the server of the track. Main thread.
public final class ListeningLog: PlayerObserver {
  private let desk: Desk
  private var machine = ListeningMachine()
  private var queueMachine = QueueMachine()
  private var resumePoints = ResumePoints()
  private let folder: BytePath

  public init(folder: BytePath, desk: Desk) {
    (self.folder, self.desk) = (folder, desk)
    resumePoints.update(from: folder, now: .now)
  }

  /// The place to start a track at, in seconds: 0 unless it is long and was left there.
  func start(of location: MediaLocation) -> Double {
    resumePoints.update(from: folder, now: .now)
    return resumePoints.start(of: location)
  }

  public func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    let now = MonotonicTime.now
    record(
      machine.handle(snapshot, notices, now: now), resumePoints.handle(snapshot, now: now),
      queueMachine.handle(snapshot, now: now))
  }

  public func show(_ queue: PlayQueue) { queueMachine.handle(queue) }

  public func show(_ settings: Settings) { resumePoints.leastDuration = settings.resume.map { Double($0) * 60 } }

  /// Records the last track and waits until it is written, at most ten seconds: on a busy machine two are not always
  /// enough. Returns the reason if that failed.
  ///
  /// - Parameter say: Takes a message for the listener if that takes more than two seconds.
  public func finish(_ say: (String) -> Void = { _ in }) -> String? {
    let now = MonotonicTime.now
    record(machine.finish(now: now), resumePoints.finish(now: now), queueMachine.finish(now: now))
    return desk.finishPlays(say)
  }

  private func record(_ listens: [Listen], _ change: ResumePoints.Change?, _ queue: QueueMachine.Kept?) {
    for listen in listens { desk.record(.heard(listen, at: Int64(time(nil)))) }
    if let change { desk.record(.resume(change, at: Int64(time(nil)))) }
    if let queue { desk.record(.queue(queue, at: Int64(time(nil)))) }
  }
}
