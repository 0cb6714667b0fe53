internal import ByteIO
internal import Desk
internal import Library
internal import Playback
internal import Player

/// The input of a run: the arguments of the command line, or the last session.
struct Start {
  var locations: [MediaLocation] = []
  /// The inputs that could not be read.
  var failures: [CollectionFailure] = []
  /// The last session. Its volume and modes are restored in any case.
  var record: SessionRecord?
  /// The reason why it cannot be restored.
  var complaints: [String] = []
  /// The file of the session; `nil` if none is saved.
  let files: SessionFiles?
  /// True if the queue is the one of the last session.
  let isContinued: Bool
  /// The saved queue, if it was loaded as a whole.
  private(set) var continuedQueue = SessionFiles.QueueVersion.none
  /// The turns of its entries.
  private(set) var turns: QueueTurns?
  /// True if the guide of the first start is shown: it was asked for, or there is neither a session nor a library.
  private(set) var showsSetup: Bool
  /// The only input, from which the queue was loaded.
  let onlyInput: BytePath?
  /// The entry at which the listener left the book that is played.
  private(set) var bookmark: Int?
  private let library: BytePath?

  /// True if there is nothing to play yet, but a library to choose from.
  var hasOnlyLibrary: Bool {
    isContinued && locations.isEmpty && library.flatMap { LibraryIndex(folder: $0) }.map { $0.trackCount > 0 } ?? false
  }

  init(_ options: PlayOptions, _ files: SessionFiles?, _ collector: MediaCollector, library: BytePath?) {
    (self.files, self.library) = (files, library)
    showsSetup = options.showsSetup
    isContinued = options.inputs.isEmpty
    onlyInput = options.inputs.count == 1 ? options.inputs.first : nil
    if !isContinued {
      var collection = collector.collect(options.inputs)
      // Several files were chosen by hand.
      if onlyInput != nil || options.match != nil { collection.findBookmark(in: library) }
      bookmark = collection.bookmark
      (locations, failures) = (collection.entries.map(\.location), collection.failures)
      if locations.isEmpty { return }
    }
    guard let files else { return }
    let (record, queue, complaints) = files.read()
    (self.record, self.complaints) = (record, complaints)
    let hasLibrary = library.map { folder in LibraryConnection.exists(in: folder) } ?? true
    if isContinued, !options.isDaemon, !hasLibrary, record == nil, queue == nil, complaints.isEmpty {
      showsSetup = true
    }
    guard isContinued, let queue else { return }
    // Before it is read: another player may replace it at any time.
    let version = files.queueVersion
    let collection = collector.collect([queue])
    locations = collection.entries.map(\.location)
    // An empty queue has nothing to play.
    failures = collection.failures.filter { $0.reason != .nothingPlayable }
    turns = files.turns()
    if failures.isEmpty { continuedQueue = version }
  }
}

extension Start {
  /// The first track behind a book that begins a folder of music only because its name sorts first; `nil` where the first
  /// entry is meant.
  func firstMusic(besides inputs: [BytePath]) -> Int? {
    guard let first = locations.first, isSpoken(first), !inputs.contains(where: { $0 == first.fileOnDisk }) else {
      return nil
    }
    return locations.firstIndex { !isSpoken($0) }
  }
}

/// True for a file whose name says that it is a book or a podcast.
private func isSpoken(_ location: MediaLocation) -> Bool {
  guard let path = location.fileOnDisk else { return false }
  return path.fileExtension == "m4b" || isSpokenPath(path.parent)
}
