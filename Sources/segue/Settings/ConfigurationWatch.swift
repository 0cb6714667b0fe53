internal import ByteIO
internal import Desk
internal import Glibc
internal import Player

/// Watches the files of settings for changes (inotify(7)), even if their folders do not exist yet, or the files are links
/// into other folders.
final class ConfigurationWatch {
  private static let changes = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
  /// A folder, or a parent of it, was created.
  private static let arrivals = UInt32(IN_CREATE | IN_MOVED_TO)

  /// The descriptor to poll for POLLIN.
  let descriptor: CInt
  private let folders: [BytePath]
  private let files: () -> [BytePath]
  /// Watch numbers of the folders that are watched for changes.
  private var watched: Set<CInt> = []
  /// Watch numbers of the parents of folders that do not exist yet.
  private var awaiting: Set<CInt> = []

  /// Returns `nil` if the system has no more watches.
  ///
  /// - Parameter files: The files in these folders, whose links are followed.
  init?(folders: [BytePath], files: @escaping () -> [BytePath] = { [] }) {
    descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    (self.folders, self.files) = (folders, files)
    watch()
  }

  deinit { close(descriptor) }

  /// Watches the folders that exist, and the nearest parents of the others. Returns true if a new folder is watched.
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
    for folder in files().compactMap(Self.folderOfTarget) {
      if let number = add(folder, Self.changes) { watched.insert(number) }
    }
    // Changes in the parents are of no interest any longer.
    for number in past.subtracting(awaiting).subtracting(watched) { inotify_rm_watch(descriptor, number) }
    return !watched.isSubset(of: before)
  }

  /// The folder in which a link ends; `nil` for other files.
  private static func folderOfTarget(_ path: BytePath) -> BytePath? {
    var status = stat()
    guard path.withCString({ lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFLNK,
      let target = path.withCString({ realpath($0, nil) })
    else { return nil }
    defer { free(target) }
    return BytePath(UnsafeBufferPointer(start: target, count: strlen(target)).map { UInt8(bitPattern: $0) }).parent
  }

  /// A folder may be watched for itself and as the parent of another one.
  private func add(_ folder: BytePath, _ events: UInt32) -> CInt? {
    let number = folder.withCString { inotify_add_watch(descriptor, $0, events | UInt32(IN_MASK_ADD)) }
    return number >= 0 ? number : nil
  }

  /// Reads all events from the descriptor. Returns true if files of settings may have changed.
  func takeChanges() -> Bool {
    var hasChanged = false
    takeFileEvents(from: descriptor) { event in
      if event.mask & UInt32(IN_IGNORED) != 0 { watched.remove(event.wd) }
      hasChanged = hasChanged || event.mask & Self.changes != 0 && watched.contains(event.wd)
    }
    // After the events: a removed folder may exist again.
    return watch() || hasChanged
  }
}
