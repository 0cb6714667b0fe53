internal import AudioModel
internal import CCrypto

/// Decrypts segments (AES-128, RFC 8216 5.2): each by itself, in CBC mode, with PKCS #7 padding.
struct SegmentCipher {
  private static let keyByteCount = 16

  private let key: [UInt8]

  /// A key as the server sent it. Throws if it has another size.
  init(key: [UInt8]) throws(NetworkError) {
    guard key.count == Self.keyByteCount else {
      throw NetworkError(.unusable, "the key of this HLS stream has \(key.count) bytes instead of \(Self.keyByteCount)")
    }
    self.key = key
  }

  /// The vector of a segment without an explicit one: its number.
  static func vector(ofSegment number: Int) -> [UInt8] {
    [UInt8](repeating: 0, count: 8) + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
  }

  /// Decrypts a segment. Throws if the key does not fit it.
  func decrypt(_ bytes: [UInt8], vector: [UInt8]) throws(NetworkError) -> [UInt8] {
    guard let crypto = libcrypto?.pointee, let context = crypto.CIPHER_CTX_new() else {
      throw NetworkError(.libraryMissing, "encrypted HLS: \(Libcrypto.library.complaint)")
    }
    defer { crypto.CIPHER_CTX_free(context) }
    var (count, rest) = (0 as Int32, 0 as Int32)
    let isDone = vector.count == Self.keyByteCount && bytes.count < Int(Int32.max) - Self.keyByteCount
    let plain = [UInt8](unsafeUninitializedCapacity: bytes.count + Self.keyByteCount) { buffer, initialized in
      guard isDone, let start = buffer.baseAddress,
        crypto.DecryptInit_ex(context, crypto.aes_128_cbc(), nil, key, vector) == 1,
        crypto.DecryptUpdate(context, start, &count, bytes, Int32(bytes.count)) == 1,
        crypto.DecryptFinal_ex(context, start + Int(count), &rest) == 1
      else { return }
      initialized = Int(count + rest)
    }
    guard !plain.isEmpty || bytes.count == Self.keyByteCount else {
      throw NetworkError(.unusable, "a segment of this HLS stream does not fit its key")
    }
    return plain
  }
}
