public import AudioModel
internal import CCrypto

/// libcrypto's functions; `nil` if it is not installed. The first use loads it.
///
/// Safety: points to a table that never changes after it was loaded.
nonisolated(unsafe) let libcrypto = segue_crypto_load()

/// libcrypto's digests.
public enum Libcrypto {
  /// The library's file and package. Loads it. Any thread.
  public static var library: SharedLibrary {
    SharedLibrary(SEGUE_CRYPTO, functions: UnsafeRawPointer(libcrypto))
  }

  /// The MD5 digest (RFC 1321) as 32 hexadecimal digits; `nil` if the library is not installed. Any thread.
  public static func md5(_ bytes: [UInt8]) -> String? {
    guard let crypto = libcrypto?.pointee else { return nil }
    return digest(bytes, crypto.md5(), 16)?.map(\.hexDigits).joined()
  }

  /// The SHA-256 digest (FIPS 180-4); `nil` if the library is not installed. Any thread.
  static func sha256(_ bytes: [UInt8]) -> [UInt8]? {
    guard let crypto = libcrypto?.pointee else { return nil }
    return digest(bytes, crypto.sha256(), 32)
  }

  private static func digest(_ bytes: [UInt8], _ kind: OpaquePointer, _ size: Int) -> [UInt8]? {
    var (digest, count) = ([UInt8](repeating: 0, count: 64), 0 as UInt32)
    guard libcrypto?.pointee.Digest(bytes, bytes.count, &digest, &count, kind, nil) == 1, count == size else {
      return nil
    }
    return Array(digest.prefix(size))
  }
}
