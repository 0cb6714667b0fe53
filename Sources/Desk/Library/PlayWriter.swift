package import ByteIO
package import Database
package import Library
internal import Threads

/// A heard track, a place in a long one, or the queue for a server, for the library.
package enum PlayRecord: Sendable {
  /// `at`: seconds since 1970.
  case heard(Listen, at: Int64)
  case resume(ResumePoints.Change, at: Int64)
  case queue(QueueMachine.Kept, at: Int64)
  /// Only what could not be written before.
  case retry
}

/// Records plays, resume points and queues, in their order. One that fails waits for the next one, with all that follow,
/// unless the database can never take it. Without a library it records resume points only. On the thread of the plays.
struct PlayWriter {
  private let connection: LibraryConnection
  /// The reason why something could not be written last.
  let failure: Guarded<String?>
  private var waiting: [PlayRecord] = []
  private var hasNewPlaces = false
  /// The reason why a record was given up.
  private var refusal: String?
  private static let waitLimit = 1000

  init(_ connection: LibraryConnection, failure: Guarded<String?>) {
    (self.connection, self.failure) = (connection, failure)
  }

  mutating func record(_ record: PlayRecord) {
    // A newer queue takes the place of one that waits.
    if case .queue(let new, _) = record {
      waiting.removeAll { if case .queue(let old, _) = $0 { old.root == new.root } else { false } }
    }
    waiting = Array((waiting + [record]).suffix(Self.waitLimit))
    do throws(DatabaseError) {
      while let first = waiting.first {
        do throws(DatabaseError) { try write(first) } catch {
          guard error.code == .statement else { throw error }
          refusal = error.description
        }
        waiting.removeFirst()
      }
      if hasNewPlaces {
        try ResumePoints.save(of: connection.open(again: true))
        hasNewPlaces = false
      }
      note(refusal)
    } catch { note(error.description) }
  }

  private func note(_ reason: String?) { failure.withLock { $0 = reason } }

  private mutating func write(_ record: PlayRecord) throws(DatabaseError) {
    switch record {
    case .retry: break
    case .heard(let listen, let time):
      // The listener may have no library.
      guard let path = listen.path, connection.has("catalogue.map") else { return }
      try connection.open(again: true).recordPlay(
        of: path, heard: listen.heard, duration: listen.duration, isSkip: listen.isSkip, at: time)
    case .resume(let change, let time):
      try ResumeStore(connection.open(again: true)).set(change.path, to: change.seconds, at: time)
      hasNewPlaces = true
    case .queue(let kept, let time):
      guard connection.has("catalogue.map") else { return }
      try ServerQueues(connection.open(again: true)).keep(kept.queue, for: kept.root, at: time)
    }
  }
}

extension ResumePoints {
  /// Writes the resume points to the file that the next start reads.
  ///
  /// - Throws: The reason why the database was not read, or the file not written.
  package static func save(of library: MusicLibrary) throws(DatabaseError) {
    let bytes = file(try ResumeStore(library).all())
    do throws(ByteIOError) { try SmallFile.write(bytes, to: path(in: library.folder)) } catch {
      throw DatabaseError(.notWritable, operation: "write", path: path(in: library.folder), reason: error.reason)
    }
  }

  /// The file, in the folder of the library.
  package static func path(in folder: BytePath) -> BytePath { folder.appending(BytePath("resume")) }
}
