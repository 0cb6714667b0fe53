internal import AudioModel
public import ByteIO
public import Commands
public import Database
internal import Glibc
public import Library
public import Playback
internal import Threads

/// Records heard tracks and resume points in the library, so that nothing waits for the database. What could not be
/// written is tried again before the next one. Without a library it records resume points only.
public final class ListeningLog: PlayerObserver {
  private enum Request: Sendable {
    case record(Listen, at: Int64)
    case resume(ResumePoints.Change, at: Int64)
    /// Only what could not be written before.
    case retry
  }

  /// The answer to each request is the reason why something could not be written, if there is one.
  private let worker: Worker<Request, String?>
  private var failure: String?
  private var hasRequests = false
  private var machine = ListeningMachine()
  private var resumePoints: ResumePoints

  /// - Parameter folder: The folder of the library.
  public init(folder: BytePath) {
    worker = Worker(named: "plays", ring: {}) {
      var writer = Writer(folder: folder)
      return { request, post in post(writer.perform(request)) }
    }
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
    guard hasRequests else { return nil }
    worker.request(.retry)
    if !worker.settle(within: .seconds(2)) {
      say("waiting up to 10 s until the last play is saved")
      if !worker.settle(within: .seconds(8)) { return "the disk is slow: the last track may be lost" }
    }
    takeFailure()
    return failure
  }

  private func takeFailure() { if let last = worker.take().last { failure = last } }

  private func record(_ listens: [Listen]) {
    for listen in listens { request(.record(listen, at: Int64(time(nil)))) }
    takeFailure()
  }

  private func request(_ request: Request) {
    hasRequests = true
    worker.request(request)
  }

  private func record(_ change: ResumePoints.Change?) {
    if let change { request(.resume(change, at: Int64(time(nil)))) }
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
      case .retry: break
      case .record(let listen, let time):
        // The listener may have no library.
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
