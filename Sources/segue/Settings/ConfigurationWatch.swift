internal import ByteIO
internal import Glibc

/// Hears of changes to files of settings (inotify(7)), also where their folders are yet to be made.
final class ConfigurationWatch {
  private static let changes = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
  /// A folder, or one in which it lies, has come.
  private static let arrivals = UInt32(IN_CREATE | IN_MOVED_TO)

  /// What to poll for POLLIN.
  let descriptor: CInt
  private let folders: [BytePath]
  /// Numbers of the folders that are watched for changes.
  private var watched: Set<CInt> = []
  /// Of those in which others are yet to be made.
  private var awaiting: Set<CInt> = []

  /// `nil` where the system has no more watches.
  init?(folders: [BytePath]) {
    descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    self.folders = folders
    watch()
  }

  deinit { close(descriptor) }

  /// Watches the folders that are there; of others what they are to lie in. Whether one has come.
  @discardableResult
  private func watch() -> Bool {
    let before = watched
    let past = awaiting
    awaiting = []
    for folder in folders {
      if let number = add(folder, Self.changes) {
        watched.insert(number)
        continue
      }
      var above = folder
      while above.parent != above {
        above = above.parent
        if let number = add(above, Self.arrivals) {
          awaiting.insert(number)
          break
        }
      }
    }
    // What others do there wakes nobody any more.
    for number in past.subtracting(awaiting).subtracting(watched) { inotify_rm_watch(descriptor, number) }
    return !watched.isSubset(of: before)
  }

  /// A folder may be watched for itself and for what is to lie in it.
  private func add(_ folder: BytePath, _ events: UInt32) -> CInt? {
    let number = folder.withCString { inotify_add_watch(descriptor, $0, events | UInt32(IN_MASK_ADD)) }
    return number >= 0 ? number : nil
  }

  /// Takes what has happened off the descriptor. Whether files of settings may have changed.
  func takeChanges() -> Bool {
    var hasChanged = false
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while case let count = read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
        var offset = 0
        while offset + MemoryLayout<inotify_event>.size <= count {
          let event = buffer.load(fromByteOffset: offset, as: inotify_event.self)
          offset += MemoryLayout<inotify_event>.size + Int(event.len)
          if event.mask & UInt32(IN_IGNORED) != 0 { watched.remove(event.wd) }
          hasChanged = hasChanged || event.mask & Self.changes != 0 && watched.contains(event.wd)
        }
      }
    }
    // After what was heard of: a folder that went may be back.
    return watch() || hasChanged
  }
}
