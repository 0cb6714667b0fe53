import Cells
import Glibc
import Playback
import Player
import SoundServerSupport
import Testing

@testable import Commands
@testable import TerminalUI

/// Manual, manual page and help against the tables that the program works by. Tables in
/// docs/manual/reference.md stand between `<!-- name -->` and `<!-- /name -->`; SEGUE_WRITE_DOCS=1 writes them.
@Suite(.serialized) struct DocumentationTests {
  private static let folder = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/docs/"

  private static let tables = "manual/reference.md"

  private func text(_ name: String) throws -> String {
    String(decoding: try contents(Self.folder + name), as: UTF8.self)
  }

  /// Compares a table of the manual with its expected contents.
  private func expectTable(_ name: String, _ rows: [[String]]) throws {
    let head = "<!-- \(name) -->\n"
    let foot = "<!-- /\(name.prefix { $0 != " " }) -->"
    let manual = try text(Self.tables)
    let start = try #require(manual.firstRange(of: head)).upperBound
    let end = try #require(manual[start...].firstRange(of: foot)).lowerBound
    let lines = rows.map { row in
      "| " + row.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }
    let wanted =
      ([lines[0], "|" + String(repeating: "---|", count: rows[0].count)] + lines.dropFirst())
      .joined(separator: "\n") + "\n"
    if getenv("SEGUE_WRITE_DOCS") != nil {
      try write((manual[..<start] + wanted + manual[end...]).utf8, to: Self.folder + Self.tables)
    } else {
      #expect(manual[start..<end] == wanted, "SEGUE_WRITE_DOCS=1 writes it anew")
    }
  }

  @Test func `the manual's keys are those that are bound`() throws {
    let rows = KeyMap.standard.bindings.map { binding in
      [
        binding.keys.map { code($0.description) }.joined(separator: " "), binding.action.help,
        code(binding.action.text),
      ]
    }
    try expectTable("keys", [["key", "what it does", "command"]] + rows)
  }

  @Test func `the manual's commands are those that there are`() throws {
    let rows = ActionVerbs.all.map { [code($0.synopsis.isEmpty ? $0.name : "\($0.name) \($0.synopsis)"), $0.help] }
    try expectTable("commands", [["command", "what it does"]] + rows)
  }

  @Test func `the manual's settings have the values and defaults of the program`() throws {
    let settings = Array(Mirror(reflecting: ScreenSettings()).children) + Array(Mirror(reflecting: Settings()).children)
    let rows = try SettingEntry.listed.map { setting in
      let name = setting.name.filter { $0 != "-" }
      // Those of the page, the stream and of programs are values of their own.
      if case .player(let own) = setting,
        own == .web || ["stream", "on-event", "resolver"].contains(where: own.rawValue.hasPrefix)
      {
        let text = Settings().text(of: own)
        return [
          code(setting.name), setting.values.map(code).joined(separator: " "), text.isEmpty ? "" : code(text),
          setting.help,
        ]
      }
      let value = try #require(settings.first { $0.label?.lowercased() == name }, "\(setting)").value
      let values = setting.values.map(code).joined(separator: " ")
      return [code(setting.name), values, written(value), setting.help]
    }
    try expectTable("settings", [["name", "values", "default", "meaning"]] + rows)
  }

  /// A setting's value as `set` takes it.
  private func written(_ value: Any) -> String {
    if let isOn = value as? Bool { return code(isOn ? "on" : "off") }
    let text = (value as? Int) ?? (value as? any RawRepresentable)?.rawValue ?? value
    return "\(text)".isEmpty ? "" : code("\(text)" == "nil" ? "off" : "\(text)")
  }

  @Test(arguments: ["play", "decode"]) func `the manual's options are those of help`(command: String) throws {
    let rows = try options(of: command).filter { command == "play" || !shared.contains($0.name) }
    try expectTable("options \(command)", [["option", "what it does"]] + rows.map { [code($0.synopsis), $0.help] })
  }

  @Test(arguments: ["play", "info", "packets", "decode", "doctor", "ctl"])
  func `the manual page lists each option of each command`(command: String) throws {
    let page = try text("segue.1")
    #expect(page.contains(".It Cm \(command)\n"))
    let options = try options(of: command)
    #expect(!options.isEmpty)
    for option in options {
      // `Fl -gain` and `Fl o`, as macros or after a comma.
      let name = String(option.name.dropFirst())
      let isThere = page.split(whereSeparator: \.isNewline).contains { line in
        line.split { " ,".contains($0) }.contains(Substring(name)) && line.contains("Fl ")
      }
      #expect(isThere, "\(command) \(option.name)")
    }
  }

  @Test func `the manual page lists each command of the command line and each setting`() throws {
    let page = try text("segue.1")
    let commands = try #require(section("COMMANDS", of: page)).split { " \n".contains($0) }
    for verb in ActionVerbs.all { #expect(commands.contains(Substring(verb.name)), "\(verb.name)") }
    let settings = try #require(section("SETTINGS", of: page))
    for setting in SettingEntry.listed { #expect(settings.contains(".It Cm \(setting.name) Ns"), "\(setting)") }
  }

  /// All documents, by their paths from `docs`.
  private func documents() throws -> [String] {
    let listing = try Program.run(["find", Self.folder, "-name", "*.md", "-printf", "%P\\n"]).text
    return ["../README.md", "../CHANGELOG.md", "../CONTRIBUTING.md"]
      + listing.split(separator: "\n").map(String.init)
  }

  @Test func `links in documents lead to files`() throws {
    let names = try documents()
    #expect(names.contains("manual.md") && names.contains("decisions/0001-sandbox.md"))
    for name in names {
      let folder = Self.folder + name.prefix(name.count - (name.split(separator: "/").last?.count ?? 0))
      for part in try text(name).split(separator: "](").dropFirst() {
        let target = part.prefix { !")#".contains($0) }
        guard !target.isEmpty, !target.hasPrefix("http") else { continue }
        #expect(access(folder + target, R_OK) == 0, "\(name): \(target)")
      }
    }
  }

  @Test func `source and test files that documents name exist`() throws {
    for name in try documents() {
      for code in try text(name).split(separator: "`") where code.hasPrefix("Sources/") || code.hasPrefix("Tests/") {
        #expect(access(Self.folder + "../" + code, R_OK) == 0, "\(name): \(code)")
      }
    }
  }

  @Test func `no picture shows a folder of the machine that drew it`() throws {
    let pictures = try Program.run(["ls", Self.folder + "pictures"]).text.split(separator: "\n")
    #expect(pictures.contains("help.svg"))
    for name in pictures where name.hasSuffix(".svg") {
      let picture = try text("pictures/\(name)")
      for folder in ["/tmp", "/var/", "/home/", "/work", "/root"] { #expect(!picture.contains(folder), "\(name)") }
    }
  }

  @Test func `the changelog describes this version, or before 1.0.0 what is unreleased`() throws {
    let version = try Program.segue("--version").text.split(separator: "\n").first ?? ""
    let heading = version.hasPrefix("0.") ? "## [Unreleased]\n" : "## [\(version)] - "
    #expect(try text("../CHANGELOG.md").contains("\n" + heading))
  }

  @Test func `the manual page is formatted without a complaint`() throws {
    let result = try Program.run(["groff", "-mdoc", "-Tutf8", "-ww", "-z", Self.folder + "segue.1"])
    #expect(result.status == 0 && result.errors == "")
  }

  private func section(_ name: String, of page: String) -> Substring? {
    guard let start = page.firstRange(of: ".Sh \(name)\n")?.upperBound else { return nil }
    return page[start...].firstRange(of: "\n.Sh ").map { page[start..<$0.lowerBound] } ?? page[start...]
  }

  // MARK: Help

  private let shared = ["--gain", "--preamp", "--eq", "--balance"]

  /// The list OPTIONS of `segue help`: names, values and texts.
  private func options(of command: String) throws -> [(name: String, synopsis: String, help: String)] {
    let help = try Program.run(["env", "COLUMNS=100", Program.path, "help", command]).text
    let start = try #require(help.firstRange(of: "OPTIONS:\n")).upperBound
    var options: [(name: String, synopsis: String, help: String)] = []
    for line in help[start...].split(separator: "\n") {
      let text = line.drop { $0 == " " }
      let indent = line.count - text.count
      if indent == 2 {
        let synopsis = text.firstRange(of: "  ").map { text[..<$0.lowerBound] } ?? text
        let name = synopsis.split(separator: " ").last { $0.hasPrefix("-") } ?? synopsis
        let words = text.dropFirst(synopsis.count).drop { $0 == " " }
        options.append((String(name), String(synopsis), String(words)))
      } else if indent > 2, let last = options.indices.last {
        options[last].help += (options[last].help.isEmpty ? "" : " ") + text
      } else {
        break
      }
    }
    return options.filter { !["--help", "--version"].contains($0.name) }
  }
}

/// As code in Markdown, whatever is in it.
private func code(_ text: String) -> String { text.contains("`") ? "`` \(text) ``" : "`\(text)`" }
