internal import AudioModel
internal import ByteIO
internal import Glibc
internal import Library
internal import Threads

/// Reports changes in folders: new, changed, renamed and removed files (inotify(7)). Its thread sleeps until something
/// changes. Changes by other computers on network file systems are not reported.
final class FolderWatch: Sendable {
  private static let changes = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE)
  /// A report waits until nothing has changed for so many milliseconds, but no longer than `patience`: an album comes
  /// file by file.
  private static let (quiet, patience) = (CInt(1500), TimeSpan.seconds(30))

  private let descriptor: CInt
  private let ignored: [BytePath]
  private let hasMissed = Guarded(false)

  /// Returns `nil` if the system has no more watches.
  ///
  /// - Parameters:
  ///   - ignored: Folders that are not watched, nor those in them.
  ///   - report: Called on the thread of the watch, once per burst of changes.
  init?(ignoring ignored: [BytePath] = [], report: @escaping @Sendable () -> Void) {
    self.ignored = ignored
    descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    _ = WorkerThread(named: "folders") { [descriptor] in
      while true {
        guard Self.takeEvents(descriptor, timeout: -1) == true else { continue }
        let end = MonotonicTime.now + Self.patience
        while .now < end, Self.takeEvents(descriptor, timeout: Self.quiet) != nil {}
        report()
      }
    }
  }

  /// Watches a folder, too. Any thread.
  func add(_ folder: BytePath) {
    guard !ignored.contains(where: { folder == $0 || folder.isBelow($0) }) else { return }
    let number = folder.withCString { inotify_add_watch(descriptor, $0, Self.changes | UInt32(IN_ONLYDIR)) }
    if number < 0, errno == ENOSPC || errno == ENOMEM { hasMissed.withLock { $0 = true } }
  }

  /// False if a folder is not watched, because the system has no more watches.
  var isComplete: Bool { !hasMissed.withLock { $0 } }

  /// Waits for events and takes them: true if one is a change, `nil` if none came. A file that was created counts as changed when it has been
  /// written.
  private static func takeEvents(_ descriptor: CInt, timeout: CInt) -> Bool? {
    var files = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&files, 1, timeout) > 0 else { return nil }
    var hasChanges = false
    takeFileEvents(from: descriptor) { event in
      let isNewFile = event.mask & UInt32(IN_CREATE) != 0 && event.mask & UInt32(IN_ISDIR) == 0
      hasChanges = hasChanges || event.mask & UInt32(IN_IGNORED) == 0 && !isNewFile
    }
    return hasChanges
  }
}
