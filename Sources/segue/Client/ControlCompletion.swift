internal import ByteIO
internal import Commands
internal import Desk
internal import Library
internal import Player
internal import RemoteProtocols

/// Completes the words of `segue ctl` in shells.
enum ControlCompletion {
  /// The words that can stand at the end.
  ///
  /// - Parameter line: The words of the shell's line, from `segue` on; the last one has been begun.
  static func words(after line: [String]) -> [String] {
    var typed: [String] = []
    var rest: ArraySlice<String> = line.drop { $0 != "ctl" }.dropFirst()
    while let word = rest.popFirst() {
      if QueryArguments.optionsWithValues.contains(word) {
        rest = rest.dropFirst()
      } else if !word.hasPrefix("-") {
        typed.append(word)
      }
    }
    guard typed.count > 1, let verb = typed.first else {
      return PlayerVerbs.all.map(\.name) + ControlRequest.words.map(\.name) + ["watch"]
    }
    if verb == "watch" || verb == "observe" { return PlayerSnapshot.Property.allCases.map(\.rawValue) + ["events"] }
    switch PlayerVerbs.all.first(where: { $0.name == verb })?.completion {
    case .words(let words): return words
    case .wordsThenFiles(let words): return typed.count < 3 ? words : files(typed.last ?? "", onlyFolders: false)
    case .playlists(let words):
      if typed.count < 3 { return words }
      let isName = typed.count == 3 && typed.dropFirst().first != "import"
      return isName ? ShellCompletion.playlists : files(typed.last ?? "", onlyFolders: false)
    case .settings: return Setting.allCases.map { $0.rawValue + "=" }
    case .files: return files(typed.last ?? "", onlyFolders: false)
    case .folders: return files(typed.last ?? "", onlyFolders: true)
    case .outputs:
      let answer = try? ControlClient(folder: UserFolders().runtime, instance: nil).ask(["output"])
      let names = answer?["data"]?.elements?.compactMap { $0["device"]?.text }
      return [Settings.standardOutput] + (names ?? [])
    case .keys, .nothing, nil: return []
    }
  }

  private static func files(_ beginning: String, onlyFolders: Bool) -> [String] {
    let folder = beginning.lastIndex(of: "/").map { String(beginning[...$0]) } ?? ""
    let path = folder.isEmpty ? BytePath(".") : BytePath(ByteArguments.bytes(of: folder))
    let items = FolderContents(reading: path, playableExtensions: []).items
    return items.compactMap { item in
      guard item.kind != .parent, item.kind == .folder || !onlyFolders else { return nil }
      return folder + item.path.lastComponent.description + (item.kind == .folder ? "/" : "")
    }
  }
}
