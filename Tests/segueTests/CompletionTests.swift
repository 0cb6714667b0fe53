import Glibc
import SoundServerSupport
import TestTraits
import Testing

@testable import segue

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
      ("segue decode my", "segue decode my-song.mp3"), ("segue library forget love", "segue library forget loved:"),
    ])
  func `Tab completes words`(shell: String, line: (typed: String, completed: String)) throws {
    let folder = try TemporaryFolder()
    try write([], to: folder.path + "/my-song.mp3")
    let tmux = try terminal(shell, in: folder)
    tmux.press("-l", line.typed)
    tmux.press("Tab")
    let isCompleted = waitUntil(milliseconds: 50) {
      let screen = tmux.screen
      return [" ", "\n"].contains { screen.contains(line.completed + $0) }
    }
    #expect(isCompleted, "\(tmux.screen)")
  }

  /// bash expands the words of `compgen -W`.
  @Test(
    arguments: [
      ("$(touch pwned).mp3", #"\$\(touch\ pwned\).mp3"#), ("`touch pwned`.mp3", #"\`touch\ pwned\`.mp3"#),
      ("\u{1}$(touch pwned).mp3", nil), ("It's \"b\" \\c.mp3", #"It\'s\ \"b\"\ \\c.mp3"#),
    ] as [(String, String?)])
  func `bash completes names letter by letter, and runs no command in them`(name: String, completed: String?) throws {
    let folder = try TemporaryFolder()
    #expect(mkdir(folder.path + "/music", 0o755) == 0)
    try write([], to: folder.path + "/music/" + name)
    let tmux = try terminal("bash", in: folder)
    tmux.press("-l", "segue ctl add music/")
    tmux.press("Tab")
    let isCompleted = waitUntil(milliseconds: 50) { tmux.screen.contains(completed.map { "music/\($0)" } ?? ".mp3") }
    #expect(isCompleted, "\(tmux.screen)")
    #expect(access(folder.path + "/pwned", F_OK) != 0)
  }

  @Test(arguments: [
    ([""], "toggle"), (["--instance", "5", ""], "toggle"), (["--format", "{name} x", "wa"], "watch"),
    (["--every", "2", "--json", "watch", ""], "events"), (["--instance", "5", "set", ""], "crossfade="),
  ])
  func `the values of options are not words of ctl`(line: [String], word: String) {
    #expect(ControlCompletion.words(after: ["segue", "ctl"] + line).contains(word))
  }

  /// `loved:` has its values without a library. After a space, `y` would be the field `year:`.
  @Test(
    arguments: ["bash", "zsh", "fish"],
    [["segue library search love", "d:", "y", "es"], ["segue ctl set cross", "fade=", "4", ""]])
  func `the value follows a field or setting at once`(shell: String, keys: [String]) throws {
    let folder = try TemporaryFolder()
    let tmux = try terminal(shell, in: folder)
    var line = ""
    for index in stride(from: 0, to: keys.count, by: 2) {
      line += keys[index] + keys[index + 1]
      tmux.press("-l", keys[index])
      if !keys[index + 1].isEmpty { tmux.press("Tab") }
      let isCompleted = waitUntil(milliseconds: 50) { tmux.screen.contains(line) }
      #expect(isCompleted, "\(tmux.screen)")
    }
  }

  @Test func `zsh keeps colons and backslashes of names`() throws {
    let folder = try TemporaryFolder()
    try write([], to: folder.path + #"/Best: of\ours.mp3"#)
    let tmux = try terminal("zsh", in: folder)
    tmux.press("-l", "segue ctl add Be")
    tmux.press("Tab")
    let isCompleted = waitUntil(milliseconds: 50) { tmux.screen.contains(#"ctl add Best:\ of\\ours.mp3"#) }
    #expect(isCompleted, "\(tmux.screen)")
  }

  @Test(arguments: ["bash", "zsh", "fish"]) func `all ways to ask for a script print the same`(shell: String) throws {
    let script = try Program.segue("--generate-completion-script", shell).text
    #expect(try Program.segue("--generate-completion-script=\(shell)").text == script)
    let ours = ["env", "SHELL=/bin/\(shell)", Program.path, "--generate-completion-script"]
    #expect(try Program.run(ours).text == script)
  }

  /// A shell with the completions that is ready for keys.
  private func terminal(_ shell: String, in folder: TemporaryFolder) throws -> Tmux {
    let (name, arguments, load) = try #require(Self.shells.first { $0.name == shell })
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
    return tmux
  }
}
