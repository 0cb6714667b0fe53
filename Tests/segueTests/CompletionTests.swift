import Glibc
import Testing

/// What shells offer behind `segue`: the scripts that the program writes, in the shells they are for.
@Suite struct `Completions in shells` {
  /// Answers of a shell that has read its script, a line each. `$1` is the script.
  private func answers(_ shell: [String], _ commands: String) throws -> [Substring] {
    let folder = try TemporaryFolder()
    let script = folder.path + "/_segue"
    try write(try Program.segue("--generate-completion-script", shell[0]).output, to: script)
    let result = try Program.run(
      ["env", "HOME=\(folder.path)", "PATH=\(Program.path.dropLast("segue".count)):/usr/bin:/bin"] + shell
        + ["-c", commands, shell[0], script])
    #expect(result.errors == "")
    return result.text.split(separator: "\n")
  }

  @Test(arguments: [("--ga", "--gain"), ("doc", "doctor"), ("--no-u", "--no-ui")])
  func `bash`(beginning: String, whole: String) throws {
    let words = try answers(
      ["bash", "--norc"],
      """
      source "$1"; COMP_WORDS=(segue \(beginning)); COMP_CWORD=1; COMP_LINE="segue \(beginning)"; COMP_POINT=${#COMP_LINE}
      $(complete -p segue | sed 's/.*-F \\([^ ]*\\).*/\\1/') segue \(beginning) segue; printf '%s\\n' "${COMPREPLY[@]}"
      """)
    #expect(words.map { $0.trimmingSuffix(" ") } == [whole])
  }

  @Test(arguments: [("--ga", "--gain"), ("doc", "doctor")])
  func `fish`(beginning: String, whole: String) throws {
    let words = try answers(
      ["fish", "--no-config"], "source $argv[1]; complete -C 'segue \(beginning)'")
    #expect(words.contains { $0 == whole || $0.hasPrefix(whole + "\t") }, "\(words)")
  }

  @Test func `zsh`() throws {
    let words = try answers(
      ["zsh", "-f"],
      """
      fpath=(${1:h} $fpath); autoload -Uz compinit; compinit -u -D; print -r -- $_comps[segue]
      autoload +X _segue && whence -w _segue
      """)
    #expect(words == ["_segue", "_segue: function"])
  }
}

extension Substring {
  fileprivate func trimmingSuffix(_ end: Character) -> Substring { last == end ? dropLast() : self }
}
