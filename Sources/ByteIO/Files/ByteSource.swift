/// Bytes that can be read anywhere.
public protocol ByteSource: AnyObject, Sendable {
  /// The current size (a file may grow while it is written); `nil` if unknown.
  var byteCount: Int64? { get }

  /// Reads up to `buffer.count` bytes from `offset` on. Returns their number: fewer than requested is no error; 0 only
  /// at or after the end. May block; any thread.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int

  /// True if any byte can be read now without waiting for all bytes before it.
  var allowsRandomAccess: Bool { get }

  /// True if there is no end: a radio station.
  var isLive: Bool { get }
}

extension ByteSource {
  /// True: all bytes of files and memory are available.
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
  /// The place from the start of the source, if known.
  public var byteOffset: Int64?
  /// The problem in words, if the system's text for `errno` says too little.
  public var detail: String?

  /// A failure of the system; `byteOffset` counts from the start of the source.
  public init(operation: String, errno: Int32, byteOffset: Int64? = nil, detail: String? = nil) {
    self.operation = operation
    self.errno = errno
    self.byteOffset = byteOffset
    self.detail = detail
  }
}
