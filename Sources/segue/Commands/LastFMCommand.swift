internal import ArgumentParser
internal import ByteIO
internal import Commands
internal import Desk
internal import Player
internal import Streaming
internal import Threads

/// `segue lastfm`: connects the player with an account at Last.fm.
struct LastFMCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lastfm", abstract: "Allow segue to report what you play to your Last.fm account (needed once).",
    discussion: """
      Get a key and its secret at https://www.last.fm/api/account/create, and put both into ~/.config/segue/lastfm, as \
      two lines:

        key=0123456789abcdef0123456789abcdef
        secret=0123456789abcdef0123456789abcdef

      segue lastfm then prints an address. Press Enter when you have allowed access there. Then write 'set lastfm=on' \
      into ~/.config/segue/config. For Libre.fm: segue lastfm --server https://libre.fm/2.0/
      """)

  @Option(help: "The server, if it is not that of Last.fm.") var server = LastFMLogin.standardServer

  func run() throws {
    let folders = UserFolders()
    guard let configuration = folders.configuration, let listens = folders.listens else {
      throw ExitCode.cannotWork.reporting("lastfm", "HOME is not set")
    }
    do {
      let network = Network()
      let login = LastFMLogin(server: server, keys: try LastFMKeys(folder: configuration)) { address, fields, body in
        let answers = Mailbox<Result<PostAnswer, NetworkError>>()
        let request = try network.send(body, to: address, fields: fields) { answers.post($0) }
        return try withExtendedLifetime(request) {
          guard let answer = answers.take(until: nil).first else { return [] }
          return try answer.get().body
        }
      }
      let (token, address) = try login.begin()
      var output = LineWriter()
      output.add("Open this address in a browser, allow access, then press Enter here:\n\n  \(address)\n")
      output.flush()
      guard readLine() != nil else { throw LastFMError(description: "nothing was allowed: press Enter after that") }
      let (session, name) = try login.finish(token)
      try LastFMLogin.keep(session, in: listens)
      let file = configuration.appending(BytePath("config"))
      print("Connected as \(name). Now put  set lastfm=on  into \(file).".printable)
    } catch { throw ExitCode.cannotWork.reporting("lastfm", "\(error)") }
  }
}
