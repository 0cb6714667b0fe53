internal import Glibc

/// A folder that goes away with its owner.
public final class TemporaryFolder: Sendable {
  /// The path.
  public let path: String

  /// Makes it.
  public init() throws {
    var template = Array("/tmp/segue-test.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ChildProcess.Failure("mkdtemp", errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { removeAll(path) }

  /// The path of something in it.
  public func callAsFunction(_ name: String) -> String { path + "/" + name }
}

/// Removes a file, or a folder and all that is in it. Names need not be UTF-8.
public func removeAll(_ path: String) { path.withCString { removeAll($0, in: AT_FDCWD) } }

private func removeAll(_ name: UnsafePointer<CChar>, in parent: Int32) {
  guard unlinkat(parent, name, 0) != 0, errno == EISDIR else { return }
  let descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
  guard let folder = fdopendir(descriptor) else { return }
  defer { closedir(folder) }
  while let entry = readdir(folder) {
    let name = UnsafeRawPointer(entry).advanced(by: MemoryLayout<dirent>.offset(of: \.d_name) ?? 0)
      .assumingMemoryBound(to: CChar.self)
    if strcmp(name, ".") != 0, strcmp(name, "..") != 0 { removeAll(name, in: descriptor) }
  }
  unlinkat(parent, name, AT_REMOVEDIR)
}

/// The bytes of a file; none where there is no file.
public func contents(of path: String) -> [UInt8] {
  guard let file = fopen(path, "re") else { return [] }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var window = [UInt8](repeating: 0, count: 1 << 16)
  while case let count = fread(&window, 1, window.count, file), count > 0 { bytes += window[..<count] }
  return bytes
}

/// Replaces a file.
public func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
  guard let file = fopen(path, "we") else { throw ChildProcess.Failure(path, errno) }
  let bytes = Array(bytes)
  let count = fwrite(bytes, 1, bytes.count, file)
  guard fclose(file) == 0, count == bytes.count else { throw ChildProcess.Failure(path, errno) }
}

/// Copies a file as a program that everybody may run. Another process writes it: children that other tests start would
/// have our file open for writing until they run their program, and the system runs no such file (ETXTBSY).
public func install(_ file: String, as path: String) throws {
  guard try ChildProcess(["install", "-m", "755", file, path]).wait() == 0 else {
    throw ChildProcess.Failure(path, EIO)
  }
}

/// Writes a script that can be run.
public func write(script: String, to path: String) throws {
  try write("#!/bin/sh\n\(script)\n".utf8, to: path + ".text")
  try install(path + ".text", as: path)
}
