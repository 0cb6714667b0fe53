internal import ArgumentParser
internal import Commands

/// Completions for shells: the argument parser's, which need a subcommand, changed so that `segue` alone plays.
enum CompletionScripts {
  static func text(for shell: CompletionShell, of program: any ParsableCommand.Type) -> String {
    let text = program.completionScript(for: shell)
    let commands = (program.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"])
      .joined(separator: "|")
    return switch shell {
    case .bash:
      text.replacing("#!/bin/bash\n", with: "")
        .replacing(customWords, with: quotedWords)
        .replacing("complete -o filenames -F _segue segue", with: bash(commands))
    case .zsh:
      text.replacing(describedWords, with: plainWords)
        .replacing("\n_segue() {", with: "\n" + zsh(commands) + "\n_segue_named() {")
    case .fish:
      text.replacing("test \"$commands\" = \"$expected_commands\" -a", with: "\(fishName); and test")
        .replacing("test \"$commands\" = \"$expected_commands\"", with: fishName) + fish
    default: text
    }
  }

  /// Prints the words of the program, one per line.
  private static let customWords = #""${COMP_WORDS[0]}" "${@}" "${words[@]}""#
  /// Each word in single quotes: `compgen -W` expands its words, so that it would run `$(...)` in a name. The `%q` of
  /// bash does not suffice: its `$'...'` is not known there.
  private static let quotedWords = #"""
    local -r quote="'" quoted="'\"'\"'"
        \#(customWords) | while IFS= read -r word; do printf "'%s'\n" "${word//${quote}/${quoted}}"; done
    """#

  /// Takes what follows a colon for a description, and a backslash away.
  private static let describedWords = #"__segue_complete "${completions[@]:0:-1}""#
  /// Nothing follows a field, setting or folder that is not finished.
  private static let plainWords = #"""
    compadd -V segue -S '' -- "${(@M)completions[1,-2]:#*[:=/]}"
            compadd -V segue -- "${(@)completions[1,-2]:#*[:=/]}"
    """#

  /// The words are completed as they are, and with `play` before them.
  ///
  /// bash splits words at `:` and `=`: those of queries and settings are joined again, and the answers lose what the
  /// shell does not replace. Nothing follows a field or setting, and its sign is not quoted as that of a file's name is.
  private static func bash(_ commands: String) -> String {
    #"""
    _segue_words() {
        if [[ "${COMP_CWORD}" -gt 1 && "${COMP_WORDS[1]}" =~ ^(\#(commands))$ ]]; then
            _segue "$@"
            return
        fi
        [[ "${COMP_CWORD}" -eq 1 && "${2}" != -* ]] && _segue "$@"
        COMP_WORDS=("${COMP_WORDS[0]}" play "${COMP_WORDS[@]:1}")
        COMP_CWORD=$((COMP_CWORD + 1))
        COMP_LINE="${COMP_LINE/ / play }"
        COMP_POINT=$((COMP_POINT + 5))
        _segue "$@"
    }

    _segue_or_play() {
        local rest="${COMP_LINE}" start='' word
        local -i index cword=COMP_CWORD
        local -a joined=()
        for index in "${!COMP_WORDS[@]}"; do
            word="${COMP_WORDS[index]}"
            if [[ "${#joined[@]}" -gt 1 && "${joined[1]} ${joined[-2]}" =~ ^(library|ctl)\ |\ --query$
                && "${rest}" != [[:space:]]* && "${joined[-1]}" == [!:=-]*
                && ("${word}" == [:=]* || "${joined[-1]}" == *[:=]) ]]
            then
                [[ index -eq COMP_CWORD ]] && start="${joined[-1]}${word%"${2}"}"
                joined[-1]+="${word}"
            else
                joined+=("${word}")
            fi
            [[ index -eq COMP_CWORD ]] && cword="${#joined[@]}-1"
            rest="${rest#*"${word}"}"
        done
        COMP_WORDS=("${joined[@]}")
        COMP_CWORD="${cword}"
        _segue_words "${1}" "${start}${2}" "${joined[cword - 1]}"
        [[ "${COMPREPLY[*]}" == "${start}" ]] && COMPREPLY=()
        COMPREPLY=("${COMPREPLY[@]#"${start}"}")
        for word in "${COMPREPLY[@]}"; do
            [[ "${word}" =~ ^[a-z-]+[:=]$ ]] || return 0
        done
        [[ "${#COMPREPLY[@]}" -eq 0 ]] || compopt -o nospace +o filenames
    }

    complete -o filenames -F _segue_or_play segue
    """#
  }

  private static func zsh(_ commands: String) -> String {
    """
    _segue() {
        local -i ret=1
        if (( CURRENT > 2 )) && [[ "${words[2]}" == (\(commands)) ]]; then
            _segue_named "$@"
            return
        fi
        (( CURRENT == 2 )) && [[ "${words[2]}" != -* ]] && _segue_named "$@" && ret=0
        words=("${words[1]}" play "${(@)words[2,-1]}")
        (( CURRENT++ ))
        _segue_named "$@" && ret=0
        return "${ret}"
    }

    """
  }

  private static let fishName = "__segue_is \"$commands\" \"$expected_commands\""
  private static let fish = """


    function __segue_is -a commands expected_commands
        test "$commands" = "$expected_commands" -o "$commands $expected_commands" = 'segue segue play'
    end

    """
}
