import AudioModel
import ByteIO
import CGlibcExtras
import Glibc
import SoundServerSupport
import Streaming
import Testing

/// Noise that is the same in each run.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var random = SeededGenerator(seed: seed)
  return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
    for index in 0..<count { buffer.initializeElement(at: index, to: UInt8(truncatingIfNeeded: random.next())) }
    initialized = count
  }
}

/// As `==`, which takes long in a debug build.
func identical(_ one: [UInt8], _ other: [UInt8]) -> Bool {
  one.count == other.count && memcmp(one, other, one.count) == 0
}

/// A network with short delays between attempts. `limit`: the time limit for a head and for more bytes in seconds, short
/// only in tests of time limits: a busy machine is slow. A connection has a minute, because a failed one is not tried
/// again.
func impatientNetwork(
  cache: TemporaryFolder? = nil, limit: Double = 60, change: (inout NetworkConfiguration) -> Void = { _ in }
) -> Network {
  var configuration = NetworkConfiguration()
  configuration.backOff.firstDelay = .milliseconds(5)
  configuration.backOff.longestDelay = .milliseconds(20)
  configuration.backOff.limit = 6
  configuration.connectLimit = .seconds(60)
  (configuration.headLimit, configuration.stallLimit) = (.seconds(limit * 1.5), .seconds(limit))
  configuration.cacheFolder = cache.map { BytePath($0("cache")) }
  change(&configuration)
  return Network(configuration)
}

/// A file that cannot grow beyond so many bytes: a disk that fills up.
func fullDisk(byteCount: Int) throws -> Int32 {
  let (allowsSeals, addSeals, growSeal): (UInt32, Int32, Int32) = (2, 1033, 4)  // memfd_create(2), fcntl(2)
  let descriptor = memfd_create("disk", allowsSeals)
  try #require(descriptor >= 0)
  try #require(ftruncate(descriptor, byteCount) == 0 && fcntl(descriptor, addSeals, growSeal) == 0)
  return descriptor
}

extension NetworkByteSource {
  /// Up to `count` bytes from `offset` on, in pieces as they arrive; all bytes without a count.
  func bytes(at offset: Int64 = 0, count: Int = .max) throws(ByteIOError) -> [UInt8] {
    var (bytes, place) = ([UInt8](), offset)
    var window = [UInt8](repeating: 0, count: 10_000)
    while bytes.count < count {
      let wanted = min(window.count, count - bytes.count)
      let outcome = window.withUnsafeMutableBytes { window in
        Result { () throws(ByteIOError) in try read(into: .init(rebasing: window[..<wanted]), at: place) }
      }
      let got = try outcome.get()
      if got == 0 { break }
      bytes += window[..<got]
      place += Int64(got)
    }
    return bytes
  }
}

/// Expects two recordings to be equal, without printing them.
func expectSame(
  _ one: [UInt8], _ other: [UInt8], _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
  let isSame = identical(one, other)
  #expect(isSame, comment ?? "\(one.count) bytes and \(other.count)", sourceLocation: sourceLocation)
}
