internal import ArgumentParser
internal import AudioModel
internal import ByteIO
internal import Commands
internal import Desk
internal import Glibc
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
    let network = KnownServers(library.folder).network
    defer { network.shutDown() }
    let told = try LibraryServers.tell(library, ServerConnection(network, patience: 0))
    for sentence in told.refusals + told.delays { report("library", sentence) }
  }

  /// Adds a server: asks for the password, or without a name for a key, tries it, says what was found, and scans.
  ///
  /// - Parameters:
  ///   - accepted: The fingerprint of a certificate that the system does not trust.
  ///   - folders: Its music folders.
  static func add(
    _ server: WebAddress, user: String?, accepted: String?, folders: [String], to library: MusicLibrary, scans: Bool,
    json: Bool
  ) throws {
    let address = LibraryServers.address(written: server)
    let certificate = try acceptedCertificate(of: address, accepted, library)
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
      let added = try LibraryServers.add(
        address, user: user, secret: secret, to: library, certificate: certificate, folders: folders)
      root = added.root
      for finding in added.findings { report(root, finding) }
    } catch { throw ExitCode.cannotWork.reporting(BytePath(address.description), "\(error)") }
    if try library.addRoot(root) == .known { report(root, "is in the library already") }
    if scans { try Scan.scan(library, [root], json: json) }
  }

  /// The certificate of a server, if the system does not trust it but the listener does. Before the password is asked
  /// for.
  private static func acceptedCertificate(
    of address: WebAddress, _ accepted: String?, _ library: MusicLibrary
  ) throws -> ServerCertificate? {
    let place = BytePath(address.description)
    let found: UntrustedCertificate?
    do throws(ServerFailure) { found = try UntrustedCertificate.find(at: address, KnownServers(library.folder)) } catch
    {
      throw ExitCode.cannotWork.reporting(place, error)
    }
    guard let found else { return nil }
    if found.isKnown || found.certificate.fingerprint == accepted { return found.certificate }
    for sentence in found.sentences { report(place, sentence) }
    if isatty(STDIN_FILENO) == 1, accepted == nil {
      try? FileWriter(descriptor: STDERR_FILENO).write(Array("Is this the fingerprint of your server? [yes/no] ".utf8))
      if readLine()?.lowercased() == "yes" { return found.certificate }
    }
    throw ExitCode.cannotWork.reporting(
      place, "nothing is added: check the fingerprint on the server, then accept it by --certificate FINGERPRINT")
  }
}
