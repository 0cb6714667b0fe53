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
    let bytes = try source.bytes(in: 0..<Int64.max, byteLimit: byteLimit, of: "this playlist")
    return (bytes, source.effectiveAddress)
  }
}

extension NetworkByteSource {
  /// The bytes of a range, as far as there are any; blocks. Throws if they are more than `byteLimit`, in a sentence about
  /// `part`.
  func bytes(in range: Range<Int64>, byteLimit: Int, of part: String) throws(ByteIOError) -> [UInt8] {
    var bytes: [UInt8] = []
    var window = [UInt8](repeating: 0, count: 1 << 16)
    while case let place = range.lowerBound + Int64(bytes.count), place < range.upperBound {
      if range.upperBound - place < Int64(window.count) { window.removeSubrange(Int(range.upperBound - place)...) }
      let count = try read(into: &window, at: place)
      if count == 0 { break }
      bytes += window[..<count]
      guard bytes.count <= byteLimit else { throw NetworkError(.unusable, "\(part) is too long").byteIOError("read") }
    }
    return bytes
  }
}
