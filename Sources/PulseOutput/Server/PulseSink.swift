internal import AudioModel
internal import CPulse

/// One of the server's sinks, as it describes it.
struct PulseSink: Equatable {
  var index: UInt32
  var name: String
  var description: String
  var formFactor: String?
  var bus: String?
  /// Names of the connectors that report if they are plugged in.
  var connectors: [String: Bool] = [:]
  /// The connector in use, and its name in words.
  var connector: String?
  var connectorDescription: String?
  var volume = 1.0
  var isMuted = false
  var channelCount: Int?
  /// Microseconds that it renders at a time, by the requests of its streams.
  var latency: pa_usec_t = 0
  /// True if rendered audio leaves the server at once: neither hardware, another machine nor another sink holds it.
  var isPlain = false

  /// True for the sink that servers create if there is no device, so that streams can exist (module-always-sink,
  /// PipeWire's fallback sink).
  private var isDummy: Bool { name == "auto_null" }

  /// The route, in the listener's words.
  var route: AudioRoute {
    AudioRoute(
      device: name, description: connectorDescription.map { "\(description) (\($0))" } ?? description,
      isHeadset: isHeadset, volume: volume, isMuted: isMuted, channelCount: channelCount)
  }

  private var isHeadset: Bool {
    if let formFactor, ["headset", "headphone", "hands-free"].contains(formFactor) { return true }
    if let connector, ["headphone", "headset"].contains(where: connector.lowercased().contains) { return true }
    return bus == "bluetooth" && formFactor == nil
  }

  /// True if the sink was removed: it is not in the list `now`, or its connector was unplugged. False for a dummy sink,
  /// which goes when a device comes.
  func isGone(_ now: [PulseSink]) -> Bool {
    guard let successor = now.first(where: { $0.index == index }) else { return !isDummy }
    guard let connector, connectors[connector] != false else { return false }
    return successor.connectors[connector] == false
  }
}

extension PulseSink {
  init(_ information: pa_sink_info) {
    func property(_ key: String) -> String? {
      pa.proplist_gets(information.proplist, key).map { String(cString: $0) }
    }
    index = information.index
    channelCount = Int(information.sample_spec.channels)
    name = information.name.map { String(cString: $0) } ?? "sink \(information.index)"
    description = information.description.map { String(cString: $0) } ?? name
    formFactor = property("device.form_factor")
    bus = property("device.bus")
    for index in 0..<Int(information.n_ports) {
      guard let port = information.ports?[index]?.pointee, let name = port.name else { continue }
      switch pa_port_available(UInt32(bitPattern: port.available)) {
      case PA_PORT_AVAILABLE_YES: connectors[String(cString: name)] = true
      case PA_PORT_AVAILABLE_NO: connectors[String(cString: name)] = false
      default: break
      }
    }
    connector = information.active_port?.pointee.name.map { String(cString: $0) }
    connectorDescription = information.active_port?.pointee.description.map { String(cString: $0) }
    var channels = information.volume
    volume = Double(pa.cvolume_avg(&channels)) / Double(PA_VOLUME_NORM)
    isMuted = information.mute != 0
    latency = information.configured_latency
    let flags = PA_SINK_HARDWARE.rawValue | PA_SINK_NETWORK.rawValue
    isPlain = information.flags.rawValue & flags == 0 && property(PA_PROP_DEVICE_CLASS) != "filter"
  }
}
