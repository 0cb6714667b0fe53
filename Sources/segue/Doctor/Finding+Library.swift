internal import AudioModel
internal import ByteIO
internal import Commands
internal import Database
internal import Desk
internal import Glibc
internal import Library
internal import Player

extension Finding {
  /// The state of the library: its databases, and the folders and files that cannot be read.
  static func library(in folders: UserFolders) -> Finding {
    guard let folder = folders.data else { return Finding(subject: "library", text: "none: HOME is not set") }
    // A look makes nothing.
    let connection = LibraryConnection(folder)
    guard connection.has("catalogue.map") else {
      return Finding(
        subject: "library", text: "none yet: 'segue library add ~/Music' makes one",
        facts: ["folder": .string(folder.description), "tracks": .null])
    }
    do throws(DatabaseError) {
      let library = try connection.open()
      let (view, roots, badCount) = (try library.view(), try library.roots(), try UnreadStore(library).badCount())
      let away = roots.filter { $0.state == .away }
      var problems = away.map { "\($0.path) is away (\($0.reason ?? "not there"))" }
      if badCount > 0 { problems.append("\(counted(badCount, "file")) cannot be read as sound") }
      return Finding(
        subject: "library", verdict: problems.isEmpty ? .ok : .warning,
        text: (["\(counted(view.index.trackCount, "track")) in \(folder)"] + problems).joined(separator: "; "),
        remedy: problems.isEmpty ? "" : "'segue library stats' lists the files; what is away comes back with its disk",
        facts: [
          "folder": .string(folder.description), "tracks": JSON(view.index.trackCount),
          "away": .array(away.map { .string($0.path.description) }), "bad": JSON(badCount),
        ])
    } catch {
      return Finding(
        subject: "library", verdict: .warning, text: error.description,
        remedy: "the music plays without it; move the damaged file away, or install what is missing")
    }
  }
}

extension Finding {
  /// The servers of music of the library: whether each answers and lets the listener in.
  static func servers(in folders: UserFolders) -> [Finding] {
    guard let folder = folders.data else { return [] }
    let servers = KnownServers(folder)
    do throws(ByteIOError) { return try servers.accounts().all.map { server($0, servers) } } catch {
      return [
        Finding(
          subject: "servers", verdict: .warning, text: "\(folder)/servers: \(error)", remedy: "make the file readable")
      ]
    }
  }

  /// A clock that differs by so many seconds is wrong.
  private static let clockLimit: Int64 = 120

  private static func server(_ account: ServerAccount, _ servers: KnownServers) -> Finding {
    let subject = "server \(account.name)"
    let check: ServerCheck
    do throws(ServerFailure) { check = try ServerCheck(account, servers) { Int64(time(nil)) } } catch {
      return Finding(
        subject: subject, verdict: .warning, text: "\(account.place): \(error)", remedy: remedy(for: error, account),
        facts: ["address": .string(account.address.description), "error": .string(error.description)])
    }
    let connection =
      account.address.scheme == "http"
      ? "not encrypted"
      : check.acceptedFingerprint.map { "certificate accepted by you, SHA-256 \($0)" } ?? "certificate trusted"
    let extensions =
      check.extensions.isEmpty ? "no extensions" : "extensions \(check.extensions.joined(separator: " "))"
    var text = "\(account.place): \(check.program), Subsonic \(check.version), logged in, \(connection), \(extensions)"
    let difference = check.clockDifference ?? 0
    let isOff = difference.magnitude > clockLimit
    if isOff {
      text += ", its clock is \(counted(Int(difference.magnitude), "second")) \(difference > 0 ? "ahead" : "behind")"
    }
    return Finding(
      subject: subject, verdict: isOff ? .warning : .ok, text: text,
      remedy: isOff ? "set both clocks by NTP: plays are sent with their times" : "",
      facts: [
        "address": .string(account.address.description), "program": .string(check.program),
        "version": .string(check.version), "extensions": .array(check.extensions.map { .string($0) }),
        "clockDifference": check.clockDifference.map { JSON(Int(clamping: $0)) } ?? .null,
        "fingerprint": JSON(check.acceptedFingerprint), "error": .null,
      ])
  }

  private static func remedy(for failure: ServerFailure, _ account: ServerAccount) -> String {
    let user = account.user.isEmpty ? "" : " --user \(account.user)"
    return switch failure.status ?? failure.code {
    case 40?, 41?, 42?, 43?, 44?, 401?, 403?:
      "'segue library add \(account.address)\(user)' takes a new password or key"
    case 404?: "look at its address in a browser"
    case nil:
      "see whether it runs and this machine has a network; 'segue library add \(account.address)\(user)' looks at its"
        + " certificate"
    default: "see what its own log says"
    }
  }
}
