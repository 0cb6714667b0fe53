internal import AudioModel
public import ByteIO
internal import Database
internal import Glibc
internal import Library
public import Playback
internal import Threads

/// Records heard tracks in the library, on a thread of its own, so that nothing waits for the database. Without a
/// library it does nothing.
public final class ListeningLog: PlayerObserver {
  private enum Request: Sendable {
    case record([Listen], at: Int64)
    case barrier(Mailbox<Void>)
  }

  private let folder: BytePath
  private let requests = Mailbox<Request>()
  private let failure = Guarded<String?>(nil)
  private var machine = ListeningMachine()
  private var thread: WorkerThread?

  /// - Parameter folder: The folder of the library.
  public init(folder: BytePath) { self.folder = folder }

  /// Follows the player.
  public func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    record(machine.handle(snapshot, notices, now: .now))
  }

  /// Records the last track and waits until it is written, at most two seconds. Returns the reason if that failed.
  public func finish() -> String? {
    record(machine.finish(now: .now))
    guard thread != nil else { return nil }
    let done = Mailbox<Void>()
    requests.post(.barrier(done))
    if done.take(until: .now + .seconds(2)).isEmpty {
      return "the disk is slow: the last track may be lost"
    }
    return failure.withLock { $0 }
  }

  private func record(_ listens: [Listen]) {
    guard !listens.isEmpty else { return }
    requests.post(.record(listens, at: Int64(time(nil))))
    guard thread == nil else { return }
    thread = WorkerThread(named: "library") { [requests, failure, folder] in
      var library: MusicLibrary?
      while true {
        for request in requests.take(until: nil) {
          switch request {
          case .barrier(let done): done.post(())
          case .record(let listens, let time):
            // The listener has no library.
            guard LibraryIndex.path(in: folder).withCString({ access($0, F_OK) }) == 0 else { continue }
            do throws(DatabaseError) {
              if library == nil { library = try MusicLibrary(folder: folder) }
              for listen in listens {
                try library?.recordPlay(
                  of: listen.path, heard: listen.heard, duration: listen.duration, isSkip: listen.isSkip, at: time)
              }
            } catch {
              let text = error.description
              failure.withLock { $0 = text }
            }
          }
        }
      }
    }
  }
}
