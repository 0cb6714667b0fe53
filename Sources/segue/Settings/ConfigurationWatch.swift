internal import ByteIO
internal import Glibc

/// Hears of changes to files of settings (inotify(7)).
final class ConfigurationWatch {
  /// What to poll for POLLIN.
  let descriptor: CInt

  /// `nil` where no folder is there to be watched.
  init?(folders: [BytePath]) {
    descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
    let watched = folders.filter { folder in
      folder.withCString { inotify_add_watch(descriptor, $0, events) } >= 0
    }
    if watched.isEmpty {
      close(descriptor)
      return nil
    }
  }

  deinit { close(descriptor) }

  /// Takes what has happened off the descriptor.
  func silence() {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
    }
  }
}
