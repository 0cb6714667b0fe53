import ByteIO
import Glibc

/// A folder of its own, removed with all in it.
final class TemporaryFolder {
  let path: BytePath

  init() {
    var name = Array("/tmp/segue-library-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { preconditionFailure("a temporary folder can be made") }
    path = BytePath(name.dropLast().map { UInt8(bitPattern: $0) })
  }

  deinit { remove(path) }

  subscript(name: BytePath) -> BytePath { path.appending(name) }
  subscript(name: String) -> BytePath { path.appending(BytePath(name)) }

  /// Writes a file, and the folders it needs.
  @discardableResult
  func write(_ name: BytePath, _ bytes: some Sequence<UInt8> = []) -> BytePath {
    let target = path.appending(name)
    makeFolder(target.parent)
    let descriptor = target.withCString { open($0, O_CREAT | O_WRONLY | O_TRUNC, 0o644) }
    let bytes = Array(bytes)
    precondition(Glibc.write(descriptor, bytes, bytes.count) == bytes.count, "\(target) can be written")
    close(descriptor)
    return target
  }

  @discardableResult
  func write(_ name: String, _ text: String = "") -> BytePath { write(BytePath(name), text.utf8) }

  func link(_ name: String, to target: String) {
    _ = self[name].withCString { name in target.withCString { symlink($0, name) } }
  }

  func makeFolder(_ folder: BytePath) {
    if folder.withCString({ access($0, F_OK) }) == 0 { return }
    makeFolder(folder.parent)
    _ = folder.withCString { mkdir($0, 0o755) }
  }

  private func remove(_ path: BytePath) {
    if path.withCString({ unlink($0) }) == 0 { return }
    if let stream = path.withCString({ opendir($0) }) {
      while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { BytePath($0) }
        if name != BytePath("."), name != BytePath("..") { remove(path.appending(name)) }
      }
      closedir(stream)
    }
    _ = path.withCString { rmdir($0) }
  }
}
