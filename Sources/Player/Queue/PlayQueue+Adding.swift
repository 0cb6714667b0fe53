internal import ByteIO
internal import Commands
internal import Playback
internal import Streaming

extension PlayQueue {
  /// Adds media. Returns the entry that is to be played at once.
  mutating func add(_ locations: [MediaLocation], _ destination: Command.Destination) -> QueueEntry? {
    switch destination {
    case .turn(let placement):
      insert(locations, placement)
      return nil
    case .now:
      // The same again: its entries are there.
      if let index = index(ofRun: locations) { return entries[index] }
      let places = insertNext(locations)
      return entries[places.lowerBound]
    case .whole:
      apply(.replace(locations))
      // As if the listener chose it: a stop after the track is not meant for the one before.
      var ahead = self
      return isShuffled ? ahead.next() : entries.first
    }
  }
}
