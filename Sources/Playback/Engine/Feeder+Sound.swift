internal import AudioModel
internal import AudioOutput
internal import SignalProcessing

// What is done to the sound while it plays. A change is heard as soon as the device can be told: what it has not played
// yet is read again and taken back, from the very frame on, and fades into the new sound.

/// How what is queued was to sound, before changes that came together.
struct SoundChange {
  var sound: SoundSettings
  var speed: Double
}

extension Feeder {
  /// Changes gain, equaliser or balance.
  func changeSound(_ change: (inout SoundSettings) -> Void) {
    let before = sound
    change(&sound)
    guard sound != before else { return }
    soundChange = soundChange ?? SoundChange(sound: before, speed: speed)
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
    if speed != before { soundChange = soundChange ?? SoundChange(sound: sound, speed: before) }
  }

  /// Lets a queue play at the speed that is wanted; says so where it cannot.
  func applySpeed(to queue: AudioQueue) {
    do throws(AudioQueueError) { try queue.setRate(speed) } catch {
      notices.append(.soundUnchanged(message: error.description))
      speed = queue.rate
    }
  }

  /// What is heard meanwhile: reading takes some milliseconds, on a busy machine more.
  private static var readingSeconds: Double { 0.25 }

  /// Reads again what is queued and not about to be heard: once for all changes that came together.
  func readAgain(for change: SoundChange) {
    soundChange = nil
    let fades = change.sound != sound
    guard fades || change.speed != speed else { return }
    // What is not queued yet, or is to be dropped, will be read with the new sound anyway.
    guard move == nil, !dropsQueued else { return }
    recallQueue()
    guard let queue, !timeline.segments.isEmpty else { return }
    var frames = Self.readingSeconds * change.speed * Double(queue.format.sampleRate)
    while !readAgain(queue, from: min(queueEnd, queue.currentTime + Int64(frames)), fades: fades) { frames *= 2 }
  }

  /// Reads again from a time on, and only then takes back what was queued from there on, which runs dry therefore on no
  /// machine, however busy. False where that took so long that it is heard.
  private func readAgain(_ queue: AudioQueue, from time: Int64, fades: Bool) -> Bool {
    guard let place = timeline.place(atQueueFrame: time), let buffer = freeBuffers.popLast() ?? newBuffer(queue)
    else { return true }
    let next = timeline.segments.dropFirst(place.index + 1).first
    let segment = timeline.segments[place.index]
    let ends = [next?.queueFrame ?? queueEnd, segment.queueFrameOfExit ?? .max].filter { $0 > time }
    let frameLimit = Int(clamping: min((ends.min() ?? time) - time, Int64(buffer.frameCapacity)))
    do throws(TrackError) {
      // A station has no other places: what is queued is heard as it is.
      guard try place.track.goBack(toFrame: place.frame, sound, fades: fades) == place.frame else {
        freeBuffers.append(buffer)
        return true
      }
      let size = queue.format.bytesPerFrame
      buffer.frameCount = 0
      let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<(frameLimit * size)])
      do throws(TrackError) { buffer.frameCount = try place.track.read(into: bytes, sound) / size } catch {
        guard error.isWait else { throw error }
      }
    } catch {
      freeBuffers.append(buffer)
      fail(place.track.entry, error)
      return true
    }
    guard queue.takeBack(from: time) else {
      freeBuffers.append(buffer)
      return time == queueEnd
    }
    queueEnd = time
    timeline.keep(first: place.index + 1)
    if buffer.frameCount > 0, let time = try? queue.enqueue(buffer) {
      queueEnd = time + Int64(buffer.frameCount)
    } else {
      freeBuffers.append(buffer)
    }
    (reading, entering, announcesTrack) = (place.track, nil, false)
    // The next track, of which some was queued already, will be opened again.
    if lastOpened != place.track.entry || successor != nil { askForNext(after: place.track) }
    dispatch(.sourceContinues)
    return true
  }
}
