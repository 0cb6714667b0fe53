internal import AudioModel
internal import AudioOutput
internal import CGlibcExtras
internal import Commands
internal import Glibc
internal import Player
internal import PulseOutput
internal import SystemBus

extension Finding {
  /// Checks that a sound server answers, and names its output.
  static func soundServer() -> Finding {
    let subject = "sound server"
    do throws(AudioOutputError) {
      let server = try PulseServer.ask(applicationName: "segue doctor")
      let place = "\(server.name) at \(server.address)"
      guard let sink = server.sink else {
        return Finding(
          subject: subject, verdict: .error, text: "\(place) has no output, or PULSE_SINK names an unknown one",
          remedy: "`pactl list short sinks` lists the outputs", facts: facts(of: server))
      }
      let latency = sink.latency > 0 ? ", latency \(milliseconds(sink.latency)) ms" : ", suspended"
      let text =
        "\(place), plays on \(sink.name) (\(sink.description)): \(sink.sampleRate) Hz, \(sink.channelCount)"
        + " channels\(latency)"
      let isSilent = sink.isMuted || sink.volume == 0
      return Finding(
        subject: subject, verdict: isSilent ? .warning : .ok, text: isSilent ? text + ", muted" : text,
        remedy: isSilent ? "`pactl set-sink-mute \(sink.name) 0`, `pactl set-sink-volume \(sink.name) 100%`" : "",
        facts: facts(of: server))
    } catch {
      return Finding(subject: subject, verdict: .error, text: error.detail, remedy: error.advice)
    }
  }

  private static func milliseconds(_ seconds: Double) -> Int { Int(min(seconds, 1000) * 1000) }

  private static func facts(of server: PulseServer) -> JSON {
    let sink = server.sink.map { sink in
      [
        "name": .string(sink.name), "description": .string(sink.description), "sampleRate": JSON(sink.sampleRate),
        "channels": JSON(sink.channelCount), "latency": JSON(sink.latency), "muted": .bool(sink.isMuted),
        "volume": JSON(sink.volume),
      ] as JSON
    }
    return ["name": .string(server.name), "address": .string(server.address), "sink": sink ?? .null]
  }

  /// Checks that a library can be loaded, and names its file.
  static func library(_ library: SharedLibrary) -> Finding {
    var information = segue_dl_info()
    let package = library.package.map { .string($0) } ?? JSON.null
    let sonames = JSON.array(library.sonames.map { .string($0) })
    guard let address = library.address, segue_dladdr(UnsafeRawPointer(bitPattern: address), &information) != 0 else {
      return Finding(
        subject: library.name, verdict: .warning,
        text: "\(library.problem). It provides: \(library.purpose)",
        remedy: library.remedy ?? "install \(library.sonames.joined(separator: " or "))",
        facts: ["file": .null, "sonames": sonames, "package": package])
    }
    // The target of the link contains the version.
    let real = realpath(information.file, nil)
    defer { free(real) }
    let file = (real.map { UnsafePointer($0) } ?? information.file).map { String(cString: $0) } ?? "?"
    return Finding(
      subject: library.name, text: "\(library.purpose): \(file)",
      facts: ["file": .string(file), "sonames": sonames, "package": package])
  }

  /// Checks that the system announces sleep.
  static func sleep() -> Finding {
    let lost = "cannot pause before suspend"
    let problem: (text: String, remedy: String)? =
      switch SystemBusState.ask() {
      case .withLogind: nil
      case .noBus: ("no system bus: \(lost)", "apt install dbus (a container needs none)")
      case .noLibrary: ("no libdbus: \(lost)", "apt install libdbus-1-3")
      case .unreachable: ("cannot connect to the system bus: \(lost)", "systemctl start dbus")
      case .withoutLogind: ("no logind on the system bus: \(lost)", "apt install libpam-systemd")
      }
    return Finding(
      subject: "logind", verdict: problem == nil ? .ok : .warning,
      text: problem?.text ?? "pauses before suspend", remedy: problem?.remedy ?? "")
  }
}
