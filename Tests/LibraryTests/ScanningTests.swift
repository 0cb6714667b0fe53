import ByteIO
import Glibc
import Testing

@testable import Library

@Suite struct `Walking folders and reading files` {
  private let folder = TemporaryFolder()

  private func walk(_ walk: FolderWalk) -> [String] {
    var names: [String] = []
    while let steps = walk.next() { names += steps.map { $0.folder.description } }
    return names
  }

  @Test func `each folder comes once, in natural order, more of them than may wait`() {
    for number in 1...600 { folder.write("\(number)/inner/a.mp3") }
    folder.link("601", to: folder["1"].description)
    folder.link("5/inner/round", to: folder.path.description)
    let expected = [""] + (1...600).flatMap { ["\($0)", "\($0)/inner"] }
    let first = FolderWalk(folder.path, visited: [], extensions: ["mp3"])
    #expect(walk(first) == expected)
    #expect(walk(FolderWalk(folder.path, visited: first.visited, extensions: ["mp3"])) == [], "known by the first walk")
  }

  @Test func `a folder that cannot be listed gives its error, and a walk that is closed ends`() throws {
    let gone = FolderWalk(folder["gone"], visited: [], extensions: [])
    var failures: [Int32] = []
    while let steps = gone.next() {
      for step in steps { if case .failure(let error) = step.listing { failures.append(error.errno) } }
    }
    #expect(failures == [ENOENT])
    for number in 1...600 { folder.write("\(number)/a.mp3") }
    let closed = FolderWalk(folder.path, visited: [], extensions: ["mp3"])
    closed.close()
    #expect(walk(closed).count < 600)
  }

  @Test func `the number of an inode may be any 64 bits`() {
    var status = stat()
    (status.st_dev, status.st_ino) = (.max, .max)
    #expect(FileStamp(status).identity == FileIdentity(device: .max, inode: .max))
  }

  @Test func `links that lead nowhere are left out`() throws {
    folder.write("a.mp3")
    folder.link("b.mp3", to: "gone")
    folder.link("c.mp3", to: "c.mp3")
    folder.link("d.mp3", to: "a.mp3/d")
    let listing = try FolderListing(folder.path, extensions: ["mp3"])
    #expect(listing.files.map(\.name) == [Array("a.mp3".utf8)])
  }

  @Test func `a link to a disk that does not answer is listed as a folder, and makes no other one unreadable`() {
    for error in [ENOTCONN, ESTALE, EIO, EHOSTDOWN] {
      #expect(FolderListing.meaning(of: error, isLink: true, isPlayable: false) == .folder)
      #expect(FolderListing.meaning(of: error, isLink: true, isPlayable: true) == .file)
      #expect(FolderListing.meaning(of: error, isLink: false, isPlayable: true) == .file)
    }
    for error in [ENOENT, EACCES] {
      #expect(FolderListing.meaning(of: error, isLink: true, isPlayable: false) == .gone)
    }
    #expect(FolderListing.meaning(of: EACCES, isLink: false, isPlayable: true) == .forbidden)
  }

  @Test(.enabled(if: geteuid() != 0, "the system refuses nothing to root"))
  func `a folder whose files cannot be looked up cannot be read`() {
    folder.write("inner/a.mp3")
    let inner = folder["inner"]
    _ = inner.withCString { chmod($0, 0o444) }
    defer { _ = inner.withCString { chmod($0, 0o755) } }
    #expect(throws: ByteIOError.self) { try FolderListing(inner, extensions: ["mp3"]) }
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 200_000]) func `a scanned file has the bytes of the file`(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31 >> 3) }
    let source = try ScannedFile(path: folder.write(BytePath("file"), bytes), head: ScannedFile.HeadBuffer())
    #expect(source.byteCount == Int64(count))
    var (read, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 7_001))
    while true {
      let part = try buffer.withUnsafeMutableBytes { buffer throws(ByteIOError) in
        try source.read(into: buffer, at: Int64(read.count))
      }
      if part == 0 { break }
      read += buffer[..<part]
    }
    #expect(read == bytes)
  }
}
