/// Puts titles between the bytes of a stream, for one client: ICY metadata, at fixed intervals. Pure.
public struct StreamTitles: Sendable {
  /// Bytes of the stream between two titles.
  public static let interval = 16000

  private var rest = interval
  private var sent: String?

  public init() {}

  /// The bytes as they are sent, with the title where one is due: a block without text if it is the same as before.
  public mutating func insert(_ title: String, into bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 100 + 300)
    var left = bytes[...]
    while left.count >= rest {
      result += left.prefix(rest)
      left = left.dropFirst(rest)
      rest = Self.interval
      result += title == sent ? [0] : Self.block(title)
      sent = title
    }
    result += left
    rest -= left.count
    return result
  }

  /// A byte with the length in 16 bytes, then the text, filled up with zeros.
  private static func block(_ title: String) -> [UInt8] {
    // An apostrophe with a semicolon would end the title.
    let safe = title.replacing("';", with: "’;")
    var text = Array("StreamTitle='".utf8) + safe.utf8.prefix(4000)
    while let last = text.last, last >= 0x80, String(validating: text, as: UTF8.self) == nil { text.removeLast() }
    text += "';".utf8
    let count = (text.count + 15) / 16
    return [UInt8(clamping: count)] + text + [UInt8](repeating: 0, count: count * 16 - text.count)
  }
}
