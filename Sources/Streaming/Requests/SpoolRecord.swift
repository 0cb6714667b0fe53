/// The facts about a resource that are kept beside its bytes. Pure; on disk it is text, one fact per line:
///
///     segue-spool 1
///     address https://example.org/a.mp3
///     length 123456
///     tag "33a64df5"
///     modified Wed, 21 Oct 2015 07:28:00 GMT
///     type audio/mpeg
///     range 0 65536
struct SpoolRecord: Hashable, Sendable {
  /// Larger sizes and offsets from a server or a playlist are malformed, so that no sum of them overflows.
  static let byteLimit: Int64 = 1 << 56

  /// The address, without user name and password.
  var address: String
  /// Size of the resource, if known.
  var length: Int64?
  /// Validators of the kept version.
  var validator = Validator()
  /// The type from the server.
  var contentType: String?
  /// The bytes that have arrived.
  var present = ByteRanges()

  /// True if all bytes have arrived.
  var isComplete: Bool { length.map { present.end(from: 0) >= $0 } ?? false }

  init(address: String) { self.address = address }

  /// Reads the result of `text`; `nil` for anything else.
  init?(text: String) {
    var lines = text.split(separator: "\n")[...]
    guard lines.popFirst() == "segue-spool 1", lines.popLast() == "end" else { return nil }
    var record = SpoolRecord(address: "")
    for line in lines {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      let value = String(parts[1])
      switch parts[0] {
      case "address": record.address = value
      case "length": record.length = Int64(value)
      case "tag": record.validator.entityTag = value
      case "modified": record.validator.lastModified = value
      case "type": record.contentType = value
      case "range":
        let ends = value.split(separator: " ").map { Int64($0) }
        guard ends.count == 2, let start = ends[0], let end = ends[1], start >= 0, start < end,
          end <= record.length ?? 0
        else { return nil }
        record.present.insert(contentsOf: start..<end)
      default: return nil
      }
    }
    // Only resources with a known length are kept.
    guard let length = record.length, 0...Self.byteLimit ~= length, !record.address.isEmpty else { return nil }
    self = record
  }

  /// The record as it is written. The last line shows that the file is complete.
  var text: String {
    var lines = ["segue-spool 1", "address \(address)"]
    if let length { lines.append("length \(length)") }
    if let tag = validator.entityTag { lines.append("tag \(tag)") }
    if let date = validator.lastModified { lines.append("modified \(date)") }
    if let contentType { lines.append("type \(contentType)") }
    lines += present.ranges.map { "range \($0.lowerBound) \($0.upperBound)" }
    return lines.joined(separator: "\n") + "\nend\n"
  }
}
