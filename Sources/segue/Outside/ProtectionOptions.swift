internal import ArgumentParser
internal import AudioOutput
internal import ByteIO
internal import Desk
internal import Glibc
internal import Player
internal import Sandbox

/// Options of all commands that read untrusted files.
struct ProtectionOptions: ParsableArguments {
  @Flag(
    name: .customLong("no-sandbox"),
    help: "Run without the sandbox, to find out whether the sandbox causes a problem.")
  var hasNoSandbox = false

  /// Enters the sandbox, for this thread and those that it creates. Streams can still be kept, and pinned tracks read.
  func enter(_ streams: StreamOptions) {
    guard !hasNoSandbox else { return }
    let folders = UserFolders()
    let cache = streams.keepsNothing ? nil : folders.cache
    let pinned = folders.pinned.flatMap { access($0.description, W_OK) == 0 ? $0 : nil }
    Sandbox(changeable: [cache].compactMap(\.self).filter { $0.makeFolder() } + [pinned].compactMap(\.self))
      .enter()
  }

  /// The same without a network; files of a folder can still be written.
  func enter(writing folder: BytePath?) {
    if !hasNoSandbox { Sandbox(changeable: [folder].compactMap(\.self)).enter() }
  }

  /// The same; the output can still be written. Call before any thread is created.
  func enter(_ streams: StreamOptions, output: WAVEDestination) -> WAVEDestination {
    let outside = hasNoSandbox ? nil : OutsideFiles(output: output)
    enter(streams)
    return outside?.opening(output) ?? output
  }
}
