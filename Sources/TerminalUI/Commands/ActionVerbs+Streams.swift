internal import ByteIO
internal import Player

extension ActionVerbs {
  static let streams: [Verb<Action>] = [
    Verb("keep", "[URL [NAME]]", "save a stream: URL, or the selected or current one") {
      (scanner) throws(CommandError) in
      guard let address = try scanner.word() else { return .keepStream(nil, title: nil) }
      guard address.text.contains("://") else {
        let message = "\"\(address.text)\" is not an address like http://host/stream"
        throw CommandError(message: message, column: address.column)
      }
      return .keepStream(address.text, title: try scanner.word()?.text)
    },
    Verb("rename", "NAME", "rename the selected stream") { (scanner) throws(CommandError) in
      let column = scanner.column
      guard let name = scanner.rest()?.text else {
        throw CommandError(message: "rename needs a name: rename NAME", column: column)
      }
      return .rename(name)
    },
  ]

  static let library: [Verb<Action>] = [
    Verb(
      "library", "[add FOLDER | forget FOLDER | scan | stop | undo]", "show the music library, or change its folders",
      completing: .words(["add", "forget", "scan", "stop", "undo"])
    ) { (scanner) throws(CommandError) in
      guard let word = try scanner.word() else { return .show(.library) }
      switch word.text {
      case "scan": return .player(.library(.scan))
      case "stop": return .player(.library(.stop))
      case "undo": return .player(.library(.undo))
      case "add":
        let folder = try scanner.word(orSay: "library add needs a folder: library add ~/Music")
        return .player(.library(.add(BytePath(folder.text))))
      case "forget":
        let folder = try scanner.word(orSay: "library forget needs a folder: library forget ~/Music")
        return .player(.library(.forget(BytePath(folder.text))))
      default:
        throw CommandError(
          message: "\"\(word.text)\": library takes add, forget, scan, stop or undo", column: word.column)
      }
    }
  ]
}
