import PulseOutput
import SoundServerSupport

extension SoundServer {
  func output() -> PulseOutput { PulseOutput(server: address, applicationName: "segue tests") }
}
