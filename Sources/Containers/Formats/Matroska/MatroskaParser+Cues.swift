internal import AudioModel

// Cues as places of packets.
extension MatroskaParser {
  /// In `ResumePoint.state`, beside what the codec must know: the packet is not the first of its cluster.
  static let isCue: Int32 = 1 << 30

  /// Turns the cues into places of packets, if their times tell packets apart, all of them: then they can be trusted.
  mutating func placeCues() {
    guard isReady, usualFrameCount > 1 else { return }
    cuePlaces = []
    var places: [ResumePoint] = []
    for point in cues.points {
      let packet = Int64((Double(clock.position(of: point.time)) / Double(usualFrameCount)).rounded())
      let (frame, overflows) = packet.multipliedReportingOverflow(by: Int64(usualFrameCount))
      let error = Double((frame &- clock.position(of: point.time)).magnitude)
      guard !overflows, packet > places.last?.packet ?? -1, error <= clock.framesPerUnit + 1 else { return }
      places.append(
        ResumePoint(byteOffset: point.byteOffset, packet: packet, frame: frame, state: Self.isCue))
    }
    cuePlaces = places
  }

  func place(atOrBefore packet: Int64) -> ResumePoint? {
    var (low, high) = (0, cuePlaces.count)
    while low < high {
      let middle = (low + high) / 2
      if cuePlaces[middle].packet <= packet { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : cuePlaces[low - 1]
  }

  /// The time of the cue that a place was made of.
  func time(ofCueAt place: ResumePoint) -> Int64 {
    let most = Int64(clock.framesPerUnit) + 1
    return cues.points.first {
      $0.byteOffset == place.byteOffset && abs(clock.position(of: $0.time) - place.frame) <= most
    }?.time ?? .min
  }
}
