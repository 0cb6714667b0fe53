import ByteIO
import Glibc
import SoundServerSupport
import Testing

/// A file of its own, removed at the end.
private final class TemporaryFile {
  let path: BytePath
  private let descriptor: Int32

  init(_ bytes: [UInt8] = []) {
    var name = Array("/tmp/segue-byteio-XXXXXX".utf8CString)
    descriptor = mkstemp(&name)
    path = BytePath(name.dropLast().map { UInt8(bitPattern: $0) })
    append(bytes)
  }

  deinit {
    close(descriptor)
    _ = path.withCString { unlink($0) }
  }

  func append(_ bytes: [UInt8]) { precondition(write(descriptor, bytes, bytes.count) == bytes.count, "disk full") }

  func truncate(to count: Int) { precondition(ftruncate(descriptor, off_t(count)) == 0, "a file can be cut") }
}

struct FileByteSourceTests {
  private func read(_ source: FileByteSource, _ count: Int, at offset: Int64) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0xaa, count: count)
    let read = try bytes.withUnsafeMutableBytes { try source.read(into: $0, at: offset) }
    return Array(bytes[..<read])
  }

  /// The system's error number of opening `path`; 0 where it works.
  private func failure(opening path: BytePath) -> Int32 {
    do throws(ByteIOError) { _ = try FileByteSource(path: path) } catch { return error.errno }
    return 0
  }

  @Test(
    arguments: [
      (0, 4, [0, 1, 2, 3]), (3, 4, [3, 4]), (4, 1, [4]), (5, 4, []), (1_000_000, 1, []), (Int64.max, 1, nil),
      (2, 0, []),
      (-1, 1, nil), (.min, 1, nil),
    ] as [(Int64, Int, [UInt8]?)])
  func `reads return the bytes that exist, nothing past the end, an error before the start`(
    offset: Int64, count: Int, expected: [UInt8]?
  ) throws {
    let file = TemporaryFile([0, 1, 2, 3, 4])
    let source = try FileByteSource(path: file.path)
    #expect(source.byteCount == 5)
    if let expected {
      #expect(try read(source, count, at: offset) == expected)
    } else if offset < 0 {
      #expect(throws: ByteIOError(operation: "read", errno: EINVAL, byteOffset: offset)) {
        try read(source, count, at: offset)
      }
    } else {
      // Some file systems know no such place, others just find nothing there.
      #expect((try? read(source, count, at: offset)) ?? [] == [])
    }
  }

  @Test func `an empty file can be read`() throws {
    let file = TemporaryFile()
    let source = try FileByteSource(path: file.path)
    #expect(source.byteCount == 0)
    #expect(try read(source, 4, at: 0) == [])
  }

  @Test func `a file that grows, shrinks or is removed is read as it is now`() throws {
    var file: TemporaryFile? = TemporaryFile([1, 2])
    let source = try FileByteSource(path: file?.path ?? BytePath(""))
    #expect(try read(source, 4, at: 2) == [])
    file?.append([3, 4])
    #expect(source.byteCount == 4)
    #expect(try read(source, 4, at: 2) == [3, 4])
    file?.truncate(to: 1)
    #expect(source.byteCount == 1)
    #expect(try read(source, 4, at: 0) == [1])
    file = nil
    #expect(try read(source, 4, at: 0) == [1])
  }

  @Test func `special files are refused at once, with the reason`() {
    #expect(failure(opening: BytePath("/tmp")) == EISDIR)
    #expect(failure(opening: BytePath("/dev/null")) == EINVAL)
    #expect(failure(opening: BytePath("/dev/no-such-thing")) == ENOENT)
    #expect(failure(opening: BytePath("")) == ENOENT)
    #expect(failure(opening: BytePath("/dev/null/x")) == ENOTDIR)
    #expect(failure(opening: BytePath(String(repeating: "x", count: 5_000))) == ENAMETOOLONG)
  }

  @Test func `a FIFO without a writer does not hang`() throws {
    let path = BytePath("/tmp/segue-fifo-\(getpid())")
    _ = path.withCString { mkfifo($0, 0o600) }
    defer { _ = path.withCString { unlink($0) } }
    #expect(try limited { failure(opening: path) } == EINVAL)
  }

  @Test func `the writer of a FIFO keeps waiting for a reader, and loses nothing`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/fifo"
    #expect(mkfifo(path, 0o600) == 0)
    let writer = try ChildProcess(["sh", "-c", "printf 0123456789 > \(path)"])
    // Some of these meet the writer while it waits.
    for _ in 0..<100 {
      #expect(failure(opening: BytePath(path)) == EINVAL)
      usleep(1000)
    }
    #expect(String(decoding: contents(of: path), as: UTF8.self) == "0123456789")
    #expect(writer.wait() == 0)
  }

  @Test func `descriptors are given back, whether opening works or not`() throws {
    let file = TemporaryFile([1])
    let before = openDescriptorCount()
    for _ in 0..<2_000 {
      _ = try FileByteSource(path: file.path)
      #expect(failure(opening: BytePath("/tmp")) == EISDIR)
    }
    // Other tests open some at the same time, but not so many.
    #expect(openDescriptorCount() < before + 1_000)
  }

  private func openDescriptorCount() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
  }

  @Test func `any thread may read at the same time`() async throws {
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let file = TemporaryFile(bytes)
    let source = try FileByteSource(path: file.path)
    let agree = await withTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          (0..<200).allSatisfy { round in
            let offset = (task * 7_919 + round * 499) % 99_000
            return (try? read(source, 1_000, at: Int64(offset))) == Array(bytes[offset..<(offset + 1_000)])
          }
        }
      }
      return await group.reduce(true) { $0 && $1 }
    }
    #expect(agree)
    _ = file
  }

  @Test func `errors have operation, reason and place`() {
    let error = ByteIOError(operation: "read", errno: EIO, byteOffset: 4_096)
    #expect(error.description == "cannot read: Input/output error (byte offset 4096)")
    #expect(ByteIOError(operation: "open", errno: ENOENT).description == "cannot open: No such file or directory")
    #expect(ByteIOError(operation: "open", errno: 9_999).description.hasPrefix("cannot open: "))
  }
}
