/// A certificate of a server (X.509, RFC 5280), as its bytes. Only its key is looked at. Pure, but for libcrypto.
public struct ServerCertificate: Sendable, Hashable {
  /// DER.
  public let bytes: [UInt8]
  /// The SHA-256 digest of the certificate: 64 hexadecimal digits, as browsers show them, without colons.
  public let fingerprint: String
  /// The SHA-256 digest of the public key with its algorithm, as base64: for libcurl.
  let keyDigest: String

  /// No certificate has more bytes.
  private static let byteLimit = 64 << 10

  /// A certificate; `nil` for other bytes, and if libcrypto is missing.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.byteLimit, let key = Self.key(in: bytes), let digest = Libcrypto.sha256(Array(key)),
      let fingerprint = Libcrypto.sha256(bytes)
    else { return nil }
    (self.bytes, keyDigest) = (bytes, Base64.text(of: digest))
    self.fingerprint = fingerprint.map(\.hexDigits).joined()
  }

  /// A certificate as base64; `nil` for other text.
  public init?(base64 text: String) {
    guard text.utf8.count <= Self.byteLimit * 2, let bytes = Base64.bytes(of: text) else { return nil }
    self.init(bytes)
  }

  /// The bytes as base64.
  public var base64: String { Base64.text(of: bytes) }

  /// A certificate between lines of hyphens (RFC 7468).
  init?(pem: String) {
    let lines = pem.split(whereSeparator: \.isNewline).drop { !$0.hasPrefix("-----BEGIN CERTIFICATE") }
    self.init(base64: lines.dropFirst().prefix { !$0.hasPrefix("-----") }.joined())
  }

  var pem: String {
    let text = Array(base64)
    let lines = stride(from: 0, to: text.count, by: 64).map { String(text[$0..<min($0 + 64, text.count)]) }
    return (["-----BEGIN CERTIFICATE-----"] + lines + ["-----END CERTIFICATE-----", ""]).joined(separator: "\n")
  }

  /// The fingerprint as OpenSSL prints it: `3F:0A:...`.
  public var fingerprintWithColons: String {
    let digits = Array(fingerprint.uppercased())
    return stride(from: 0, to: digits.count, by: 2).map { String(digits[$0..<$0 + 2]) }.joined(separator: ":")
  }

  /// A fingerprint as a person writes it, with or without colons; `nil` if it is none.
  public static func fingerprint(written text: String) -> String? {
    let digits = text.lowercased().filter { $0 != ":" }
    return digits.utf8.count == 64 && digits.allSatisfy { $0.isASCII && $0.isHexDigit } ? digits : nil
  }

  // MARK: DER (X.690)

  private static let (sequence, integer, version) = (UInt8(0x30), UInt8(0x02), UInt8(0xa0))

  /// RFC 5280 4.1: the SubjectPublicKeyInfo of the TBSCertificate, after serial number, signature, issuer, validity and
  /// subject.
  private static func key(in bytes: [UInt8]) -> ArraySlice<UInt8>? {
    guard let certificate = element(sequence, at: bytes[...]), let signed = element(sequence, at: certificate.content)
    else { return nil }
    var rest = signed.content
    if let version = element(version, at: rest) { rest = rest[version.whole.endIndex...] }
    for tag in [integer, sequence, sequence, sequence, sequence] {
      guard let field = element(tag, at: rest) else { return nil }
      rest = rest[field.whole.endIndex...]
    }
    return element(sequence, at: rest)?.whole
  }

  /// The element that bytes begin with, if it has this tag.
  private static func element(
    _ tag: UInt8, at bytes: ArraySlice<UInt8>
  ) -> (whole: ArraySlice<UInt8>, content: ArraySlice<UInt8>)? {
    guard bytes.count >= 2, bytes.first == tag else { return nil }
    var (count, start) = (Int(bytes[bytes.startIndex + 1]), bytes.startIndex + 2)
    if count >= 0x80 {
      // The long form: the number of bytes that have the length.
      let width = count - 0x80
      guard 1...4 ~= width, bytes.endIndex - start >= width else { return nil }
      count = bytes[start..<start + width].reduce(0) { $0 << 8 | Int($1) }
      start += width
    }
    guard bytes.endIndex - start >= count else { return nil }
    return (bytes[bytes.startIndex..<start + count], bytes[start..<start + count])
  }
}

/// The way in which a server's certificate is looked at.
enum CertificateLook: Sendable {
  /// Connects as for a request, which succeeds if the certificate is trusted.
  case trusted
  /// Connects whatever the certificate is, and sends nothing.
  case untrusted
}

extension UInt8 {
  package var hexDigits: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}

/// Base64 (RFC 4648 4).
private enum Base64 {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0..<4 {
        text.append(place <= group.count ? letters[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  static func bytes(of text: String) -> [UInt8]? {
    var (bits, count, bytes) = (0, 0, [UInt8]())
    for letter in text.utf8.prefix(while: { $0 != UInt8(ascii: "=") }) {
      guard let value = letters.firstIndex(of: letter) else { return nil }
      (bits, count) = ((bits << 6 | value) & 0xfff, count + 6)
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    return bytes
  }
}
