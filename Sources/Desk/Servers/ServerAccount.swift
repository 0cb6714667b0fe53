package import ByteIO
package import Streaming

/// A server of music that the listener added, and what opens it.
package struct ServerAccount: Sendable, Hashable {
  /// The interface of the server. Raw values are stored.
  package enum Kind: String, Sendable { case openSubsonic = "opensubsonic" }

  /// The proof of who the listener is.
  package enum Secret: Sendable, Hashable, CustomStringConvertible {
    /// A sum of the password and a salt: the password itself is not kept.
    case token(String, salt: String)
    /// For servers that do not know tokens.
    case password(String)
    /// A key that the server made for this program. It also says who the listener is.
    case apiKey(String)

    package var description: String { "a secret" }
  }

  /// The name in addresses of tracks: letters, digits, dots and hyphens.
  package var name: String
  package var kind: Kind
  package var address: WebAddress
  /// Empty if only the server knows it, by the key.
  package var user: String
  package var secret: Secret
  /// The version of what it speaks.
  package var version: String
  /// The only certificate that is trusted; `nil` for one that the system trusts.
  package var certificate: ServerCertificate?
  /// The music folders whose tracks are taken; all if there are none.
  package var folders: [MusicFolder] = []

  /// A part of the music of a server.
  package struct MusicFolder: Sendable, Hashable { package var id, name: String }

  /// `me at https://music.home`.
  package var place: String { (user.isEmpty ? "" : user + " ") + "at \(address)" }

  /// Its root in the library.
  package var root: BytePath { BytePath("\(WebAddress.serverScheme)://\(name)") }
}

/// The servers that the listener added: a file beside the databases of the library, which only the user can read
/// (docs/decisions/0058-servers-as-roots.md). This is the only place that knows its format: for each server a line, with
/// fields as in the query of an address.
package struct ServerAccounts: Sendable {
  private enum Line: Sendable {
    case account(ServerAccount)
    /// Of a later version, or written by hand.
    case other(String)
  }

  private var lines: [Line]
  static let file = BytePath("servers")

  /// The servers of the library in a folder; none if there is no file.
  package init(folder: BytePath) throws(ByteIOError) {
    self.init(text: String(decoding: try SmallFile.read(folder.appending(Self.file)) ?? [], as: UTF8.self))
  }

  /// True if the library in a folder has a file of servers.
  package static func exist(in folder: BytePath) -> Bool { folder.appending(file).exists }

  package init(text: String) {
    lines = text.split(separator: "\n").map { line in
      ServerAccount(line: String(line)).map { .account($0) } ?? .other(String(line))
    }
  }

  package func save(in folder: BytePath) throws(ByteIOError) {
    try SmallFile.write(Array(text.utf8), to: folder.appending(Self.file))
  }

  package var text: String {
    lines.map { line in
      switch line {
      case .account(let account): account.line + "\n"
      case .other(let text): text + "\n"
      }
    }.joined()
  }

  package var all: [ServerAccount] {
    lines.compactMap { if case .account(let account) = $0 { account } else { nil } }
  }

  package subscript(name: String) -> ServerAccount? { all.first { $0.name == name } }

  /// The server that this is the name, the root or the address of.
  package func named(_ text: String) -> ServerAccount? {
    all.first { [$0.name, $0.root.description, $0.address.description].contains(text) }
      ?? all.first { $0.address.description + "/" == text }
  }

  /// Adds a server, or takes the new secret of a known one. Returns it with its name.
  ///
  /// - Parameter keepsFolders: True to take the same music folders as before.
  package mutating func add(_ account: ServerAccount, keepsFolders: Bool = true) -> ServerAccount {
    var account = account
    let isSame: (ServerAccount) -> Bool = { ($0.address, $0.user) == (account.address, account.user) }
    if let known = all.first(where: isSame) {
      account.name = known.name
      if keepsFolders { account.folders = known.folders }
      lines.removeAll { if case .account(let account) = $0 { account.name == known.name } else { false } }
    } else {
      let base = Self.name(of: account.address)
      account.name = base
      var number = 1
      while self[account.name] != nil {
        number += 1
        account.name = "\(base)-\(number)"
      }
    }
    // Other users of the same server see the same certificate.
    lines = lines.map { line in
      guard case .account(var other) = line, other.address.isSameServer(as: account.address) else { return line }
      other.certificate = account.certificate
      return .account(other)
    }
    lines.append(.account(account))
    return account
  }

  /// The host in the letters of a name.
  private static func name(of address: WebAddress) -> String {
    let letters = (address.hostName ?? "").lowercased().unicodeScalars.map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789.-".unicodeScalars.contains(scalar))
        ? Character(scalar) : "-"
    }
    return letters.isEmpty ? "server" : String(letters)
  }
}

extension ServerAccount {
  fileprivate var line: String {
    var fields = [
      ("name", name), ("kind", kind.rawValue), ("address", address.text), ("user", user), ("version", version),
    ]
    switch secret {
    case .token(let token, let salt): fields += [("token", token), ("salt", salt)]
    case .password(let password): fields.append(("password", password))
    case .apiKey(let key): fields.append(("key", key))
    }
    if let certificate { fields.append(("certificate", certificate.base64)) }
    for folder in folders { fields.append(("folder", WebAddress.encoded(folder.id) + "/" + folder.name)) }
    return WebAddress.query(fields)
  }

  fileprivate init?(line: String) {
    var (fields, folders) = ([String: String](), [MusicFolder]())
    for field in line.split(separator: "&") {
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      let (name, value) = (String(parts[0]), String(parts[1]).removingPercentEscapes)
      fields[name] = value
      let names = value.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if name == "folder", names.count == 2 {
        folders.append(MusicFolder(id: names[0].removingPercentEscapes, name: names[1]))
      }
    }
    guard let name = fields["name"], let kind = fields["kind"].flatMap(Kind.init), let user = fields["user"],
      let address = fields["address"].map({ WebAddress($0) }), address.isHTTP, let version = fields["version"]
    else { return nil }
    if let token = fields["token"], let salt = fields["salt"] {
      secret = .token(token, salt: salt)
    } else if let password = fields["password"] {
      secret = .password(password)
    } else if let key = fields["key"] {
      secret = .apiKey(key)
    } else {
      return nil
    }
    if let text = fields["certificate"] {
      // Without it, nothing that the listener accepted would be known: not any other one.
      guard let certificate = ServerCertificate(base64: text) else { return nil }
      self.certificate = certificate
    }
    (self.name, self.kind, self.address, self.user, self.version) = (name, kind, address, user, version)
    self.folders = folders
  }
}

extension WebAddress {
  /// True for the same scheme, host and port.
  func isSameServer(as other: WebAddress) -> Bool { (scheme, host) == (other.scheme, other.host) }
}
