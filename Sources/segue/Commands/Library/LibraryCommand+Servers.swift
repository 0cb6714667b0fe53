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

  /// Tells servers what was rated and which playlists were changed, and says which of them did not take it.
  static func tellServers(of library: MusicLibrary) throws {
    guard ServerAccounts.exist(in: library.folder) else { return }
    let network = Network()
    defer { network.shutDown() }
    let told = try LibraryServers.tell(library, ServerConnection(network, patience: 0))
    for sentence in told.refusals + told.delays { report("library", sentence) }
  }

  /// Adds a server: asks for the password, or without a name for a key, tries it, says what was found, and scans.
  static func add(_ server: WebAddress, user: String?, to library: MusicLibrary, scans: Bool, json: Bool) throws {
    let address = LibraryServers.address(written: server)
    let question = user.map { "Password of \($0) at \(address): " } ?? "API key of \(address): "
    guard let secret = PasswordPrompt.read(question), !secret.isEmpty else {
      let sentence =
        user == nil
        ? "no API key was given: nothing is added; --user NAME asks for a password"
        : "no password was given: nothing is added"
      throw ExitCode.cannotWork.reporting("library", sentence)
    }
    let root: BytePath
    do {
      let added = try LibraryServers.add(address, user: user, secret: secret, to: library)
      root = added.root
      for finding in added.findings { report(root, finding) }
    } catch { throw ExitCode.cannotWork.reporting(BytePath(address.description), "\(error)") }
    if try library.addRoot(root) == .known { report(root, "is in the library already") }
    if scans { try Scan.scan(library, [root], json: json) }
  }
}
