internal import Glibc

/// A folder that goes away with its owner.
public final class TemporaryFolder: Sendable {
  /// Where it is.
  public let path: String

  /// Makes it.
  public init() throws {
    var template = Array("/tmp/segue-test.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ChildProcess.Failure("mkdtemp", errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { _ = try? ChildProcess(["rm", "-rf", path]).wait() }

  /// The path of something in it.
  public func callAsFunction(_ name: String) -> String { path + "/" + name }
}

/// The bytes of a file; none where there is no file.
public func contents(of path: String) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return [] }
  defer { close(descriptor) }
  var status = stat()
  fstat(descriptor, &status)
  return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
    while count < buffer.count, case let more = read(descriptor, buffer.baseAddress! + count, buffer.count - count),
      more > 0
    {
      count += more
    }
  }
}

/// Writes a file anew.
public func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { throw ChildProcess.Failure(path, errno) }
  defer { close(descriptor) }
  var rest = Array(bytes)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard count > 0 else { throw ChildProcess.Failure(path, errno) }
    rest = rest.dropFirst(count)
  }
}
