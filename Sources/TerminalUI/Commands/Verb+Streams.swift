extension Verb {
  static let streams: [Verb] = [
    Verb("keep", "[URL [NAME]]", "keep an address in Streams: that, the selected one, or what is played") {
      (scanner) throws(CommandError) in
      guard let address = try scanner.word() else { return .keepStream(nil, title: nil) }
      guard address.text.contains("://") else {
        throw CommandError(message: "\(address.text): no address like http://host/stream", column: address.column)
      }
      return .keepStream(address.text, title: try scanner.word()?.text)
    },
    Verb("rename", "NAME", "give the selected stream a name") { (scanner) throws(CommandError) in
      let column = scanner.column
      guard let name = scanner.rest()?.text else { throw CommandError(message: "a name is missing", column: column) }
      return .rename(name)
    },
  ]
}
