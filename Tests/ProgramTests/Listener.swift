import Glibc
import SoundServerSupport

/// Sixteen-bit stereo: both samples of a frame.
typealias Frame = UInt32

/// Recognizes tracks in a growing recording: their frames, in the order in which they played.
final class Listener {
  /// Consecutive frames without silence in between.
  struct Run: Equatable, CustomStringConvertible {
    /// `nil` for audio of no known track.
    var track: Int?
    var frames: Range<Int>

    var description: String { "\(track.map(String.init) ?? "?"):\(frames)" }
  }

  /// Runs, broken where there was silence.
  private(set) var runs: [Run] = []
  /// Frames of silence before each of them.
  private(set) var silences: [Int] = []
  let recording: MonitorRecording
  private let tracks: [[Frame]]
  private var byteOffset = 0
  private var waiting: [Frame] = []
  private var silence = 0
  /// True if the last run may continue with the next frame.
  private var isInRun = false

  /// - Parameter tracks: The signals that can be recognized.
  init(_ recording: MonitorRecording, tracks: [[Frame]]) {
    self.recording = recording
    self.tracks = tracks
  }

  /// The number of frames with a signal.
  var frameCount: Int { runs.reduce(0) { $0 + $1.frames.count } }

  /// The signals recognized so far, without pauses.
  var heard: [Run] {
    listen()
    return runs.reduce(into: []) { heard, run in
      if let last = heard.last, last.track == run.track, last.frames.upperBound == run.frames.lowerBound {
        heard[heard.count - 1].frames = last.frames.lowerBound..<run.frames.upperBound
      } else {
        heard.append(run)
      }
    }
  }

  /// True if these tracks have played one after the other, each as a whole, without a gap.
  func hasJoined(_ order: [Int]) -> Bool {
    listen()
    return runs.indices.dropLast(order.count - 1).contains { start in
      zip(order, start...).allSatisfy { track, index in
        runs[index] == Run(track: track, frames: 0..<tracks[track].count) && (index == start || silences[index] == 0)
      }
    }
  }

  /// Recognizes the new part of the recording.
  func listen() {
    let new = recording.bytes(from: byteOffset)
    let whole = new.count / 4 * 4
    byteOffset += whole
    new.withUnsafeBytes { waiting += UnsafeRawBufferPointer(rebasing: $0[..<whole]).bindMemory(to: Frame.self) }
    let count = waiting.withUnsafeBufferPointer { understand($0) }
    waiting.removeFirst(count)
  }

  /// Returns the number of recognized frames; a few at the end may need more.
  private func understand(_ frames: UnsafeBufferPointer<Frame>) -> Int {
    var rest = frames[...]
    while let first = rest.first {
      if isInRun, let last = runs.last, let track = last.track {
        let count = commonCount(rest, tracks[track][last.frames.upperBound...])
        extend(by: count)
        rest = rest.dropFirst(count)
        isInRun = rest.isEmpty
      } else if first == 0 {
        let count = zeroCount(rest)
        silence += count
        rest = rest.dropFirst(count)
      } else if silence == 0, let last = runs.last, last.track == nil, !tracks.contains(where: { $0.first == first }) {
        // Quickly: what plays meanwhile is waited for.
        extend(by: 1)
        rest = rest.dropFirst()
      } else {
        let window = rest.prefix(16).prefix { $0 != 0 }
        guard window.count == 16 || window.count < rest.count else { break }
        begin(window)
        if runs.last?.track == nil { rest = rest.dropFirst() }
      }
    }
    return frames.count - rest.count
  }

  private func extend(by count: Int) {
    let frames = runs[runs.count - 1].frames
    runs[runs.count - 1].frames = frames.lowerBound..<frames.upperBound + count
  }

  /// Begins a run with these frames, wherever they are found.
  private func begin(_ window: Slice<UnsafeBufferPointer<Frame>>) {
    if let place = place(of: window) {
      // Silence right before it may be the track's own, unless it was heard before.
      let isNext = runs.last.map { $0.track == place.track && $0.frames.upperBound == place.frame } ?? false
      let own =
        isNext ? 0 : tracks[place.track][..<place.frame].suffix(silence).reversed().prefix { $0 == 0 }.count
      runs.append(Run(track: place.track, frames: place.frame - own..<place.frame))
      silence -= own
      isInRun = true
    } else if silence == 0, let last = runs.last, last.track == nil {
      return extend(by: 1)
    } else {
      runs.append(Run(track: nil, frames: 0..<1))
    }
    silences.append(silence)
    silence = 0
  }

  private func place(of window: Slice<UnsafeBufferPointer<Frame>>) -> (track: Int, frame: Int)? {
    if let last = runs.last, let track = last.track, last.frames.upperBound < tracks[track].count,
      isFound(window, in: tracks[track], at: last.frames.upperBound)
    {
      return (track, last.frames.upperBound)
    }
    // Within unknown audio only the start of a track is searched, which is quick.
    let isInStrangeSound = silence == 0 && runs.last.map { $0.track == nil } ?? false
    for (index, track) in tracks.enumerated() {
      if isInStrangeSound {
        if isFound(window, in: track, at: 0) { return (index, 0) }
      } else if let frame = firstPlace(of: window, in: track) {
        return (index, frame)
      }
    }
    return nil
  }
}

private func firstPlace(of window: Slice<UnsafeBufferPointer<Frame>>, in track: [Frame]) -> Int? {
  track.withUnsafeBufferPointer { track in
    let first = window[window.startIndex]
    var index = 0
    while index + window.count <= track.count {
      if track[index] == first, commonCount(window, track[index...]) == window.count { return index }
      index += 1
    }
    return nil
  }
}

private func isFound(_ window: Slice<UnsafeBufferPointer<Frame>>, in track: [Frame], at frame: Int) -> Bool {
  commonCount(window, track[frame...]) == min(window.count, track.count - frame)
}

private func commonCount(_ a: Slice<UnsafeBufferPointer<Frame>>, _ b: ArraySlice<Frame>) -> Int {
  b.withUnsafeBufferPointer { commonCount(a, $0[...]) }
}

/// The number of equal frames at the start. Compares whole blocks by `memcmp`, which is fast without optimisation.
private func commonCount(_ a: Slice<UnsafeBufferPointer<Frame>>, _ b: Slice<UnsafeBufferPointer<Frame>>) -> Int {
  let (a, b) = (UnsafeBufferPointer(rebasing: a), UnsafeBufferPointer(rebasing: b))
  let end = min(a.count, b.count)
  guard let first = a.baseAddress, let second = b.baseAddress else { return 0 }
  var index = 0
  while index + 1024 <= end, memcmp(first + index, second + index, 4096) == 0 { index += 1024 }
  while index < end, a[index] == b[index] { index += 1 }
  return index
}

private let zeros = [Frame](repeating: 0, count: 1024)

private func zeroCount(_ frames: Slice<UnsafeBufferPointer<Frame>>) -> Int {
  var rest = frames
  while case let count = commonCount(rest, zeros[...]), count > 0 { rest = rest.dropFirst(count) }
  return frames.count - rest.count
}
