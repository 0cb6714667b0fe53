import AudioModel
import ByteIO
import Glibc
import Library
import SoundServerSupport
import Testing
import Threads

@testable import Desk

/// The watch over the folders of the library.
struct FolderWatchTests {
  @Test func `a file that comes after its folder was listed is reported, although the scan still runs`() throws {
    let folder = try TemporaryFolder()
    for name in ["data", "music"] { try #require(mkdir(folder(name), 0o700) == 0) }
    let library = try MusicLibrary(folder: BytePath(folder("data")))
    _ = try library.addRoot(BytePath(folder("music")))
    let reports = Mailbox<Void>()
    let watch = try #require(FolderWatch { reports.post(()) })
    let scan = LibraryScan(
      library, extensions: ["mp3"],
      willList: { path in
        watch.add(path)
        try? write(madeMP3(sound: 1), to: folder("music/listed.mp3"))
      },
      report: { _ in try? write(madeMP3(sound: 2), to: folder("music/late.mp3")) })
    #expect(try scan.run().found == 1)
    let isReported = !reports.take(until: .now + .seconds(60)).isEmpty
    #expect(isReported && watch.isComplete)
    #expect(try LibraryScan(library, extensions: ["mp3"]).run().read == 1)
  }
}
