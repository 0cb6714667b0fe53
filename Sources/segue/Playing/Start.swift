internal import ByteIO
internal import Library
internal import Player

/// What there is to begin with: what the command line names, or the session before.
struct Start {
  /// The entries of the queue.
  var locations: [MediaLocation] = []
  /// What could not be had.
  var failures: [CollectionFailure] = []
  /// The session before, of which volume and modes come back in any case.
  var record: SessionRecord?
  /// What is wrong with it.
  var complaints: [String] = []
  /// Where the session is kept, if it is.
  let files: SessionFiles?
  /// Whether the queue is the one of the session before.
  let isContinued: Bool
  /// The one input that the queue was loaded from.
  let onlyInput: BytePath?

  init(_ options: PlayOptions, _ files: SessionFiles?, _ collector: MediaCollector) {
    self.files = files
    isContinued = options.inputs.isEmpty
    onlyInput = options.inputs.count == 1 ? options.inputs.first : nil
    if !isContinued {
      let collection = collector.collect(options.inputs)
      (locations, failures) = (collection.entries.map(\.location), collection.failures)
      if locations.isEmpty { return }
    }
    guard let files else { return }
    let (record, queue, complaints) = files.read()
    (self.record, self.complaints) = (record, complaints)
    guard isContinued, record != nil else { return }
    let collection = collector.collect([queue])
    locations = collection.entries.map(\.location)
    // A queue that was empty holds nothing to play.
    failures = collection.failures.filter { $0.reason != .nothingPlayable }
  }
}
