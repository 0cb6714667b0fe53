/// Maps frames of the device to the queue's time, which differ if the speed was changed. Pure.
struct TimeMap {
  private struct Segment {
    var deviceFrame: Int64
    var time: Int64
    /// Frames of time per frame of the device.
    var rate: Double

    func time(at frame: Int64) -> Int64 {
      let count = frame &- deviceFrame
      return time &+ (rate == 1 ? count : Int64((Double(count) * rate).rounded(.down)))
    }
  }

  private var segments = [Segment(deviceFrame: 0, time: 0, rate: 1)]

  /// Frames of time per frame of the device, at one of its frames.
  func rate(atDeviceFrame frame: Int64) -> Double { segments[index(atDeviceFrame: frame)].rate }

  /// From a frame of the device on, time continues at `time`. Replaces earlier entries for later frames.
  mutating func resume(atDeviceFrame frame: Int64, time: Int64, rate: Double) {
    segments.removeAll { $0.deviceFrame >= frame }
    if let last = segments.last, last.rate == 1, rate == 1, last.time(at: frame) == time { return }
    segments.append(Segment(deviceFrame: frame, time: time, rate: rate))
  }

  /// The time at a frame of the device, limited to the start of the next segment.
  func time(atDeviceFrame frame: Int64) -> Int64 {
    let index = index(atDeviceFrame: frame)
    let time = segments[index].time(at: frame)
    return segments.indices.contains(index + 1) ? min(time, segments[index + 1].time) : time
  }

  /// The first frame of the device at `time`.
  func deviceFrame(atTime time: Int64) -> Int64 {
    let segment = segments.last { $0.time <= time } ?? segments[0]
    let count = time &- segment.time
    return segment.deviceFrame &+ (segment.rate == 1 ? count : Int64((Double(count) / segment.rate).rounded(.up)))
  }

  mutating func forget(beforeDeviceFrame frame: Int64) { segments.removeFirst(index(atDeviceFrame: frame)) }

  private func index(atDeviceFrame frame: Int64) -> Int { segments.lastIndex { $0.deviceFrame <= frame } ?? 0 }
}
