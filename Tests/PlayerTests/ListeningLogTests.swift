import AudioModel
import ByteIO
import Database
import Glibc
import Playback
import SoundServerSupport
import Streaming
import Testing

@testable import Desk
@testable import Library
@testable import Player

struct ListeningLogTests {
  private let folder: TemporaryFolder
  private var music: BytePath { BytePath(folder("music")) }
  private var data: BytePath { BytePath(folder("data")) }

  init() throws { folder = try TemporaryFolder() }

  /// A library of two tracks, with an index.
  private func makeLibrary() throws -> MusicLibrary {
    try #require(mkdir(folder("music"), 0o700) == 0)
    for sound in 1...2 { try write(madeMP3(sound: sound, []), to: folder("music/\(sound).mp3")) }
    let library = try MusicLibrary(folder: data)
    try library.addRoot(music)
    _ = try LibraryScan(library, extensions: ["mp3"]).run()
    _ = try library.view()
    return library
  }

  private var desk: Desk {
    Desk(
      folders: UserFolders(all: BytePath(folder.path), home: BytePath(folder.path)), saver: nil,
      collector: MediaCollector(playableExtensions: []), network: Network(), waveformFolder: nil
    ) {}
  }

  /// Plays a long track for a while, then leaves it.
  private func play(_ number: Int, _ name: String = "1.mp3", in log: ListeningLog) {
    let entry = QueueEntry(id: number, location: .file(music.appending(BytePath(name))))
    var snapshot = PlaybackSnapshot()
    (snapshot.entry, snapshot.state) = (entry, .playing)
    snapshot.information.duration = 3600
    let clock = PlaybackClock(position: 0, referenceTime: .zero, isRunning: true, speed: 1e12)
    snapshot.clock = clock
    log.show(snapshot, [.trackBegan(entry)])
    snapshot.clock.isRunning = false
    snapshot.state = .stopped
    log.show(snapshot, [])
  }

  @Test func `a play that could not be written is written with the next one`() throws {
    _ = try makeLibrary()
    // A folder in the place of the database.
    let (database, aside) = (folder("data/listener.db"), folder("data/aside"))
    try #require(rename(database, aside) == 0 && mkdir(database, 0o700) == 0)
    let log = ListeningLog(folder: data, desk: desk)
    play(1, in: log)
    #expect(log.finish() != nil)
    try #require(rmdir(database) == 0 && rename(aside, database) == 0)
    play(2, in: log)
    #expect(log.finish() == nil)
    let library = try MusicLibrary(folder: data)
    #expect(try library.listener.integer("SELECT sum(plays) FROM recording") == 2)
  }

  @Test func `a play that the database refuses for good does not hold up the next ones`() throws {
    let library = try makeLibrary()
    try library.listener.execute(
      """
      CREATE TRIGGER refusal BEFORE UPDATE ON recording WHEN CAST(OLD.path AS TEXT) LIKE '%/1.mp3'
      BEGIN SELECT RAISE(ABORT, 'no'); END
      """)
    let log = ListeningLog(folder: data, desk: desk)
    play(1, in: log)
    play(2, "2.mp3", in: log)
    #expect(log.finish()?.contains("no") == true)
    #expect(try library.listener.integer("SELECT sum(plays) FROM recording") == 1)
  }
}
