import Cells
import Commands
import SoundServerSupport
import Testing

@testable import TerminalUI

/// The keys in the documents, compared with the bound keys.
struct ManualTests {
  private static let bound = Set(KeyMap.standard.bindings.flatMap(\.keys).map(\.description))

  private func document(_ name: String) -> [Substring] {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return String(decoding: contents(of: "/\(root)/\(name)"), as: UTF8.self).split(separator: "\n")
  }

  /// A key as documents write it, in the words of `Key.description`.
  private func key(_ word: Substring) -> String {
    var name = String(word).replacing("\\&", with: "").replacing("\\(dq", with: "\"").replacing("\\e", with: "\\")
    name = name.replacing("Shift-", with: "S-")
    if name.hasPrefix("Ctrl-") { name = "C-" + name.dropFirst(5).lowercased() }
    return name
  }

  @Test func `the manual page names every key, and no other`() {
    let section = document("docs/segue.1").drop { $0 != ".Sh KEYS" }.prefix { $0 != ".El" }
    let rows = section.filter { $0.hasPrefix(".It ") }.map { $0.dropFirst(4).replacing(", ", with: " ") }
    let named = rows.flatMap { $0.split(separator: " ").map(key) }
    #expect(named.count == Set(named).count)
    #expect(Set(named).subtracting(Self.bound) == [])
    #expect(Self.bound.subtracting(named) == [])
  }

  @Test func `the manual page names every command, setting and style`() {
    let sections = [
      ("COMMANDS", ActionVerbs.all.map(\.name) + Style.allCases.map(\.name)),
      ("SETTINGS", SettingEntry.listed.map(\.name)),
    ]
    for (title, names) in sections {
      let section = document("docs/segue.1").drop { $0 != ".Sh \(title)" }.dropFirst().prefix { !$0.hasPrefix(".Sh") }
      let words = Set(section.flatMap { $0.split(separator: " ") })
      for name in names { #expect(words.contains(Substring(name)), "\(title): \(name)") }
    }
  }

  @Test func `README and help name no key that does nothing`() {
    let rows = document("README.md").drop { !$0.hasPrefix("| key |") }.dropFirst(2).prefix { $0.hasPrefix("|") }
    let names = Set(Self.bound.filter { $0.count > 1 })
    var count = 0
    for row in rows {
      let words = row.dropFirst().prefix { $0 != "|" }.replacing(", ", with: " ").split(separator: " ")
      for word in words where word.hasPrefix("`") || names.contains(String(word)) {
        count += 1
        #expect(Self.bound.contains(word.filter { $0 != "`" }), "\(word)")
      }
    }
    #expect(count > 12)
    for binding in KeyMap.standard.bindings { #expect(!binding.action.help.isEmpty) }
  }
}
