import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// Completions of `segue` in real shells on a terminal, with the scripts that the program writes for them.
@Suite(.onThreadsOfTheirOwn) struct `Completions in shells` {
  private static let shells: [(name: String, arguments: String, load: String)] = [
    ("bash", "--norc --noprofile", "source ./_segue"),
    ("zsh", "-f", "fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D"),
    ("fish", "--no-config", "source ./_segue"),
  ]

  @Test(
    arguments: ["bash", "zsh", "fish"],
    [
      ("segue doc", "segue doctor"), ("segue --ga", "segue --gain"), ("segue my", "segue my-song.mp3"),
      ("segue my-song.mp3 --no-u", "segue my-song.mp3 --no-ui"), ("segue --gain alb", "segue --gain album"),
      ("segue decode --sam", "segue decode --sample-format"), ("segue ctl tog", "segue ctl toggle"),
      ("segue decode my", "segue decode my-song.mp3"),
    ])
  func `Tab completes words`(shell: String, line: (typed: String, completed: String)) throws {
    let folder = try TemporaryFolder()
    let (name, arguments, load) = try #require(Self.shells.first { $0.name == shell })
    try write([], to: folder.path + "/my-song.mp3")
    try write(try Program.segue("--generate-completion-script", name).output, to: folder.path + "/_segue")
    let tmux = try Tmux(
      environment: ["HOME": folder.path, "PS1": "> "],
      "cd \(folder.path) && PATH=\(Program.path.dropLast("segue".count)):$PATH exec \(name) \(arguments)")
    tmux.press("-l", load)
    tmux.press("Enter")
    tmux.press("-l", "echo rea''dy")
    tmux.press("Enter")
    let isReady = waitUntil(milliseconds: 50) { tmux.screen.contains("\nready") }
    #expect(isReady, "\(tmux.screen)")
    tmux.press("-l", line.typed)
    tmux.press("Tab")
    let isCompleted = waitUntil(milliseconds: 50) {
      let screen = tmux.screen
      return [" ", "\n"].contains { screen.contains(line.completed + $0) }
    }
    #expect(isCompleted, "\(tmux.screen)")
  }
}
