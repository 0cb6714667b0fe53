internal import AudioModel
internal import CPulse

struct PulseModule: Equatable {
  var name: String
  /// As in `load-module`: `trigger_roles=phone volume=-10dB`.
  var arguments: String
}

extension PulseModule {
  init(_ information: pa_module_info) {
    name = information.name.map { String(cString: $0) } ?? ""
    arguments = information.argument.map { String(cString: $0) } ?? ""
  }

  /// The value of an argument. It may be quoted, as pa_modargs allows.
  private func value(_ key: String) -> Substring? {
    var rest = arguments[...]
    while let equals = rest.firstIndex(of: "=") {
      let name = rest[..<equals].drop { $0.isWhitespace }
      rest = rest[rest.index(after: equals)...]
      let quote = rest.first == "\"" || rest.first == "'" ? rest.first : nil
      if quote != nil { rest = rest.dropFirst() }
      let value = rest.prefix { letter in quote == nil ? !letter.isWhitespace : letter != quote }
      rest = rest.dropFirst(value.count + (quote == nil ? 0 : 1))
      if name == key { return value }
    }
    return nil
  }

  /// The roles of streams at which the module acts: lists for several groups are divided by slashes.
  fileprivate var triggers: [String] {
    (value("trigger_roles") ?? "phone").split { $0 == "," || $0 == "/" }.map(String.init)
  }
}

/// Finds a role that makes the server lower other programs.
///
/// PulseAudio's module-role-ducking does so while a stream of certain roles plays. It is not loaded by default, and a
/// role at which module-role-cork pauses other programs is not taken.
func duckingRole(_ modules: [PulseModule]) -> String? {
  let pausing = modules.filter { $0.name == "module-role-cork" }.flatMap(\.triggers)
  let ducking = modules.filter { $0.name == "module-role-ducking" }.flatMap(\.triggers)
  // "no_role" means streams without a role, which ours are not.
  let usable = ducking.filter { $0 != "no_role" && !pausing.contains($0) && !pausing.contains("any_role") }
  return usable.contains("any_role") ? "game" : usable.first
}
