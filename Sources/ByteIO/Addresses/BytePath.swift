/// A file system path as the kernel sees it: bytes in any encoding.
public struct BytePath: Hashable, Sendable, CustomStringConvertible {
  /// The bytes, without a terminating zero.
  public private(set) var bytes: [UInt8]

  /// A path from bytes, up to the first zero byte.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // Looked for before it is cut: a playlist may bring 100,000 paths, none with a zero.
    if let end = bytes.firstOffset(of: 0, in: 0..<bytes.count) { self.bytes.removeSubrange(end...) }
  }

  /// A path from bytes, up to the first zero byte.
  @inlinable
  public init(_ bytes: some Sequence<UInt8>) { self.init(Array(bytes)) }

  /// A path from text, in UTF-8.
  public init(_ text: String) { self.init(Array(text.utf8)) }

  /// The path as text; bytes that are not UTF-8 become U+FFFD.
  public var description: String { String(decoding: bytes, as: UTF8.self) }

  /// As one block: an array hashes byte by byte.
  public func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }

  /// The range of the last component: after the last slash, ignoring trailing slashes.
  private var lastComponentRange: Range<Int> {
    let end = bytes.lastIndex { $0 != UInt8(ascii: "/") }.map { $0 + 1 } ?? 0
    return (bytes[..<end].lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)..<end
  }

  /// The bytes after the last slash, ignoring trailing slashes; empty for `/`.
  public var lastComponent: BytePath { BytePath(bytes[lastComponentRange]) }

  /// The folder that contains it: `.` for a name without a folder.
  public var parent: BytePath {
    var end = lastComponentRange.lowerBound
    while end > 1, bytes[end - 1] == UInt8(ascii: "/") { end -= 1 }
    return end <= 0 ? BytePath(bytes.first == UInt8(ascii: "/") ? "/" : ".") : BytePath(bytes[..<end])
  }

  /// The letters after the last dot of the name, in lower case (ASCII); empty if there is none.
  public var fileExtension: String {
    // A playlist may bring 100,000 paths: no closures, no array in between.
    var end = bytes.count
    while end > 0, bytes[end - 1] == UInt8(ascii: "/") { end -= 1 }
    var dot = end - 1
    while dot > 0, bytes[dot] != UInt8(ascii: "."), bytes[dot] != UInt8(ascii: "/") { dot -= 1 }
    guard dot > 0, bytes[dot] == UInt8(ascii: "."), bytes[dot - 1] != UInt8(ascii: "/") else { return "" }
    let letters = bytes[(dot + 1)..<end]
    return String(unsafeUninitializedCapacity: letters.count) { text in
      for (place, byte) in zip(text.indices, letters) {
        text[place] = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
      }
      return letters.count
    }
  }

  /// True if it starts at the root, or on a server.
  public var isAbsolute: Bool { bytes.first == UInt8(ascii: "/") || isOnServer }

  /// True for a server of music, `segue://NAME`, and for a track on it, `segue://NAME/ID`: the library knows them by
  /// these addresses, which contain no secret.
  public var isOnServer: Bool {
    bytes.first == UInt8(ascii: "s") && bytes.starts(with: "\(WebAddress.serverScheme)://".utf8)
  }

  /// The name of that server.
  public var server: String? { isOnServer ? WebAddress(description).host : nil }

  /// True for a folder itself, and for all below it.
  public func isInside(_ folder: BytePath) -> Bool {
    let base = folder.bytes.last == UInt8(ascii: "/") ? folder.bytes.dropLast() : folder.bytes[...]
    return bytes.starts(with: base) && (bytes.count == base.count || bytes[base.count] == UInt8(ascii: "/"))
  }

  /// The short form that people read: `~` for the home folder, `~/x` for what is in it.
  public func abbreviated(inHome home: BytePath?) -> BytePath {
    guard let home, home.bytes.count > 1, isInside(home) else { return self }
    let slashCount = home.bytes.last == UInt8(ascii: "/") ? 1 : 0
    return BytePath([UInt8(ascii: "~")] + bytes.dropFirst(home.bytes.count - slashCount))
  }

  /// True if a part of it is `..`.
  public var hasDots: Bool { bytes.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) } }

  /// The path of an entry of this folder; an absolute `path` stays as it is.
  public func appending(_ path: BytePath) -> BytePath {
    if path.isAbsolute || bytes.isEmpty { return path }
    return BytePath(bytes + (bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + path.bytes)
  }

  /// Calls `body` with the path as a C string.
  public func withCString<Result, Failure: Error>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let terminated = bytes.map { CChar(bitPattern: $0) } + [0]
    return try terminated.span.withUnsafeBufferPointer { (buffer) throws(Failure) in
      guard let base = buffer.baseAddress else { preconditionFailure("a terminated array has a base") }
      return try body(base)
    }
  }
}
