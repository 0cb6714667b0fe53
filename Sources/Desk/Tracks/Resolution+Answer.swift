internal import AudioModel
internal import ByteIO
internal import Commands
public import Streaming

extension Resolution {
  /// Reads the answer of a program: a JSON object in the form of yt-dlp, or lines of which the first addresses count.
  ///
  /// Throws `.playlist` for a list of other pages, and if the answer has no address on the network.
  public init(answer: [UInt8]) throws(NetworkError) {
    if let object = try? JSON(parsing: answer, allowsHalves: true), case .object = object {
      try self.init(object)
    } else {
      let lines = String(decoding: answer, as: UTF8.self).split(whereSeparator: \.isNewline)
      self.init(lines.map { WebAddress(String($0)) }.filter(\.isHTTP))
    }
    if addresses.isEmpty { throw NetworkError(.unusable, "its answer has no address on the network") }
  }

  private init(_ object: JSON) throws(NetworkError) {
    if let entries = object["entries"]?.elements {
      let pages = entries.prefix(Self.entryLimit).compactMap { entry in
        ["webpage_url", "url"].lazy.compactMap { Self.address($0, in: entry) }.first
      }
      throw pages.isEmpty
        ? NetworkError(.unusable, "its list is empty")
        : NetworkError(.playlist(pages), "a playlist of \(pages.count)")
    }
    // Sound and picture may be apart.
    let parts = [object] + ["requested_downloads", "requested_formats"].flatMap { object[$0]?.elements ?? [] }
    self.init(
      parts.filter { $0["acodec"]?.text != "none" }.compactMap { part in
        guard var address = Self.address("url", in: part) else { return nil }
        let headers = part["http_headers"] ?? object["http_headers"]
        for field in [WebAddress.Field.userAgent, .referrer] {
          // A line break would be another field.
          address.fields[field] = headers?[field.rawValue]?.text?.filter { $0 >= " " && $0 != "\u{7f}" }
        }
        return address
      })
    tags.title = object["track"]?.text ?? object["title"]?.text
    tags.artist = ["artist", "uploader", "channel"].lazy.compactMap { object[$0]?.text }.first
    tags.album = object["album"]?.text
    tags.date = (object["release_date"] ?? object["upload_date"])?.text.flatMap(Self.date)
    tags.chapters = (object["chapters"]?.elements ?? []).prefix(Self.entryLimit).compactMap { chapter in
      guard let start = chapter["start_time"]?.double, start.isFinite, start >= 0 else { return nil }
      return TrackTags.Chapter(start: start, title: chapter["title"]?.text ?? "")
    }
    duration = object["duration"]?.double.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
  }

  private static let entryLimit = 10_000

  /// `20260314` as `2026-03-14`.
  private static func date(_ digits: String) -> String? {
    guard digits.utf8.count == 8, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return "\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.suffix(2))"
  }

  /// The member of an object, if it is an address on the network.
  private static func address(_ name: String, in object: JSON) -> WebAddress? {
    // A bar in it would begin fields.
    object[name]?.text.map { WebAddress($0.replacing("|", with: "%7C")) }.flatMap { $0.isHTTP ? $0 : nil }
  }
}
