import AudioModel
import ByteIO
import CSandbox
import Glibc
import Library
import Playback
import SoundServerSupport
import Streaming
import Testing
import Threads

@testable import Desk
@testable import Player
@testable import Sandbox

/// The files of the saved session, of running players and of crashed ones.
struct SessionFilesTests {
  private let folder: TemporaryFolder
  private let files: SessionFiles
  private var state: BytePath { BytePath(folder("deep/state")) }
  private var running: RunningSession { .start(in: state) }

  init() throws {
    folder = try TemporaryFolder()
    files = SessionFiles(folder: BytePath(folder("deep/state")))
  }

  private func record(_ volume: Double) -> SessionRecord {
    var record = SessionRecord()
    record.volume = volume
    return record
  }

  private func entries(_ name: String) -> PlayQueue { entries([name]) }

  private func entries(_ names: [String]) -> PlayQueue {
    var queue = PlayQueue()
    queue.append(names.map { .file(BytePath("/m/\($0).mp3")) })
    return queue
  }

  /// The names in a playlist, or in the saved one.
  private func tracks(in name: String = "queue.m3u8") -> String {
    let lines = String(decoding: contents(of: folder("deep/state/" + name)), as: UTF8.self).split(separator: "\n")
    let entries = lines.filter { !$0.hasPrefix("#") }
    return entries.map { $0.dropFirst("/m/".count).prefix { $0 != "." } }.joined(separator: " ")
  }

  @Test func `a crashed session becomes the saved one, and the queue before it is kept`() throws {
    let none = files.read()
    #expect(none.record == nil && none.queue == nil && none.complaints == [])
    try files.finish(running, record(0.1), entries("a"), continued: files.queueVersion)
    try running.keep(record(0.2), entries("b"))
    let (found, queue, complaints) = files.read()
    #expect(found == record(0.2) && queue == BytePath(folder("deep/state/queue.m3u8")) && complaints == [])
    #expect(tracks() == "b" && tracks(in: "previous-queue.m3u8") == "a")
    // A run that ends without saving, and one with another queue.
    let quiet = running
    try quiet.keep(record(0.3), entries("c"))
    quiet.remove()
    #expect(files.read().record == record(0.2) && tracks() == "b")
    try files.finish(running, record(0.3), entries("c"), continued: .none)
    #expect(tracks() == "c" && tracks(in: "previous-queue.m3u8") == "b")
  }

  @Test func `the file of a queue has its turns, also after a crash, and the same list is the same queue`() throws {
    var queue = entries(["a", "b", "c"])
    queue.isShuffled = true
    queue.repeatMode = .all
    for _ in 0..<5 { queue.next() }
    queue.insert([.file(BytePath("/m/d.mp3"))], .next)
    queue.insert([.file(BytePath("/m/e.mp3"))], .enqueued)
    try files.finish(running, record(0.1), queue, continued: .none)
    #expect(files.turns() == QueueTurns(of: queue) && files.turns().order?.count == 5 && files.turns().past.count == 3)
    let lines = String(decoding: contents(of: folder("deep/state/queue.m3u8")), as: UTF8.self).split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("/m/") }.count == 5)
    for _ in 0..<3 { queue.next() }
    try running.keep(record(0.2), queue)
    _ = files.read()
    #expect(files.turns() == QueueTurns(of: queue) && tracks(in: "previous-queue.m3u8") == "")
    let damaged = "#EXTM3U\n#SEGUE-ORDER:1 x 99999999999999999999 \n#SEGUE-PAST\n#"
    try write(damaged.utf8, to: folder("deep/state/queue.m3u8"))
    #expect(files.turns().order == [1, -1, -1])
    try write([UInt8](), to: folder("deep/state/queue.m3u8"))
    #expect(files.turns() == QueueTurns())
  }

  @Test func `the parts of tracks that are played are saved`() throws {
    var queue = entries(["a", "b", "c"])
    let parts = [nil, TrackPart(start: MediaTime(milliseconds: 1500), end: nil), nil]
    queue.apply(.choose(parts[1], of: queue.entries[1].id))
    try files.finish(running, record(0.1), queue, continued: .none)
    var restored = entries(["a", "b", "c"])
    files.turns().restore(&restored, turn: 0, seed: nil)
    #expect(restored.entries.map(\.part) == parts)
    try write(
      "#EXTM3U\n#SEGUE-PARTS:9 1 2 -1 0 0 0 -9223372036854775808 99999999999999999999 1 2\n/a\n".utf8,
      to: folder("deep/state/queue.m3u8"))
    restored = entries(["a", "b", "c"])
    files.turns().restore(&restored, turn: 0, seed: nil)
    #expect(restored.entries.map(\.part) == [TrackPart(start: MediaTime(milliseconds: 0), end: nil), nil, nil])
  }

  @Test func `a new order of playing is saved`() throws {
    var time = MonotonicTime.now
    let desk = Desk(
      folders: UserFolders(all: BytePath(folder("home")), home: BytePath(folder("home"))), saver: nil,
      collector: MediaCollector(playableExtensions: []), network: Network(), waveformFolder: nil
    ) {}
    let keeper = SessionSaving(files: files, desk: desk) { time }
    keeper.start(continuing: .none, true)
    var queue = entries(["a", "b", "c"])
    func saved(_ change: (inout PlayQueue) -> Void) -> String {
      change(&queue)
      time += .seconds(5)
      keeper.note(isPlaying: false, record(0.1), queue)
      desk.settleFiles(within: .seconds(60))
      return String(decoding: contents(of: folder("deep/state/running-queue.m3u8")), as: UTF8.self)
    }
    #expect(!saved { _ in }.contains("ORDER"))
    let first = saved { $0.isShuffled = true }
    #expect(first.contains("#SEGUE-ORDER:"))
    #expect(saved { $0.next() } == first)
    let last = queue.entries.firstIndex { $0.id == queue.upcoming(limit: 3).last?.id } ?? 0
    #expect(saved { $0.select(index: last) } != first)
    #expect(!saved { $0.isShuffled = false }.contains("ORDER"))
  }

  @Test func `standard input is not saved, nor its turn`() throws {
    var queue = PlayQueue()
    queue.append([.file(.standardInput), .file(BytePath("/m/a.mp3")), .file(BytePath("/m/b.mp3"))])
    queue.isShuffled = true
    try files.finish(running, record(0.1), queue, continued: .none)
    #expect(Set(files.turns().order ?? []) == [0, 1])
    #expect(!String(decoding: contents(of: folder("deep/state/queue.m3u8")), as: UTF8.self).contains("\n-"))
  }

  @Test func `players at the same time leave each other's files alone`() throws {
    let first = running
    try first.keep(record(0.1), entries("a"))
    let second = running
    try second.keep(record(0.2), entries("b"))
    #expect(files.read().record == nil)
    second.remove()
    try files.finish(running, record(0.3), entries("c"), continued: files.queueVersion)
    #expect(files.read().record == record(0.3) && tracks(in: "running-queue.m3u8") == "a")
    first.remove()
  }

  @Test func `a session that ended leaves no files, although the disk's thread is late`() throws {
    let session = running
    session.remove()
    try session.keep(record(0.1), entries("a"))
    for file in [session.page, session.queue] { #expect(access(file.description, F_OK) != 0) }
    #expect(files.read().record == nil)
  }

  @Test func `more players than there are locks leave each other's files alone`() throws {
    let sessions = (0..<18).map { _ in running }
    for session in sessions { try session.keep(record(0.1), entries("a")) }
    #expect(files.read().record == nil)
    for session in sessions { session.remove() }
  }

  @Test func `a folder that cannot be made is the reason, not the file that is missing in it`() {
    // A file system in which nobody makes folders.
    let file = BytePath("/sys/segue-test/state/session")
    #expect { try SmallFile.write([1], to: file) } throws: { error in
      (error as? ByteIOError).map { $0.errno != ENOENT } == true
    }
  }

  @Test func `a long queue that is saved again replaces nothing`() throws {
    try files.finish(running, record(0.1), entries("a"), continued: .none)
    try files.finish(running, record(0.2), entries("b"), continued: .none)
    #expect(tracks(in: "previous-queue.m3u8") == "a")
    // More than `SmallFile` reads.
    let long = entries(Array(repeating: String(repeating: "x", count: 60), count: 20_000))
    try files.finish(running, record(0.3), long, continued: files.queueVersion)
    #expect(tracks(in: "previous-queue.m3u8") == "a")
    try files.finish(running, record(0.4), long, continued: .none)
    #expect(tracks(in: "previous-queue.m3u8") == "a", "at the end of a session")
    try running.keep(record(0.5), long)
    #expect(files.read().record == record(0.5) && tracks(in: "previous-queue.m3u8") == "a", "after a crash")
  }

  @Test func `of two players that continue the same queue, the last one saves its own, and the other's is kept`() throws
  {
    try files.finish(running, record(0.1), entries("a"), continued: .none)
    let desk = Desk(
      folders: UserFolders(all: BytePath(folder("home")), home: BytePath(folder("home"))), saver: nil,
      collector: MediaCollector(playableExtensions: []), network: Network(), waveformFolder: nil
    ) {}
    let keepers = (0..<3).map { _ in SessionSaving(files: files, desk: desk) }
    for keeper in keepers { keeper.start(continuing: files.queueVersion, true) }
    #expect(keepers[0].finish(record(0.2), entries("b"), saves: true) == nil)
    #expect(tracks() == "b" && tracks(in: "previous-queue.m3u8") == "", "it has continued that of before")
    #expect(keepers[1].finish(record(0.3), entries("c"), saves: true) == nil)
    #expect(files.read().record == record(0.3) && tracks() == "c" && tracks(in: "previous-queue.m3u8") == "b")
    #expect(keepers[2].finish(record(0.4), entries("c"), saves: true) == nil)
    #expect(tracks() == "c" && tracks(in: "previous-queue.m3u8") == "b", "the same queue again replaces nothing")
  }

  /// The result of `body` on a thread for which no file system has locks.
  private func withoutLocks<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
    try limited {
      guard SystemCallFilter(forbidding: [__NR_flock]).enter() else {
        throw ByteIOError(operation: "seccomp", errno: errno)
      }
      return try body()
    }
  }

  @Test func `without locks, too, players leave each other's files alone, and a crashed session is restored`() throws {
    let (found, pages) = try withoutLocks {
      let (first, second) = (running, running)
      try first.keep(record(0.1), entries("a"))
      try second.keep(record(0.2), entries("b"))
      return withExtendedLifetime((first, second)) { (files.read().record, [first.page, second.page]) }
    }
    #expect(found == nil && Set(pages).count == 2)
    // Nobody knows whether a player on another machine still runs.
    let foreign = ["session", "queue.m3u8"].map { folder("deep/state/running-on-elsewhere-" + $0) }
    for file in foreign { try write(record(0.3).bytes, to: file) }
    let restored = try withoutLocks { files.read().record }
    #expect(restored == record(0.1) || restored == record(0.2))
    #expect(Set([tracks(), tracks(in: "previous-queue.m3u8")]) == ["a", "b"])
    for file in foreign { #expect(contents(of: file) == record(0.3).bytes) }
  }

  @Test func `of two crashed sessions the later is restored, and the queue of the other is kept`() throws {
    do {
      let (first, second) = (running, running)
      try second.keep(record(0.2), entries("b"))
      usleep(50_000)
      try first.keep(record(0.1), entries("a"))
    }
    #expect(files.read().record == record(0.1) && tracks() == "a" && tracks(in: "previous-queue.m3u8") == "b")
  }

  @Test func `a crashed session from the time of a wrong clock is restored`() throws {
    try running.keep(record(0.2), entries("b"))
    // The year 2445.
    let time = timespec(tv_sec: 15_000_000_000, tv_nsec: 0)
    try #require(utimensat(AT_FDCWD, folder("deep/state/running-session"), [time, time], 0) == 0)
    #expect(files.read().record == record(0.2) && tracks() == "b")
  }

  @Test func `a session that crashed beside this one is kept at its end`() throws {
    let own = running
    try own.keep(record(0.1), entries("a"))
    try running.keep(record(0.2), entries("b"))
    try files.finish(own, record(0.1), entries("a"), continued: files.queueVersion)
    #expect(files.read().record == record(0.1) && tracks() == "a" && tracks(in: "previous-queue.m3u8") == "b")
  }

  @Test func `a session ends its lock even if a child process has its descriptors`() throws {
    var copy: CInt = -1
    defer { close(copy) }
    do {
      let session = running
      try session.keep(record(0.1), entries("a"))
      // As a fork would, which shares the lock with it.
      withExtendedLifetime(session) {
        copy =
          (3..<1024 as Range<CInt>).first { path(of: $0) == folder("deep/state/running-lock") }.map { dup($0) } ?? -1
      }
    }
    #expect(copy >= 0)
    #expect(files.read().record == record(0.1))
  }

  private func path(of descriptor: CInt) -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  @Test func `a damaged page is set aside, and its queue is restored`() throws {
    try files.finish(running, record(0.1), entries("a"), continued: files.queueVersion)
    try running.keep(record(0.2), entries("b"))
    try write("segue session 1\nposition 4".utf8, to: folder("deep/state/running-session"))
    let (found, _, complaints) = files.read()
    #expect(found == record(0.1) && tracks() == "b")
    #expect(complaints.count == 1 && complaints[0].contains("set aside"))
    #expect(contents(of: folder("deep/state/running-session.damaged")) == Array("segue session 1\nposition 4".utf8))
    try write("segue session 2\nend\n".utf8, to: folder("deep/state/session"))
    let other = files.read()
    #expect(other.record == nil && other.queue != nil && other.complaints.count == 1)
  }

  @Test func `a running session without its queue is ignored`() throws {
    try files.finish(running, record(0.1), entries("a"), continued: files.queueVersion)
    try running.keep(record(0.2), nil)
    #expect(files.read().record == record(0.1) && tracks() == "a")
    #expect(contents(of: folder("deep/state/running-session")).isEmpty)
  }

  @Test func `a queue that could not be written is written with the next session`() throws {
    var time = MonotonicTime.now
    let desk = Desk(
      folders: UserFolders(all: BytePath(folder("home")), home: BytePath(folder("home"))), saver: nil,
      collector: MediaCollector(playableExtensions: []), network: Network(), waveformFolder: nil
    ) {}
    let keeper = SessionSaving(files: files, desk: desk) { time }
    keeper.start(continuing: .none, true)
    let save = {
      time += .seconds(5)
      keeper.note(isPlaying: false, record(0.1), entries("a"))
      desk.settleFiles(within: .seconds(60))
      return desk.take(forClients: false).count
    }
    let queue = folder("deep/state/running-queue.m3u8")
    mkdir(queue, 0o700)
    #expect(save() == 1)
    #expect(keeper.noteFailure("full") != nil)
    rmdir(queue)
    #expect(save() == 0)
    #expect(tracks(in: "running-queue.m3u8") == "a")
    #expect(contents(of: folder("deep/state/running-session")) == record(0.1).bytes)
  }
}
