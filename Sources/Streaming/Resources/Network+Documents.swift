internal import AudioModel
public import ByteIO
internal import Threads

extension Network {
  /// Fetches a small resource, such as a playlist; blocks. Returns its bytes and its address after redirects. Throws if
  /// there are more than `byteLimit` bytes.
  public func document(
    _ address: String, byteLimit: Int
  ) throws(ByteIOError) -> (bytes: [UInt8], address: WebAddress) {
    try document(address, byteLimit: byteLimit, cookies: CookieJar())
  }

  func document(
    _ address: String, byteLimit: Int, cookies: CookieJar
  ) throws(ByteIOError) -> (bytes: [UInt8], address: WebAddress) {
    let source: NetworkByteSource
    do throws(NetworkError) {
      source = try open(AddressTrail(WebAddress(address)), keeps: true, cookies: cookies)
    } catch {
      throw error.byteIOError("open")
    }
    source.setDeadline(in: configuration.documentLimit)
    try source.waitUntilOpen()
    if source.isLive { throw NetworkError(.unusable, "this is a station, not a playlist").byteIOError("read") }
    var bytes: [UInt8] = []
    var window = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let outcome = window.withUnsafeMutableBytes { window in
        Result { () throws(ByteIOError) in try source.read(into: window, at: Int64(bytes.count)) }
      }
      let count = try outcome.get()
      if count == 0 { return (bytes, source.effectiveAddress) }
      bytes += window[..<count]
      guard bytes.count <= byteLimit else {
        throw NetworkError(.unusable, "this playlist is too long").byteIOError("read")
      }
    }
  }
}
