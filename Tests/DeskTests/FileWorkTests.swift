import ByteIO
import Glibc
import Library
import SoundServerSupport
import Streaming
import Testing

@testable import Commands
@testable import Desk

/// Files that the thread of the disk reads and writes.
@Suite struct FileWorkTests {
  private let folder: TemporaryFolder
  private let work: FileWork

  init() throws {
    folder = try TemporaryFolder()
    let folders = UserFolders(all: BytePath(folder("home")), home: BytePath(folder("home")))
    try #require(mkdir(folder("home"), 0o700) == 0 && mkdir(folder("home/state"), 0o700) == 0)
    work = FileWork(folders: folders, saver: nil, collector: MediaCollector(playableExtensions: []))
  }

  private func history() -> [String] {
    guard case .history(let lines)? = work.perform(.history).first else { return [] }
    return lines
  }

  @Test(arguments: [(1100, 10), (270, 4000)])
  func `of a long history the latest commands are kept, whether they are many or long`(count: Int, length: Int) throws {
    let lines = (0..<count).map { "\($0) " + String(repeating: "x", count: length) }
    try write((lines.joined(separator: "\n") + "\n").utf8, to: folder("home/state/history"))
    let found = history()
    #expect(found.count > 200 && found == lines.suffix(found.count))
    let size = contents(of: folder("home/state/history")).count
    #expect(size < lines.count * length && size <= SmallFile.limit)
    #expect(work.perform(.remember("last")) == [])
    #expect(history().last == "last")
  }

  @Test func `a typed token is kept for its owner only`() {
    #expect(work.perform(.keepToken(TypedSecret("a1"))) == [.tokenKept])
    let file = folder("home/state/listens/listenbrainz/token")
    var status = stat()
    #expect(contents(of: file) == Array("a1\n".utf8) && stat(file, &status) == 0 && status.st_mode & 0o077 == 0)
  }

  @Test func `the session and clients ask the same, and each gets its own answer`() {
    let desk = Desk(
      folders: work.folders, saver: nil, collector: work.collector, network: Network(), waveformFolder: nil
    ) {}
    desk.ask(.completions("ho", onlyFolders: true, in: BytePath(folder(""))), from: .client(7))
    desk.ask(.completions("no", onlyFolders: true, in: BytePath(folder(""))), from: .session(request: nil))
    var (session, clients) = ([Reply](), [Reply]())
    let areThere = waitUntil {
      session += desk.take(forClients: false)
      clients += desk.take(forClients: true)
      return session.count + clients.count == 2
    }
    #expect(areThere)
    #expect(session.map { $0.answer } == [.completions([], beginning: "no")])
    #expect(clients.map { $0.answer } == [.completions(["home/"], beginning: "ho")])
    #expect(clients.first?.asker == .client(7))
  }

  @Test func `without a file there is no history`() { #expect(history() == []) }
}
