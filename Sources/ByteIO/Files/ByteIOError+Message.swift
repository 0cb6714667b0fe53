internal import Glibc

extension ByteIOError {
  /// True if bytes have not arrived yet, and the call must not wait.
  public var isWait: Bool { errno == EAGAIN }

  /// The system's text for `errno`: `No such file or directory`.
  public var reason: String {
    if let detail { return detail }
    // `FileByteSource`'s own word.
    if operation == "open", errno == EINVAL { return "not a regular file; save the data to a file first" }
    var text = [CChar](repeating: 0, count: 256)
    guard strerror_r(errno, &text, text.count) == 0 else { return "error \(errno)" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// `cannot open: No such file or directory`, with the byte offset where it is known.
  public var description: String {
    "cannot \(operation): \(reason)" + (byteOffset.map { " (byte offset \($0))" } ?? "")
  }
}
