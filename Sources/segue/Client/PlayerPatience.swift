internal import AudioModel
internal import ByteIO
internal import ControlSocket
internal import Desk
internal import Player
internal import Threads

/// The limit of a wait for a player's first words: half a minute if it is busy, a second if it is suspended.
struct PlayerPatience {
  private let end = MonotonicTime.now + .seconds(30)

  /// True if the player at the other end of a Unix socket is given up. Call after each second without an answer.
  func isOver(at descriptor: CInt) -> Bool {
    end <= .now || PacketLink.peer(of: descriptor).map { isStopped($0.process) } == true
  }

  private func isStopped(_ process: Int32) -> Bool {
    guard let status = try? SmallFile.read(BytePath("/proc/\(process)/stat")) else { return false }
    // proc(5): the number, the name in parentheses, the state.
    return status.lastIndex(of: UInt8(ascii: ")")).map { status.dropFirst($0 + 2).first == UInt8(ascii: "T") } ?? false
  }
}
