internal import ByteIO

/// The meaning of a response head, given the request and the kept bytes. Pure.
enum FetchAnswer: Hashable {
  /// Nothing is kept yet: the head describes the resource. `length`: its size, if known.
  case new(length: Int64?)
  /// The requested part follows. `total`: the size of the resource, if the server states it.
  case part(total: Int64?)
  /// The whole resource follows from its first byte, although a part was requested or some bytes are kept.
  case whole
  /// The kept bytes are valid, and this request is needed no longer.
  case unchanged
  /// The kept bytes are valid; the body is empty (304).
  case notModified
  /// A station sends again.
  case rejoined
  /// The resource ends there, where the request began or before.
  case ends(at: Int64)
  /// The server has another version; the kept bytes are stale. The whole resource follows.
  case replaced(length: Int64?)
  /// The server has another version, but only a part of it follows.
  case replacedInPart
  /// The validators differ, the lengths may agree: mirrors of a server may send different validators for the same
  /// bytes.
  case doubtful(length: Int64?)
  /// The range is not the requested one.
  case wrongRange

  /// True if the bytes that follow are useless, so that others are requested before anything can be played.
  var needsRequest: Bool { self == .wrongRange || self == .replacedInPart }

  /// The state of the machine when a head arrives.
  struct Context {
    var record: SpoolRecord
    var transfer: FetchTransfer
    var isOpening: Bool
    var isLive: Bool
    var hasDelivered: Bool
  }

  /// Classifies a head. Throws if the server refuses, or if the body is unusable.
  init(_ head: HTTPResponseHead, _ context: Context) throws(NetworkError) {
    switch head.status {
    case 200: self = Self.whole(head, context)
    case 206: self = Self.part(head, context)
    case 304 where context.transfer.isValidation: self = .notModified
    case 416: self = Self.end(head, context)
    case 408, 429, 500, 502, 503, 504: throw NetworkError(.busy, head.refusal)
    default:
      // A station that has played is missing while it has no source. SHOUTcast has its own status numbers for that.
      let mayPass = head.isICY || context.isLive && !context.isOpening
      throw NetworkError(mayPass ? .busy : .refused(status: head.status), head.refusal)
    }
  }

  private static func whole(_ head: HTTPResponseHead, _ context: Context) -> FetchAnswer {
    if context.isLive, !context.isOpening { return .rejoined }
    let known = context.record
    guard !known.present.isEmpty else { return .new(length: head.contentLength) }
    guard known.allows(head, length: head.contentLength) else {
      return context.isOpening ? .replaced(length: head.contentLength) : .doubtful(length: head.contentLength)
    }
    return context.transfer.isValidation && !known.validator.isEmpty ? .unchanged : .whole
  }

  private static func part(_ head: HTTPResponseHead, _ context: Context) -> FetchAnswer {
    guard !head.isEncoded, let range = head.contentRange, range.bytes?.lowerBound == context.transfer.start
    else { return .wrongRange }
    let known = context.record
    guard known.allows(head, length: range.total) else {
      return context.isOpening ? .replacedInPart : .doubtful(length: range.total)
    }
    return known.present.isEmpty && known.length == nil ? .new(length: range.total) : .part(total: range.total)
  }

  private static func end(_ head: HTTPResponseHead, _ context: Context) -> FetchAnswer {
    let known = context.record
    guard let total = head.contentRange?.total, total <= context.transfer.start, known.allows(head, length: total),
      known.present.ranges.allSatisfy({ $0.upperBound <= total }), context.hasDelivered || context.transfer.start > 0
    else { return .wrongRange }
    return .ends(at: total)
  }
}

extension SpoolRecord {
  /// True if an answer can describe the kept version.
  fileprivate func allows(_ head: HTTPResponseHead, length: Int64?) -> Bool {
    validator.allows(head.validator) && (self.length == nil || length == nil || self.length == length)
  }
}

extension HTTPResponseHead {
  fileprivate var refusal: String {
    let words = reason.isEmpty ? "" : " " + String(reason.prefix(60))
    return "the server answers \(status)\(words)" + (status == 401 && !isICY ? ": \(advice)" : "")
  }

  private var advice: String {
    if address?.userInfo != nil { return "it does not take this name and password" }
    return "put the name and password for \(address?.hostName ?? "it") into ~/.netrc"
  }
}
