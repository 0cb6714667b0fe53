/// Bytes that can be read anywhere.
public protocol ByteSource: AnyObject, Sendable {
  /// Total bytes as of now (a file that is still written grows); `nil` if it is not known.
  var byteCount: Int64? { get }

  /// Reads up to `buffer.count` bytes from `offset` on. Returns how many: fewer than asked for is no error, 0 only at
  /// or past the end. May block; any thread.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int

  /// True if any byte can be read now without waiting for all bytes before it.
  var allowsRandomAccess: Bool { get }

  /// True if there is no end: a radio station.
  var isLive: Bool { get }
}

extension ByteSource {
  /// True: bytes of files and memory are there.
  public var allowsRandomAccess: Bool { true }

  /// False: files and memory have an end.
  public var isLive: Bool { false }
}

/// A read or open that failed.
public struct ByteIOError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The operation that failed: `open`, `read`.
  public var operation: String
  /// The system's error number.
  public var errno: Int32
  /// From the start of the source, where it is known.
  public var byteOffset: Int64?
  /// The problem in words, if the system's text for `errno` says too little.
  public var detail: String?

  /// A failure.
  public init(operation: String, errno: Int32, byteOffset: Int64? = nil, detail: String? = nil) {
    self.operation = operation
    self.errno = errno
    self.byteOffset = byteOffset
    self.detail = detail
  }
}
