internal import ArgumentParser
internal import AudioModel
internal import ByteIO
internal import Commands
internal import Desk
internal import Library
internal import Streaming

// Servers of music.
extension LibraryCommand {
  /// The server that this is the name, the root or the address of.
  static func account(named text: String, in library: MusicLibrary) -> ServerAccount? {
    (try? ServerAccounts(folder: library.folder))?.named(text)
  }

  /// Adds a server: asks for the password, tries it, says what was found, and scans.
  static func add(_ server: WebAddress, user: String, to library: MusicLibrary, scans: Bool, json: Bool) throws {
    var address = server
    (address.query, address.fields) = (nil, [:])
    while address.path.hasSuffix("/") { address.path.removeLast() }
    guard let password = PasswordPrompt.read("Password of \(user) at \(address): "), !password.isEmpty else {
      throw ExitCode.cannotWork.reporting("library", "no password was given: nothing is added")
    }
    let root: BytePath
    do {
      var accounts = try ServerAccounts(folder: library.folder)
      let network = Network()
      defer { network.shutDown() }
      var random = SystemRandomNumberGenerator()
      let found = try SubsonicLogin(ServerConnection(network).ask).login(
        to: address, user: user, password: password, salt: String(random.next(), radix: 16))
      let account = accounts.add(found.account)
      try accounts.save(in: library.folder)
      root = account.root
      report(root, "\(found.description), \(counted(found.trackCount, "track"))")
      if address.scheme == "http" {
        report(root, "the connection is not encrypted: others on the way can read what opens the server")
      }
    } catch { throw ExitCode.cannotWork.reporting(BytePath(address.description), "\(error)") }
    if try library.addRoot(root) == .known { report(root, "is in the library already") }
    if scans { try Scan.scan(library, [root], json: json) }
  }
}
