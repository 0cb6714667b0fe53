public import ByteIO
internal import Glibc

/// A file for samples. Opening it is safe: it refuses inputs and files that are not WAVE files, and replaces a WAVE
/// file only on demand, and only when the new file is complete.
public struct WAVEDestination: Sendable {
  /// The file; `-` is standard output.
  public let path: BytePath
  /// True if an existing WAVE file may be replaced.
  public let replacesExisting: Bool
  /// Files that must not be overwritten, under any name or link.
  public var inputs: [BytePath]

  /// Opens the file for a process without permission to write.
  public var opener: (@Sendable (WAVEDestination) throws(ByteIOError) -> WAVEDestinationFile)?

  /// A destination at `path`.
  public init(path: BytePath, replacesExisting: Bool, inputs: [BytePath] = []) {
    (self.path, self.replacesExisting, self.inputs) = (path, replacesExisting, inputs)
  }

  /// Refuses a file that must not be overwritten. Changes nothing.
  public func check() throws(ByteIOError) { _ = try kind() }

  /// Opens the file for writing from its start.
  public func open() throws(ByteIOError) -> WAVEDestinationFile {
    let kind = try kind()
    if case .standardOutput = kind { return WAVEDestinationFile(descriptor: STDOUT_FILENO) }
    if let opener { return try opener(self) }
    switch kind {
    case .standardOutput: return WAVEDestinationFile(descriptor: STDOUT_FILENO)
    case .missing: return WAVEDestinationFile(descriptor: try opened(path, O_CREAT | O_EXCL))
    case .writtenInPlace: return WAVEDestinationFile(descriptor: try opened(path, 0))
    case .replaced(let status): return try openBeside(status)
    }
  }

  /// True if one of the inputs is the same file.
  func isInput() -> Bool {
    var status = stat()
    return path.withCString { stat($0, &status) } == 0 && isInput(status)
  }

  // MARK: Existing files

  private enum Kind {
    case standardOutput, missing
    /// A device, a pipe or an empty file: nothing can be lost.
    case writtenInPlace
    case replaced(stat)
  }

  private func kind() throws(ByteIOError) -> Kind {
    guard path != BytePath("-") else { return .standardOutput }
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0 else {
      guard errno == ENOENT else { throw ByteIOError(operation: "create", errno: errno) }
      return .missing
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return .writtenInPlace }
    if isInput(status) { throw refusal("this file is an input; choose another name") }
    if status.st_size == 0 { return .writtenInPlace }
    guard try isWAVE() else { throw refusal("not a WAVE file; choose another name") }
    guard replacesExisting else { throw refusal("the file exists; --force replaces it") }
    guard path.withCString({ access($0, W_OK) }) == 0 else { throw ByteIOError(operation: "overwrite", errno: errno) }
    return .replaced(status)
  }

  private func refusal(_ reason: String) -> ByteIOError {
    ByteIOError(operation: "overwrite", errno: EEXIST, detail: reason)
  }

  private func isInput(_ status: stat) -> Bool {
    inputs.contains { input in
      var other = stat()
      return input.withCString { stat($0, &other) } == 0 && other.st_dev == status.st_dev
        && other.st_ino == status.st_ino
    }
  }

  /// Checks the first 12 bytes: "RIFF", "RF64" or "BW64", a size, "WAVE".
  private func isWAVE() throws(ByteIOError) -> Bool {
    let descriptor = path.withCString { Glibc.open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw ByteIOError(operation: "overwrite", errno: errno) }
    defer { close(descriptor) }
    var head = [UInt8](repeating: 0, count: 12)
    guard pread(descriptor, &head, 12, 0) == 12 else { return false }
    return ["RIFF", "RF64", "BW64"].contains { head[0..<4].elementsEqual($0.utf8) }
      && head[8..<12].elementsEqual("WAVE".utf8)
  }

  // MARK: Opening

  private func opened(_ path: BytePath, _ flags: Int32, mode: mode_t = 0o666) throws(ByteIOError) -> Int32 {
    let descriptor = path.withCString { Glibc.open($0, O_WRONLY | O_CLOEXEC | flags, mode) }
    guard descriptor >= 0 else { throw ByteIOError(operation: "create", errno: errno) }
    return descriptor
  }

  /// Creates a file beside the old one, which takes its name when it is complete. A link stays a link: its target is
  /// replaced.
  private func openBeside(_ status: stat) throws(ByteIOError) -> WAVEDestinationFile {
    guard let resolved = path.withCString({ realpath($0, nil) }) else {
      throw ByteIOError(operation: "overwrite", errno: errno)
    }
    defer { free(resolved) }
    let bytes = UnsafeBufferPointer(start: resolved, count: strlen(resolved)).map { UInt8(bitPattern: $0) }
    let beside = BytePath(bytes + Array(".\(getpid())~".utf8))
    let descriptor = try opened(beside, O_CREAT | O_TRUNC | O_NOFOLLOW)
    fchmod(descriptor, status.st_mode & 0o777)
    return WAVEDestinationFile(descriptor: descriptor, replacement: Replacement(file: beside, name: BytePath(bytes)))
  }
}

/// A new file beside an old one.
private struct Replacement: Sendable {
  let file: BytePath
  /// The final name of the file.
  let name: BytePath

  func finish() throws(ByteIOError) {
    guard file.move(to: name) else {
      throw ByteIOError(operation: "overwrite", errno: errno)
    }
  }

  func remove() { file.removeFile() }
}

/// An opened `WAVEDestination`. Call either `keep` or `discard`, once.
public struct WAVEDestinationFile: Sendable {
  /// The file for the samples.
  public let descriptor: Int32
  /// True if an old file stays until `keep`.
  public let replacesExisting: Bool
  /// Gives the file its name, or removes it.
  private let finish: @Sendable (_ keeps: Bool) throws(ByteIOError) -> Void

  fileprivate init(descriptor: Int32, replacement: Replacement? = nil) {
    self.init(descriptor: descriptor, replacesExisting: replacement != nil) { keeps throws(ByteIOError) in
      guard keeps else {
        replacement?.remove()
        return
      }
      do throws(ByteIOError) {
        try Self.synchronize(descriptor)
        try replacement?.finish()
      } catch {
        replacement?.remove()
        throw error
      }
    }
  }

  /// A file that another process has opened.
  public init(
    descriptor: Int32, replacesExisting: Bool, finish: @escaping @Sendable (_ keeps: Bool) throws(ByteIOError) -> Void
  ) {
    (self.descriptor, self.replacesExisting, self.finish) = (descriptor, replacesExisting, finish)
  }

  /// Closes the complete file, which replaces an old one.
  public func keep() throws(ByteIOError) {
    do throws(ByteIOError) { try finish(true) } catch {
      close()
      throw error
    }
    guard close() == 0 else { throw ByteIOError(operation: "write", errno: errno) }
  }

  /// Closes the incomplete file. An old one stays unchanged.
  public func discard() {
    try? finish(false)
    close()
  }

  @discardableResult
  private func close() -> Int32 { descriptor > STDERR_FILENO ? Glibc.close(descriptor) : 0 }

  /// Waits until a file is on its disk: a full disk on the network may say so only then.
  private static func synchronize(_ descriptor: Int32) throws(ByteIOError) {
    var status = stat()
    let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    guard isFile, descriptor > STDERR_FILENO else { return }
    guard fsync(descriptor) == 0 else { throw ByteIOError(operation: "write", errno: errno) }
  }
}
