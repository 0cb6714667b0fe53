internal import ByteIO
internal import Commands
internal import Desk
internal import Glibc
internal import Player
internal import Streaming
internal import TerminalUI

extension Finding {
  /// Checks that the files of settings have no errors.
  static func settings(in folders: UserFolders) -> Finding {
    guard let folder = folders.configuration else {
      return Finding(subject: "settings", text: "none: HOME is not set")
    }
    let errors = ConfigurationFiles(folder: folder).read().errors
    let ignored = errors.filter { $0.error.message.hasPrefix("cannot trust") }
      .map { folder.appending(BytePath($0.file)).description }.joined(separator: " ")
    let remedy =
      ignored.isEmpty ? "fix these; all other lines are in use" : "the whole file is ignored: chmod go-w \(ignored)"
    return Finding(
      subject: "settings", verdict: errors.isEmpty ? .ok : .warning,
      text: errors.isEmpty ? folder.description : "\(folder): " + errors.map(\.description).joined(separator: "; "),
      remedy: errors.isEmpty ? "" : remedy,
      facts: ["folder": .string(folder.description), "errors": .array(errors.map { .string($0.description) })])
  }

  /// The size of the cache of network streams, and whether it is writable.
  static func cache(_ folder: BytePath?) -> Finding {
    guard let folder else {
      return Finding(
        subject: "cache", verdict: .warning, text: "network streams are not cached: HOME is not set",
        remedy: "set HOME or XDG_CACHE_HOME")
    }
    let configuration = StreamOptions.configuration(keepsNothing: false)
    let network = Network(configuration)
    defer { network.shutDown() }
    let (kept, limit) = (network.keptByteCount, configuration.cacheByteLimit)
    let isWritable = canWrite(folder)
    return Finding(
      subject: "cache", verdict: isWritable ? .ok : .warning,
      text: "\(folder): \(kept >> 20) of \(limit >> 20) MiB used" + (isWritable ? "" : ", not writable"),
      remedy: isWritable ? "" : "make the folder writable, or use --no-cache",
      facts: [
        "folder": .string(folder.description), "bytes": JSON(kept), "limit": JSON(limit), "writable": .bool(isWritable),
      ])
  }

  /// Checks that the next start can restore the session.
  static func session(in folders: UserFolders) -> Finding {
    guard let folder = folders.state else { return Finding(subject: "session", text: "not saved: HOME is not set") }
    let files = SessionFiles(folder: folder).examine()
    var problems = files.compactMap { file, problem in problem.map { "\(file): \($0)" } }
    if !canWrite(folder) { problems.append("\(folder): not writable") }
    let found = files.first.map(\.file.description) ?? "none yet in \(folder)"
    return Finding(
      subject: "session", verdict: problems.isEmpty ? .ok : .warning,
      text: problems.isEmpty ? found : problems.joined(separator: "; "),
      remedy: problems.isEmpty ? "" : "make the folder writable; a damaged session is set aside at the next start",
      facts: ["folder": .string(folder.description), "problems": .array(problems.map { .string($0) })])
  }

  /// Returns true if files can be created in a folder, or the folder itself if it is missing.
  private static func canWrite(_ folder: BytePath) -> Bool {
    if folder.withCString({ access($0, W_OK | X_OK) }) == 0 { return true }
    return errno == ENOENT && folder.parent != folder && canWrite(folder.parent)
  }
}
