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
    var (digest, count) = ([UInt8](repeating: 0, count: 64), 0 as UInt32)
    guard crypto.Digest(bytes, bytes.count, &digest, &count, crypto.md5(), nil) == 1, count == 16 else { return nil }
    return digest.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
