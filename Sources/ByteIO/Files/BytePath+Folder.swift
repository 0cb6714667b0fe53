internal import Glibc

/// The names in a folder that are not hidden, in no order (`readdir(3)`). Blocks; any thread.
public func namesInFolder(_ folder: BytePath) throws(ByteIOError) -> [[UInt8]] {
  guard let stream = folder.withCString({ opendir($0) }) else { throw ByteIOError(operation: "open", errno: errno) }
  defer { closedir(stream) }
  var names: [[UInt8]] = []
  while true {
    errno = 0
    guard let entry = readdir(stream) else { break }
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      UnsafeRawBufferPointer(start: $0, count: strnlen(UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self), 256))
    }
    if name.first != UInt8(ascii: ".") { names.append(Array(name)) }
  }
  guard errno == 0 else { throw ByteIOError(operation: "read", errno: errno) }
  return names
}

extension BytePath {
  /// The possible meanings of a path in a playlist: as written, with the separators of other systems, in Latin-1, with
  /// the escapes of addresses, and each without blanks at the end.
  public var readings: [BytePath] {
    guard !hasOneReading else { return [self] }
    let slashed = bytes.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
    let texts = [slashed, Array(String(guessing: bytes).utf8), Array(String(guessing: slashed).utf8)]
    let asWritten = [self] + (texts + [bytes[...].removingPercentEscapes]).map(BytePath.init)
    let trimmed = bytes.prefix((bytes.lastIndex { !Self.isBlank($0) } ?? -1) + 1)
    return trimmed.isEmpty || trimmed.count == bytes.count ? asWritten : asWritten + BytePath(trimmed).readings
  }

  /// True if the path can only be meant as written.
  public var hasOneReading: Bool {
    [UInt8(ascii: "\\"), UInt8(ascii: "%")].allSatisfy { bytes.firstOffset(of: $0, in: 0..<bytes.count) == nil }
      && isUTF8(bytes) && bytes.last.map(Self.isBlank) != true
  }

  /// Without the blanks and the quotes around it; `nil` if there are none.
  var bare: BytePath? {
    let signs = "\"' \t".utf8
    let start = bytes.drop { signs.contains($0) }
    let bare = start.prefix(upTo: start.lastIndex { !signs.contains($0) }.map { $0 + 1 } ?? start.startIndex)
    return bare.isEmpty || bare.count == bytes.count ? nil : BytePath(bare)
  }

  /// True if there is a file or a folder.
  public var exists: Bool { withCString { access($0, F_OK) } == 0 }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  /// A file beside this one with the same name, ignoring case and the way in which letters are composed, and one of these
  /// extensions; the first of several.
  /// Blocks; any thread.
  public func sibling(with extensions: Set<String>) -> BytePath? {
    let stem = FileFinder.key(stem)
    let names = ((try? namesInFolder(parent)) ?? []).map { BytePath($0) }
      .filter { extensions.contains($0.fileExtension) && FileFinder.key($0.stem) == stem }
    return names.min { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map(parent.appending)
  }

  /// The name without its extension.
  public var stem: ArraySlice<UInt8> {
    let letters = fileExtension.utf8.count
    return lastComponent.bytes.dropLast(letters > 0 ? letters + 1 : 0)
  }
}

// Changes of files and folders. They block; `errno` is the reason of a failure.
extension BytePath {
  /// Makes this folder and the missing ones above it, which only the user may enter; true if it exists now.
  @discardableResult
  public func makeFolder() -> Bool {
    if withCString({ mkdir($0, 0o700) }) == 0 || errno == EEXIST { return true }
    guard errno == ENOENT, parent != self, parent.makeFolder() else { return false }
    return withCString { mkdir($0, 0o700) } == 0 || errno == EEXIST
  }

  /// Removes a file; true if that worked.
  @discardableResult
  public func removeFile() -> Bool { withCString { unlink($0) } == 0 }

  /// Renames a file or a folder, and replaces a file of the new name; true if that worked.
  @discardableResult
  public func move(to other: BytePath) -> Bool { withCString { old in other.withCString { rename(old, $0) } } == 0 }

  /// Makes a name beside this one for the next version of the file, which nobody else has, also no other thread.
  /// `removeAbandonedFiles` knows such names.
  public func makeTemporaryName() -> BytePath {
    BytePath(bytes + Array(".\(getpid()).\(String(UInt64.random(in: 0 ... .max), radix: 16))~".utf8))
  }
}

/// Removes the temporary files of programs that were killed while they wrote: `NAME.PID.NUMBER~`, with a hexadecimal
/// number. Leaves those of the last minute alone, which may be those of another computer.
///
/// - Parameter names: The names in the folder.
public func removeAbandonedFiles(_ names: [[UInt8]], in folder: BytePath) {
  for name in names where name.last == UInt8(ascii: "~") {
    let parts = String(decoding: name.dropLast(), as: UTF8.self).split(separator: ".").suffix(3)
    guard parts.count == 3, let process = parts.dropLast().last.flatMap({ pid_t($0) }), process > 1,
      let number = parts.last, UInt64(number, radix: 16) != nil
    else { continue }
    var status = stat()
    let file = folder.appending(BytePath(name))
    guard file.withCString({ lstat($0, &status) }) == 0, time(nil) - status.st_mtim.tv_sec > 60,
      kill(process, 0) != 0, errno == ESRCH
    else { continue }
    file.removeFile()
  }
}
