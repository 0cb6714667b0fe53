internal import ByteIO

struct TransferRequest: Hashable, Sendable {
  var address: WebAddress
  /// The bytes to request; `nil` requests all, without a range.
  var range: Range<Int64>?
  /// True if the range extends to the end of the resource.
  var isOpenEnded = true
  /// Fields of the request's head.
  var fields: [String] = []
  /// The body of a POST request; `nil` for a GET request.
  var body: [UInt8]?
  /// False asks for the head of the answer only, and follows no redirects.
  var wantsBody = true
  /// Only connects, to see the certificate; `nil` sends the request.
  var look: CertificateLook?

  /// The range in the form of RFC 9110 14.2, without the unit: `500-999`, or `500-`.
  var rangeText: String? {
    range.map { "\($0.lowerBound)-" + (isOpenEnded ? "" : String($0.upperBound - 1)) }
  }
}

extension TransferRequest {
  /// A request for the bytes from `start` to `end`, valid only if the resource has not changed.
  init(_ address: WebAddress, from start: Int64, to end: Int64?, _ validator: Validator) {
    self.init(address: address)
    guard start > 0 || end != nil else { return }
    range = start..<max(start, end ?? .max)
    isOpenEnded = end == nil
    if let validator = validator.forRange { fields = ["If-Range: \(validator)"] }
  }
}

extension Validator {
  /// The header field of a request that succeeds only if the resource has changed; `nil` without a validator.
  var condition: String? {
    entityTag.map { "If-None-Match: \($0)" } ?? lastModified.map { "If-Modified-Since: \($0)" }
  }
}

extension SpoolRecord {
  /// Bytes that are fetched again if only they can show that the resource is still the same.
  private static let overlapByteCount: Int64 = 4096

  /// The first byte to request for the bytes from `offset` on: without a validator, some bytes before them.
  func requestStart(for offset: Int64) -> Int64 {
    guard validator.forRange == nil, let run = present.ranges.last(where: { $0.upperBound == offset }) else {
      return offset
    }
    return max(run.lowerBound, offset - Self.overlapByteCount)
  }
}
