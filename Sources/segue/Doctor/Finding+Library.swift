internal import AudioModel
internal import ByteIO
internal import Commands
internal import Database
internal import Desk
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
      let (view, roots, badCount) = (try library.view(), try library.roots(), try library.badFileCount())
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
