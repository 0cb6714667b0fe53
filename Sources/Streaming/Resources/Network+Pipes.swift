public import ByteIO
internal import CGlibcExtras
internal import Glibc

extension Network {
  /// Begins to read a location whose bytes arrive over time: an address, standard input, a FIFO. Returns nil for files.
  public func stream(
    at location: MediaLocation, playlists: PlaylistHandling = .follow, from continuation: StreamContinuation? = nil
  ) throws(NetworkError) -> NetworkByteSource? {
    switch location {
    case .url(let address): try open(address, playlists: playlists, from: continuation)
    case .file(let path): path.isPipe ? try openPipe(path) : nil
    case .track: nil
    }
  }

  private func openPipe(_ path: BytePath) throws(NetworkError) -> NetworkByteSource {
    let isInput = path == .standardInput
    if isInput, isatty(STDIN_FILENO) == 1 {
      throw NetworkError(.unusable, "standard input is the terminal; pipe audio into it or name a file")
    }
    let descriptor =
      isInput
      ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : path.withCString { Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { throw NetworkError(.unusable, systemWords(errno)) }
    var byteLimit = configuration.memoryByteLimit
    let spool: Spool
    if let onDisk = folder?.namelessSpool() {
      (spool, byteLimit) = (onDisk, max(byteLimit, configuration.cacheByteLimit / 2))
    } else {
      spool = try Spool()
    }
    return begin(
      NetworkResource(
        pipe: path.description, of: self, transfers: PipeTransfer(descriptor: descriptor), spool, byteLimit: byteLimit))
  }
}

extension BytePath {
  /// The name of standard input in place of a file.
  public static let standardInput = BytePath("-")

  /// True if its bytes arrive once, in order: a FIFO, a device, or standard input that is not a file.
  public var isPipe: Bool {
    var status = stat()
    let isKnown = self == .standardInput ? fstat(STDIN_FILENO, &status) == 0 : withCString { stat($0, &status) } == 0
    return isKnown && status.st_mode & S_IFMT != S_IFREG && status.st_mode & S_IFMT != S_IFDIR
  }
}
