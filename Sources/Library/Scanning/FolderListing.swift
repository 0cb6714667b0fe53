internal import ByteIO
internal import Glibc

/// The folders and the playable files in a folder, without hidden ones.
struct FolderListing: Sendable {
  struct File: Sendable {
    var name: [UInt8]
    var stamp: FileStamp
    /// True for a symbolic link, unless the file system does not say so.
    var isLink: Bool
    /// True if the file has several names, each of which is as good as the others (link(2)).
    var hasOtherNames: Bool
  }

  /// A file with the name of a playable one that the system could not look up now.
  struct UnreadFile: Sendable {
    var name: [UInt8]
    var error: ByteIOError
  }

  var files: [File] = []
  var sheets: [Sheet] = []
  /// The names of files that are not among `files`, because cue sheets divide them.
  var divisions: [[UInt8]] = []
  var unread: [UnreadFile] = []
  var folders: [[UInt8]] = []
  /// The folder itself.
  var stamp: FileStamp
  /// True if it has no entries except hidden ones.
  var isEmpty = true

  /// Reads a folder. Follows links.
  init(_ path: BytePath, extensions: Set<String>) throws(ByteIOError) {
    guard let stream = path.withCString({ opendir($0) }) else { throw ByteIOError(operation: "open", errno: errno) }
    defer { closedir(stream) }
    var status = stat()
    guard fstat(dirfd(stream), &status) == 0 else { throw ByteIOError(operation: "open", errno: errno) }
    stamp = FileStamp(status)
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let kind = entry.pointee.d_type
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        UnsafeRawBufferPointer(start: $0, count: strnlen(UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self), 256))
      }
      guard name.first != UInt8(ascii: ".") else { continue }
      isEmpty = false
      if kind == UInt8(DT_DIR) {
        folders.append(Array(name))
        continue
      }
      let isLink = kind == UInt8(DT_LNK)
      let isPlayable = Self.hasExtension(name, of: extensions)
      let isSheet = !isPlayable && Self.hasExtension(name, of: ["cue"])
      guard isLink || kind == UInt8(DT_UNKNOWN) || kind == UInt8(DT_REG) && (isPlayable || isSheet) else { continue }
      let found = withUnsafePointer(to: &entry.pointee.d_name) {
        fstatat(dirfd(stream), UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self), &status, 0)
      }
      guard found == 0 else {
        let error = ByteIOError(operation: "read", errno: errno)
        switch Self.meaning(of: error.errno, isLink: isLink, isPlayable: isPlayable) {
        case .gone: break
        // To list it fails, too, and so only what is below it counts as unreadable.
        case .folder: folders.append(Array(name))
        case .file:
          unread.append(UnreadFile(name: Array(name), error: error))
          // It may be a folder all the same.
          if kind != UInt8(DT_REG) { folders.append(Array(name)) }
        case .forbidden: throw error
        }
        continue
      }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: folders.append(Array(name))
      case S_IFREG where isPlayable:
        files.append(
          File(
            name: Array(name), stamp: FileStamp(status), isLink: isLink, hasOtherNames: status.st_nlink > 1))
      case S_IFREG where isSheet: sheets.append(Sheet(name: Array(name), stamp: FileStamp(status)))
      default: break
      }
    }
    guard errno == 0 else { throw ByteIOError(operation: "read", errno: errno) }
  }

  /// An entry that cannot be looked up.
  enum Unreadable {
    /// It was removed meanwhile, or is a link that leads nowhere.
    case gone
    /// It may be a folder: a link to a disk that does not answer, for instance.
    case folder
    /// It has the name of a playable file.
    case file
    /// It has the name of a playable file, and no file of this folder may be looked up.
    case forbidden
  }

  static func meaning(of error: Int32, isLink: Bool, isPlayable: Bool) -> Unreadable {
    let isGone = error == ENOENT || error == ELOOP || isLink && [ENOTDIR, EACCES, ENAMETOOLONG].contains(error)
    guard !isGone else { return .gone }
    guard isPlayable else { return .folder }
    return error == EACCES ? .forbidden : .file
  }

  private static func hasExtension(_ name: UnsafeRawBufferPointer, of extensions: Set<String>) -> Bool {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0, name.count - dot - 1 <= 8 else { return false }
    var text = ""
    for byte in name[(dot + 1)...] { text.unicodeScalars.append(Unicode.Scalar(lowercased(byte))) }
    return extensions.contains(text)
  }
}

/// The result of the check of a root before its scan. Nothing below a root that is away is changed.
enum RootCheck: Equatable {
  case here
  case away(String)

  /// - Parameters:
  ///   - known: The disk when it was scanned last; `nil` before the first scan.
  ///   - disk: The disk now; `nil` if the folder cannot be read, for the reason `failure`.
  ///   - isEmpty: True if the folder has no entries.
  ///   - hadFiles: True if files are known below it.
  ///   - hasKnownFile: True if one of the known files is there.
  init(
    known: DiskFacts?, disk: DiskFacts?, failure: String, isEmpty: Bool, hadFiles: Bool, hasKnownFile: Bool
  ) {
    guard let disk else {
      self = .away(failure)
      return
    }
    guard hadFiles else {
      self = .here
      return
    }
    if isEmpty {
      self = .away("the folder is empty: is the disk mounted?")
    } else if let known, known.filesystem != disk.filesystem, known.device != disk.device, !hasKnownFile {
      self = .away("another disk is mounted here")
    } else {
      self = .here
    }
  }
}
