public import ByteIO
internal import Glibc

/// Writes to a descriptor: everything, or an error.
public struct FileWriter {
  public let descriptor: Int32

  public init(descriptor: Int32) { self.descriptor = descriptor }

  /// A line can be written without waiting for a reader that has stopped reading (`PIPE_BUF` bytes, in a pipe).
  public var isReady: Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&state, 1, 0) != 0
  }

  public func write(_ bytes: [UInt8]) throws(ByteIOError) {
    // Typed throws do not pass through `withUnsafeBytes` of an array.
    try bytes.withUnsafeBytes { buffer in Result { () throws(ByteIOError) in try write(buffer) } }.get()
  }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(ByteIOError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw ByteIOError(operation: "write", errno: errno)
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }
}
