internal import ByteIO
internal import ControlSocket
internal import Player

extension Finding {
  /// The sockets of players: for remote control, and for the next terminal of a player without one.
  static func remoteControl(in folders: UserFolders) -> Finding {
    let subject = "remote control"
    guard let folder = folders.runtime else {
      return Finding(
        subject: subject, verdict: .warning, text: "none, and no :detach: there is no folder for sockets",
        remedy: "set XDG_RUNTIME_DIR to a folder that only you can enter, as a login does")
    }
    let isRunning = LocalListener.isAnswered(folder.appending(BytePath("control")))
    let isFree = LocalListener.isAnswered(folder.appending(BytePath(TerminalDoor.socketName)), .packets)
    let state = isFree ? "a player runs without a terminal" : isRunning ? "a player runs" : "no player runs"
    return Finding(
      subject: subject, text: "\(folder): \(state)",
      facts: [
        "folder": .string(folder.description), "running": .bool(isRunning), "withoutTerminal": .bool(isFree),
      ])
  }
}
