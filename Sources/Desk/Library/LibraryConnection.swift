package import ByteIO
package import Database
internal import Glibc
package import Library
internal import Playback

/// A connection to the library's databases, and the only place that opens them: each thread of the desk that needs one
/// has its own, and so has a shell command. One thread.
package final class LibraryConnection {
  let folder: BytePath
  private let say: ((String) -> Void)?
  private var library: MusicLibrary?

  /// - Parameter say: Takes the notice that a backup took the place of a damaged database; `nil` leaves it to the next
  ///   connection that can say it.
  package init(_ folder: BytePath, say: ((String) -> Void)? = nil) {
    (self.folder, self.say) = (folder, say)
  }

  /// True if the folder has this file. Opening creates the databases, which only the first folder or playlist needs.
  package func has(_ file: String) -> Bool { folder.appending(BytePath(file)).exists }

  /// True if there is a library.
  var exists: Bool { Self.exists(in: folder) }

  /// True if there is a library in this folder.
  package static func exists(in folder: BytePath) -> Bool {
    ["catalogue.map", "catalogue.db", "listener.db"].contains { folder.appending(BytePath($0)).exists }
  }

  /// The library of the last scan; its index alone if its databases cannot be read. Opens the library; blocks.
  static func lastView(in folder: BytePath) -> LibraryView? {
    let connection = LibraryConnection(folder)
    guard connection.has("catalogue.map") else { return nil }
    return (try? connection.open().lastView()) ?? LibraryIndex(folder: folder).map { LibraryView($0) }
  }

  /// The place to which a scan has found a file moved; `nil` where there is none. Opens the library; blocks.
  package static func newPlace(of location: MediaLocation, in folder: BytePath) -> MediaLocation? {
    guard exists(in: folder), let path = location.libraryPath,
      let new = try? LibraryConnection(folder).open().newPath(of: path)
    else { return nil }
    let place = MediaLocation(libraryPath: new)
    return place.fileOnDisk?.exists == true ? place : nil
  }

  /// - Parameter again: True to open a library again that could not be written: it may be writable by now.
  package func open(again: Bool = false) throws(DatabaseError) -> MusicLibrary {
    if let library, !again || library.refusal == nil { return library }
    let opened = try MusicLibrary(folder: folder)
    let notice = RepairNotice(of: opened)
    if let say {
      if let remark = notice.take() { say(remark) }
    } else {
      notice.leave()
    }
    library = opened
    return opened
  }

  /// The next use opens the databases again, which repairs them.
  func close() { library = nil }

  /// Gives back the memory that only work needs.
  func rest() { library?.shrink() }

  /// Makes the backup of the day. Returns a damage; the next time may have room for a backup.
  package func backUp() -> DatabaseError? {
    guard let library else { return nil }
    do throws(DatabaseError) { try ListenerBackups(folder).update(of: library, now: Int64(time(nil))) } catch {
      return error.code == .damaged ? error : nil
    }
    return nil
  }
}

extension LibraryScan {
  /// The servers that a scan includes.
  package enum Servers {
    case none
    /// All, but only what is new there.
    case quickly
    case completely
  }

  /// Scans folders and servers of a library, without any all of them, and keeps the resume points of moved files.
  package static func run(
    _ folders: [BytePath], of library: MusicLibrary, extensions: Set<String>, servers: Servers = .completely,
    isCancelled: @escaping @Sendable () -> Bool = { false },
    willList: @escaping @Sendable (BytePath) -> Void = { _ in }, report: @escaping (ScanProgress) -> Void
  ) throws(DatabaseError) -> ScanTotals {
    let scan = LibraryScan(
      library, extensions: extensions, foreign: .libavformat, isCancelled: isCancelled, willList: willList,
      report: report)
    var totals = try scan.run(folders)
    if servers != .none, !totals.isCancelled {
      let isQuick = servers == .quickly
      totals.add(
        try LibraryServers.scan(folders, of: library, isQuick: isQuick, isCancelled: isCancelled, report: report))
    }
    if totals.hasNewPaths { try ResumePoints.save(of: library) }
    return totals
  }
}

extension ForeignReader {
  /// Reads the formats that only libavformat knows.
  fileprivate static let libavformat = ForeignReader(name: TrackReader.foreignReader) { path in
    do throws(TrackError) { return .success(try TrackReader.information(of: .file(path))) } catch {
      return .failure(ForeignFailure(error.description))
    }
  }
}
