internal import ByteIO
internal import Glibc
internal import Player
internal import TerminalUI

/// Reads what the listener has written: `themes/`, `config`, `keys`, then what the command line says. Where nothing was
/// written that costs three looks.
struct ConfigurationFiles {
  /// `nil`: none is read.
  let folder: BytePath?
  /// In place of `config`.
  var file: BytePath?
  /// Of `-o name=value`.
  var options: [String] = []

  /// Settings, and what is wrong with the files. What is right in them holds.
  func read() -> (configuration: Configuration, errors: [ConfigurationError]) {
    var configuration = Configuration()
    configuration.folder = folder.map { UserFolders().abbreviated($0).description }
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
      // Whoever names a file means it: a pipe, another's.
      do throws(ByteIOError) {
        guard let bytes = try SmallFile.read(file) else { throw ByteIOError(operation: "open", errno: ENOENT) }
        errors += configuration.read(String(decoding: bytes, as: UTF8.self), named: file.description)
      } catch { errors.append(ConfigurationError(file: file.description, error.description)) }
    }
    if let folder, let text = text(of: folder.appending(BytePath("keys")), named: "keys", &errors) {
      errors += configuration.read(text, named: "keys")
    }
    for option in options {
      // Where in it something is wrong is seen.
      errors += configuration.read("set \(quotedForSet(option))", named: "").map {
        ConfigurationError(file: "-o \(option)", $0.error.message)
      }
    }
    return (configuration, errors)
  }

  /// The shell has taken one pair of quotes away.
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
