public import ByteIO
internal import CGlibcExtras
internal import Glibc

extension Network {
  /// Begins to read what a location names, if that comes bit by bit: an address, standard input, a FIFO. `nil` for files.
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
      throw NetworkError(.unusable, "standard input is the terminal: nothing is sent to it")
    }
    let descriptor =
      isInput
      ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : path.withCString { Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { throw NetworkError(.unusable, systemWords(errno)) }
    var budget = SpoolBudget(byteLimit: configuration.memoryByteLimit)
    let spool: Spool
    if let onDisk = folder?.namelessSpool() {
      (spool, budget.byteLimit) = (onDisk, max(budget.byteLimit, configuration.cacheByteLimit / 2))
    } else {
      spool = try Spool(inMemoryFor: WebAddress(path.description))
    }
    let resource = NetworkResource(
      WebAddress(path.description), of: self, loop: PipeTransfer(descriptor: descriptor), spool, budget)
    return begin(resource)
  }
}

extension BytePath {
  /// What stands for standard input where a file is named.
  public static let standardInput = BytePath("-")

  /// Whether it is read as it comes, and once: standard input where that is no file, a FIFO, a device.
  public var isPipe: Bool {
    var status = stat()
    let isKnown = self == .standardInput ? fstat(STDIN_FILENO, &status) == 0 : withCString { stat($0, &status) } == 0
    return isKnown && status.st_mode & S_IFMT != S_IFREG && status.st_mode & S_IFMT != S_IFDIR
  }
}
