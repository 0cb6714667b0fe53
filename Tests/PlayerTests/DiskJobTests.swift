import ByteIO
import Library
import SoundServerSupport
import Testing

@testable import Commands
@testable import Player

/// Requests of the thread that reads and writes small files.
@Suite struct DiskJobTests {
  private let folder: TemporaryFolder
  private let job: DiskJob

  init() throws {
    folder = try TemporaryFolder()
    let folders = UserFolders(all: BytePath(folder("home")), home: BytePath(folder("home")))
    job = DiskJob(folders: folders, saver: nil, collector: MediaCollector(playableExtensions: []))
  }

  private func history() -> [String] {
    guard case .found(.history(let lines))? = job.perform(.recallHistory(BytePath(folder("history")))) else {
      return []
    }
    return lines
  }

  @Test(arguments: [(1100, 10), (270, 4000)])
  func `of a long history the latest commands are kept, whether they are many or long`(count: Int, length: Int) throws {
    let lines = (0..<count).map { "\($0) " + String(repeating: "x", count: length) }
    try write((lines.joined(separator: "\n") + "\n").utf8, to: folder("history"))
    let found = history()
    #expect(found.count > 200 && found == lines.suffix(found.count))
    let size = contents(of: folder("history")).count
    #expect(size < lines.count * length && size <= SmallFile.limit)
    _ = job.perform(.remember("last", BytePath(folder("history"))))
    #expect(history().last == "last")
  }

  @Test func `without a file there is no history`() { #expect(history() == []) }
}
