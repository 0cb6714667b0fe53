internal import ByteIO
internal import Glibc
internal import Threads

/// A mapped file with the files that are being read, and those on which a reader crashed, for the next start. A program
/// that is killed marks no file.
///
/// Safety: each thread writes to its own slot. Of several scans one after the other, the last has its notes marked.
final class ReadingNotes: @unchecked Sendable {
  /// A slot: the bytes of the path, the thread, 1 after a crash, the path.
  private static let (headByteCount, pathByteLimit, slotCount) = (24, 4096, 64)
  private static let slotByteCount = headByteCount + pathByteLimit
  private let map: UnsafeMutableRawBufferPointer
  /// The files on which a reader crashed.
  let culprits: [BytePath]

  /// Opens or creates the file. If that fails, nothing is recorded.
  init(path: BytePath) {
    let descriptor = path.withCString { open($0, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
    let byteCount = Self.slotByteCount * Self.slotCount
    guard descriptor >= 0, ftruncate(descriptor, off_t(byteCount)) == 0,
      let start = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), start != MAP_FAILED
    else {
      if descriptor >= 0 { close(descriptor) }
      (map, culprits) = (UnsafeMutableRawBufferPointer(start: nil, count: 0), [])
      return
    }
    close(descriptor)
    map = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    culprits = (0..<Self.slotCount).compactMap { slot in
      let place = UnsafeRawPointer(start) + slot * Self.slotByteCount
      let count = place.load(as: UInt64.self)
      guard place.load(fromByteOffset: 16, as: UInt64.self) == 1, 1...UInt64(Self.pathByteLimit) ~= count else {
        return nil
      }
      return BytePath(UnsafeRawBufferPointer(start: place + Self.headByteCount, count: Int(count)).map { $0 })
    }
    _ = memset(start, 0, byteCount)
    crashMap = start
    CrashActions.set({ if let crashMap { ReadingNotes.markCrash(in: crashMap) } }, of: .fileReading)
  }

  deinit {
    guard let start = map.baseAddress else { return }
    // A reader that hung may end after another scan has begun.
    if crashMap == start { crashMap = nil }
    munmap(start, map.count)
  }

  /// Records the file that the calling thread begins to read.
  func note(_ path: BytePath, slot: Int) {
    guard let start = start(of: slot), path.bytes.count <= Self.pathByteLimit else { return }
    path.bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      (start + Self.headByteCount).copyMemory(from: base, byteCount: bytes.count)
    }
    start.storeBytes(of: UInt64(pthread_self()), toByteOffset: 8, as: UInt64.self)
    start.storeBytes(of: UInt64(path.bytes.count), as: UInt64.self)
  }

  /// The calling thread has read its file. After a hang, the slot may be that of another thread.
  func clear(slot: Int) {
    guard let start = start(of: slot), Self.isOwn(start) else { return }
    start.storeBytes(of: 0, as: UInt64.self)
  }

  private static func isOwn(_ slot: UnsafeMutableRawPointer) -> Bool {
    slot.load(fromByteOffset: 8, as: UInt64.self) == UInt64(pthread_self())
  }

  private func start(of slot: Int) -> UnsafeMutableRawPointer? {
    0..<Self.slotCount ~= slot ? map.baseAddress.map { $0 + slot * Self.slotByteCount } : nil
  }

  /// Marks the slot of the crashed thread. Uses only loads and stores, because it runs in a signal handler.
  fileprivate static func markCrash(in map: UnsafeMutableRawPointer) {
    for slot in 0..<slotCount {
      let place = map + slot * slotByteCount
      if place.load(as: UInt64.self) != 0, isOwn(place) { place.storeBytes(of: 1, toByteOffset: 16, as: UInt64.self) }
    }
  }
}

// Safety: a single word; the notes of the last scan, or none.
nonisolated(unsafe) private var crashMap: UnsafeMutableRawPointer?
