internal import ByteIO
internal import Commands
internal import Desk
internal import Glibc
internal import Player
internal import TerminalUI

/// Reads the user's settings: `themes/`, `config`, `keys`, then the command line. Missing files cost three system
/// calls.
struct ConfigurationFiles {
  /// The folder of the files; `nil` reads none.
  let folder: BytePath?
  /// A file in place of `config`.
  var file: BytePath?
  /// The values of `-o name=value`.
  var options: [String] = []

  /// The settings, and the errors in the files. Lines without errors take effect.
  func read() -> (configuration: Configuration, errors: [ConfigurationError]) {
    var configuration = Configuration()
    configuration.home = UserFolders().home
    configuration.folder = folder?.abbreviated(inHome: configuration.home).description
    var errors: [ConfigurationError] = []
    if let folder {
      for name in themeNames(in: folder) {
        let path = folder.appending(BytePath("themes/\(name)"))
        guard let text = text(of: path, named: "themes/\(name)", &errors) else { continue }
        errors += configuration.readTheme(text, name: name, file: "themes/\(name)")
      }
      if file == nil, let text = text(of: folder.appending(BytePath("config")), named: "config", &errors) {
        errors += configuration.read(text, named: "config")
      }
    }
    if let file {
      // A file that the command line names may be a pipe, or belong to another user.
      do throws(ByteIOError) {
        guard let bytes = try SmallFile.read(file) else { throw ByteIOError(operation: "open", errno: ENOENT) }
        errors += configuration.read(String(decoding: bytes, as: UTF8.self), named: file.description)
      } catch { errors.append(ConfigurationError(file: file.description, error.description)) }
    }
    if let folder, let text = text(of: folder.appending(BytePath("keys")), named: "keys", &errors) {
      errors += configuration.read(text, named: "keys")
    }
    for option in options {
      // Everybody can read the arguments of a program.
      if let password = Setting.secret.first(where: { option.hasPrefix($0.rawValue) }) {
        errors.append(ConfigurationError(file: "-o \(password.rawValue)", "it can only be set in the file config"))
        continue
      }
      // The message names the option: a position in it would not help.
      errors += configuration.read("set \(quotedForSet(option))", named: "").map {
        ConfigurationError(file: "-o \(option)", $0.error.message)
      }
    }
    return (configuration, errors)
  }

  /// Takes the character set of the settings, for commands without other settings.
  static func chooseCharset() { Self(folder: UserFolders().configuration).read().configuration.player.applyCharset() }

  /// The files that there may be.
  var paths: [BytePath] {
    guard let folder else { return [file].compactMap(\.self) }
    let names =
      [file == nil ? "config" : nil, "keys"].compactMap(\.self) + themeNames(in: folder).map { "themes/\($0)" }
    return [file].compactMap(\.self) + names.map { folder.appending(BytePath($0)) }
  }

  /// Adds the pair of quotes that the shell has removed.
  private func quotedForSet(_ option: String) -> String { "'" + option.replacing("'", with: "'\\''") + "'" }

  private func text(of path: BytePath, named name: String, _ errors: inout [ConfigurationError]) -> String? {
    do throws(ByteIOError) {
      return try SmallFile.read(path, isTrusted: false).map { String(decoding: $0, as: UTF8.self) }
    } catch {
      errors.append(ConfigurationError(file: name, error.description))
      return nil
    }
  }

  private func themeNames(in folder: BytePath) -> [String] {
    guard let stream = folder.appending(BytePath("themes")).withCString({ opendir($0) }) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream), names.count < 1000 {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix("."), !name.hasSuffix("~") { names.append(name) }
    }
    return names.sorted()
  }
}
