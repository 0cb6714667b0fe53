internal import AudioModel
internal import AudioOutput
internal import SignalProcessing

// What is done to the sound while it plays. A change is heard as soon as the device can be told: what it has not played
// yet is taken back and read again, from the very frame on at which it was taken back.
extension Feeder {
  /// Changes gain, equaliser or balance.
  func changeSound(_ change: (inout SoundSettings) -> Void) {
    let before = sound
    change(&sound)
    if sound != before { readAgain() }
  }

  /// Changes the speed, as far as it goes.
  func changeSpeed(_ value: Double) {
    guard !value.isNaN else { return }
    let before = speed
    speed = max(0.5, min(2, value))
    guard speed != before else { return }
    recallQueue()
    guard let queue else { return }
    applySpeed(to: queue)
    if speed != before { readAgain() }
  }

  /// Lets a queue play at the speed that is wanted; says so where it cannot.
  func applySpeed(to queue: AudioQueue) {
    do throws(AudioQueueError) { try queue.setRate(speed) } catch {
      notices.append(.soundUnchanged(message: error.description))
      speed = queue.rate
    }
  }

  /// What is left to be heard meanwhile: reading takes some milliseconds, on a busy machine more.
  private static var readingSeconds: Double { 0.25 }

  /// Takes back what is queued and not heard yet, and goes on reading there.
  private func readAgain() {
    // What is not queued yet, or is to be dropped, will be read with the new sound anyway.
    guard move == nil, !dropsQueued else { return }
    recallQueue()
    guard let queue, !timeline.segments.isEmpty else { return }
    let time = queue.takeBack(leaving: Self.readingSeconds)
    queueEnd = time
    guard let place = timeline.place(atQueueFrame: time) else { return }
    timeline.keep(first: place.index + 1)
    do throws(TrackError) {
      let frame = try place.track.seek(toFrame: place.frame, sound)
      reading = place.track
      entering = frame == place.frame ? nil : frame
      announcesTrack = false
    } catch { return fail(place.track.entry, error) }
    // The next track, of which some was queued already, will be opened again.
    if lastOpened != place.track.entry {
      lastOpened = place.track.entry
      following = nil
      notices.append(.needsNext(after: place.track.entry.id))
    }
    dispatch(.sourceContinues)
  }
}
