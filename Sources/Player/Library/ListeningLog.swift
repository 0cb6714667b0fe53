internal import AudioModel
public import ByteIO
public import Database
internal import Glibc
public import Library
public import Playback
internal import Threads

/// Records heard tracks and resume points in the library, on a thread of its own, so that nothing waits for the
/// database. What could not be written is tried again before the next one. Without a library it records resume points
/// only.
public final class ListeningLog: PlayerObserver {
  private enum Request: Sendable {
    case record(Listen, at: Int64)
    case resume(ResumePoints.Change, at: Int64)
    case barrier(Mailbox<Void>)
  }

  private let folder: BytePath
  private let requests = Mailbox<Request>()
  private let failure = Guarded<String?>(nil)
  private var machine = ListeningMachine()
  private var resumePoints: ResumePoints
  private var thread: WorkerThread?

  /// - Parameter folder: The folder of the library.
  public init(folder: BytePath) {
    self.folder = folder
    let file = try? SmallFile.read(Self.resumeFile(in: folder))
    resumePoints = file.map { ResumePoints(file: $0) } ?? ResumePoints()
  }

  /// The place to start a track at, in seconds: 0 unless it is long and was left there.
  func start(of location: MediaLocation) -> Double { resumePoints.start(of: location) }

  /// Follows the player.
  public func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    let now = MonotonicTime.now
    record(machine.handle(snapshot, notices, now: now))
    record(resumePoints.handle(snapshot, now: now))
  }

  /// Takes the setting `resume`.
  public func show(_ settings: Settings) { resumePoints.leastDuration = settings.resume.map { Double($0) * 60 } }

  /// Records the last track and waits until it is written, at most ten seconds: on a busy machine two are not always
  /// enough. Returns the reason if that failed.
  ///
  /// - Parameter say: Takes a message for the listener if that takes more than two seconds.
  public func finish(_ say: (String) -> Void = { _ in }) -> String? {
    let now = MonotonicTime.now
    record(machine.finish(now: now))
    record(resumePoints.finish(now: now))
    guard thread != nil else { return nil }
    let done = Mailbox<Void>()
    requests.post(.barrier(done))
    if done.take(until: .now + .seconds(2)).isEmpty {
      say("waiting up to 10 s until the last play is saved")
      if done.take(until: .now + .seconds(8)).isEmpty { return "the disk is slow: the last track may be lost" }
    }
    return failure.withLock { $0 }
  }

  private func record(_ listens: [Listen]) {
    for listen in listens { post(.record(listen, at: Int64(time(nil)))) }
  }

  private func record(_ change: ResumePoints.Change?) {
    if let change { post(.resume(change, at: Int64(time(nil)))) }
  }

  private func post(_ request: Request) {
    requests.post(request)
    guard thread == nil else { return }
    thread = WorkerThread(named: "library") { [requests, failure, folder] in
      var writer = Writer(folder: folder)
      while true {
        for request in requests.take(until: nil) {
          let text = writer.perform(request)
          failure.withLock { $0 = text }
          if case .barrier(let done) = request { done.post(()) }
        }
      }
    }
  }

  /// Performs requests in their order. One that fails waits for the next one, with all that follow, unless the database
  /// can never take it.
  private struct Writer {
    let folder: BytePath
    private var library: MusicLibrary?
    private var waiting: [Request] = []
    private var hasNewPlaces = false
    /// The reason why a request was given up.
    private var refusal: String?
    private static let waitLimit = 1000

    init(folder: BytePath) { self.folder = folder }

    /// Returns the reason if something could not be written.
    mutating func perform(_ request: Request) -> String? {
      waiting = Array((waiting + [request]).suffix(Self.waitLimit))
      do throws(DatabaseError) {
        while let first = waiting.first {
          do throws(DatabaseError) { try write(first) } catch {
            guard error.code == .statement else { throw error }
            refusal = error.description
          }
          waiting.removeFirst()
        }
        guard hasNewPlaces, let library else { return refusal }
        try ListeningLog.saveResumePoints(of: library)
        hasNewPlaces = false
        return refusal
      } catch {
        return error.description
      }
    }

    private mutating func write(_ request: Request) throws(DatabaseError) {
      switch request {
      case .barrier: break
      case .record(let listen, let time):
        // A track of a cue sheet is no file, or the listener has no library.
        guard let path = listen.path, LibraryIndex.path(in: folder).withCString({ access($0, F_OK) }) == 0 else {
          return
        }
        try opened().recordPlay(
          of: path, heard: listen.heard, duration: listen.duration, isSkip: listen.isSkip, at: time)
      case .resume(let change, let time):
        try ResumeStore(opened()).set(change.path, to: change.seconds, at: time)
        hasNewPlaces = true
      }
    }

    private mutating func opened() throws(DatabaseError) -> MusicLibrary {
      // A library that could not be written is opened again: it may be writable by now.
      if let library, library.refusal == nil { return library }
      let library = try MusicLibrary(folder: folder)
      self.library = library
      return library
    }
  }

  /// Writes the resume points to the file that the next start reads.
  ///
  /// - Throws: The reason why the database was not read, or the file not written.
  public static func saveResumePoints(of library: MusicLibrary) throws(DatabaseError) {
    let bytes = ResumePoints.file(try ResumeStore(library).all())
    do throws(ByteIOError) { try SmallFile.write(bytes, to: resumeFile(in: library.folder)) } catch {
      throw DatabaseError(
        .notWritable, operation: "write", path: resumeFile(in: library.folder), reason: error.reason)
    }
  }

  private static func resumeFile(in folder: BytePath) -> BytePath { folder.appending(BytePath("resume")) }
}
