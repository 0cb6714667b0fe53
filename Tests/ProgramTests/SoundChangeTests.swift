import AudioModel
import AudioOutput
import ByteIO
import Foundation
import Playback
import PulseOutput
import SignalProcessing
import SoundServerSupport
import TestTraits
import Testing
import Threads

@Suite(.onThreadsOfTheirOwn) struct `Sound that changes while a server plays it` {
  @Test func `no frame is lost or repeated, and the change is audible long before the queued audio ends`() throws {
    let server = try SoundServer()
    let recording = try MonitorRecording(server)
    let folder = try TemporaryFolder()
    // 14 s: on a busy machine each change takes its time.
    var bytes = Data(WAVEHeader.bytes(for: SignalPlayer.format, dataByteCount: 600_000 * 4))
    var frames = [UInt8](repeating: 0, count: 600_000 * 4)
    frames.withUnsafeMutableBytes { CodedSignal.write(0..<600_000, into: $0) }
    bytes += frames
    try bytes.write(to: URL(fileURLWithPath: "\(folder.path)/coded.wav"))
    let engine = PlaybackEngine(output: PulseOutput(server: server.address, applicationName: "segue tests")) {}
    defer { engine.shutDown() }
    engine.send(.play(QueueEntry(id: 0, location: .file(BytePath("\(folder.path)/coded.wav"))), from: 0))
    var states: [PlaybackState] = []
    func follow() {
      for notice in engine.takeNotices() {
        switch notice {
        case .needsNext(let id): engine.send(.setNext(nil, after: id))
        case .state(let state, _, _): states.append(state)
        default: break
        }
      }
    }
    func position() -> Double {
      follow()
      return engine.snapshot.position(at: .now)
    }
    // The right side is recognized by the left one, which a balance to the left does not change.
    /// True if the last 100 recorded frames have a right side, false if none of them has; nil in between.
    func isOn() -> Bool? {
      let bytes = recording.bytes(from: max(0, recording.sampleCount / 2 * 4 - 400)).prefix(400)
      let frames = bytes.withUnsafeBytes { Array($0.bindMemory(to: Frame.self)) }
      guard frames.count == 100, frames.allSatisfy({ $0 & 0xffff != 0 }) else { return nil }
      let offCount = frames.count { $0 >> 16 == 0 }
      return offCount == 0 ? true : offCount == 100 ? false : nil
    }
    // Much is queued before the first change. Each is heard before the next: a busy machine would make both at once.
    var changes: [Int] = []
    #expect(waitUntil { position() > 0.8 })
    for balance in [-1.0, 0, -1, 0] {
      let isHeard = waitUntil {
        follow()
        return isOn() == (balance != 0)
      }
      #expect(isHeard, "\(changes), \(position())")
      changes.append(Int(position() * 44100))
      engine.send(.set(.balance(balance)))
    }
    #expect(
      waitUntil {
        follow(); return states.last == .stopped
      })
    _ = recording.heard
    let samples = recording.samples
    var (next, switches) = (0, [Int]())
    // Frames of the right side that are neither on nor off, but on the way; and how long it has been the other of both.
    var (fading, other) = (0, 0)
    // The left side is never 0: that would be a machine too busy to feed its server.
    for index in stride(from: 0, to: samples.count - 1, by: 2) where samples[index] != 0 {
      guard samples[index] == CodedSignal.samples(ofFrame: next).0 else {
        // The left side tells the frame, but for multiples of 32,767.
        Issue.record("\(samples[max(0, index - 8)..<min(index + 24, samples.count)]) in place of frame \(next)")
        break
      }
      let (right, on) = (samples[index + 1], CodedSignal.samples(ofFrame: next).1)
      if right != on, right != 0 { fading += 1 }
      let isOther = right == (switches.count % 2 == 0 ? 0 : on)
      other = isOther ? other + 1 : 0
      // On the way it may be there by chance.
      if other == 100 { switches.append(next - 99) }
      next += 1
    }
    #expect(fading <= 4 * 882)
    #expect(next == 600_000)
    #expect(switches.count == 4)
    // The server holds 4 s; it took less, even on a machine that stood still.
    for (change, place) in zip(changes, switches) { #expect(place >= change - 500 && place < change + 154_350) }
    #expect(states.first == .waiting && states.last == .stopped)
  }
}
