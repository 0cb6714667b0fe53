internal import CGlibcExtras
internal import Glibc

// Answers that never wait for a disk or a server.
extension FileByteSource {
  /// Reads the bytes that are in memory, as `read(into:at:)`; `nil` if that might have to wait, or the file system
  /// cannot tell.
  public func readNow(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int? {
    var part = segue_iovec(base: buffer.baseAddress, count: buffer.count)
    let count = segue_preadv2(descriptor, &part, 1, offset, SEGUE_RWF_NOWAIT)
    return count < 0 ? nil : count
  }

  /// The size and the seconds since the last change, as far as the kernel knows them.
  public var knownFacts: (byteCount: Int64, age: Double)? {
    var facts = segue_statx()
    var now = timespec()
    guard segue_statx(descriptor, "", SEGUE_STATX_FLAGS, SEGUE_STATX_BASIC, &facts) == 0,
      clock_gettime(CLOCK_REALTIME, &now) == 0, let byteCount = Int64(exactly: facts.size)
    else { return nil }
    return (byteCount, Double(now.tv_sec) - Double(facts.modified.seconds))
  }
}
