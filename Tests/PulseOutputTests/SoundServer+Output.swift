import PulseOutput
import SoundServerSupport
import Testing

extension SoundServer {
  func output() -> PulseOutput { PulseOutput(server: address, applicationName: "segue tests") }
}

extension Trait where Self == ConditionTrait {
  /// Needs what PipeWire does not have: modules with policies, a sink that can be suspended or missing.
  static var onPulseAudio: Self { .enabled(if: SoundServer.isPulseAudio, "PipeWire has none of it") }

  /// Needs a session manager, without which streams are not linked to a sink.
  static var onPipeWire: Self { .enabled(if: !SoundServer.isPulseAudio, "PulseAudio has none") }
}
