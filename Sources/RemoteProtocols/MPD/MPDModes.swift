internal import AudioModel
internal import Playback
internal import Commands
internal import SignalProcessing

/// Modes, volume, sound and the output.
enum MPDModes: MPDTopic {
  static let commands: [Entry] = [
    entry("random", 1...1) { (words, _, _) throws(MPDError) in .attempt(.setShuffle(try boolean(words[0]))) },
    entry("repeat", 1...1) { (words, player, _) throws(MPDError) in
      let (isOn, queue) = (try boolean(words[0]), player.queue)
      // `single` stays: with `repeat` the track is played again, otherwise playback stops after each.
      switch (isOn, queue.repeatMode) {
      case (true, .one): return .done("")
      case (true, _) where queue.stopPoint == .each:
        return .perform([.stopAfter(PlayQueue.StopPoint.none), .setRepeat(.one)])
      case (false, .one): return .perform([.setRepeat(.off), .stopAfter(.each)])
      default: return .attempt(.setRepeat(isOn ? .all : .off))
      }
    },
    entry("single", 1...1) { (words, player, _) throws(MPDError) in
      let isOneshot = words[0] == "oneshot"
      let isOn = isOneshot ? true : try mode(words[0], of: "single")
      var commands: [Command] = []
      let repeats = isOn && !isOneshot && player.queue.repeatMode != .off
      if repeats != (player.queue.repeatMode == .one) { commands.append(.setRepeat(repeats ? .one : .all)) }
      let point = isOneshot ? PlayQueue.StopPoint.track : isOn && !repeats ? .each : .none
      if point != player.queue.stopPoint { commands.append(.stopAfter(point)) }
      return .perform(commands)
    },
    entry("consume", 1...1) { (words, _, _) throws(MPDError) in
      .perform([.consume(words[0] == "oneshot" ? .once : try mode(words[0], of: "consume") ? .on : .off)])
    },
    entry("crossfade", 1...1) { (words, _, _) throws(MPDError) in
      .perform([.set(.crossfade, String(min(12, try unsigned(words[0]))))], refusal: .argument)
    },
    entry("mixrampdb", 1...1) { (words, _, _) throws(MPDError) in
      _ = try seconds(words[0])
      return .done("")
    },
    entry("mixrampdelay", 1...1) { (_, _, _) throws(MPDError) in .done("") },
    entry("setvol", 1...1) { (words, _, _) throws(MPDError) in
      let volume = try unsigned(words[0])
      guard volume <= 100 else { throw MPDError(code: .argument, text: "Number too large: \(words[0])") }
      return .attempt(.setVolume(Double(volume) / 100))
    },
    entry("volume", 1...1) { (words, _, _) throws(MPDError) in
      let change = try integer(words[0])
      guard -100...100 ~= change else { throw MPDError(code: .argument, text: "Number too large: \(words[0])") }
      return .attempt(.changeVolume(by: Double(change) / 100))
    },
    question("getvol", 0...0) { (_, player, _) throws(MPDError) in .done("volume: \(player.volumePercent)\n") },
    entry("replay_gain_mode", 1...1) { (words, _, _) throws(MPDError) in
      switch words[0] {
      case "off": return .attempt(.changeSound(.gain(.off)))
      case "track": return .attempt(.changeSound(.gain(.track)))
      case "album", "auto": return .attempt(.changeSound(.gain(.album)))
      default: throw MPDError(code: .argument, text: "Unrecognized replay gain mode")
      }
    },
    question("replay_gain_status", 0...0) { (_, player, _) throws(MPDError) in
      .done("replay_gain_mode: \(player.settings.gain)\n")
    },
    question("outputs", 0...0) { (_, player, _) throws(MPDError) in
      let rows = devices(player).enumerated().map { id, device in
        "outputid: \(id)\noutputname: \(device.description.inOneLine)\nplugin: pulse\n"
          + "outputenabled: \(isEnabled(device, player) ? 1 : 0)\n"
      }
      return .done(rows.joined())
    },
    // One device plays at a time: to enable another one moves the sound there.
    entry("enableoutput", 1...1) { (words, player, _) throws(MPDError) in enable(try output(words[0], player), player)
    },
    entry("disableoutput", 1...1) { (words, player, _) throws(MPDError) in
      guard isEnabled(try output(words[0], player), player) else { return .done("") }
      throw MPDError(code: .unknown, text: "one output stays enabled: enable another one")
    },
    entry("toggleoutput", 1...1) { (words, player, _) throws(MPDError) in
      let device = try output(words[0], player)
      guard isEnabled(device, player) else { return enable(device, player) }
      throw MPDError(code: .unknown, text: "one output stays enabled: enable another one")
    },
  ]

  /// `0` or `1` where `oneshot` is possible, too.
  private static func mode(_ text: String, of name: String) throws(MPDError) -> Bool {
    guard text == "0" || text == "1" else {
      throw MPDError(code: .argument, text: "Unrecognized \(name) mode, expected 0, 1, or oneshot")
    }
    return text == "1"
  }

  /// The output devices, the present one if the others are unknown.
  private static func devices(_ player: PlayerSnapshot) -> [AudioRoute] {
    let all = player.outputs.devices.all
    return all.isEmpty ? [player.snapshot.route ?? AudioRoute(device: "", description: "sound server")] : all
  }

  private static func isEnabled(_ device: AudioRoute, _ player: PlayerSnapshot) -> Bool {
    player.outputs.devices.all.isEmpty || device.device == player.outputs.present
  }

  private static func enable(_ device: AudioRoute, _ player: PlayerSnapshot) -> MPDStep {
    isEnabled(device, player) ? .done("") : .attempt(.setOutput(device.device))
  }

  private static func output(_ word: String, _ player: PlayerSnapshot) throws(MPDError) -> AudioRoute {
    let (number, devices) = (try unsigned(word), devices(player))
    guard devices.indices.contains(number) else { throw MPDError(code: .noExist, text: "No such audio output") }
    return devices[number]
  }
}
