internal import ArgumentParser
internal import ByteIO
internal import Desk
internal import Library
internal import Sandbox

extension ProtectionOptions {
  /// Opens the library inside the sandbox, which leaves only its folder changeable.
  ///
  /// - Parameter output: A folder that stays changeable, too.
  func library(output: BytePath? = nil) throws -> MusicLibrary {
    guard let folder = UserFolders().data else {
      throw ExitCode.cannotWork.reporting("library", "there is no place for it: HOME is not set")
    }
    folder.makeFolder()
    ConfigurationFiles.chooseCharset()
    if !hasNoSandbox { Sandbox(changeable: [folder] + [output].compactMap(\.self)).enter() }
    let connection = LibraryConnection(folder) { report("library", $0) }
    let library = try connection.open()
    if let damage = connection.backUp() { report("library", damage) }
    return library
  }
}
