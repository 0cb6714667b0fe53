internal import ArgumentParser
internal import ByteIO
internal import Commands
internal import Desk
internal import Glibc
internal import Library
internal import Playback
internal import Player

/// `segue cover`: the picture of a track.
struct CoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cover", abstract: "Show where the cover of a track is, or write it to a file.",
    discussion: """
      The cover is a picture in the tags of the file, the front cover before others, or else a picture in its folder: \
      cover, folder, front or album with the extension jpg, jpeg, png, webp or gif, or else the largest one.
      """)

  @OptionGroup var protection: ProtectionOptions
  @Flag(help: "Replace an existing picture. Other files are never replaced.") var force = false
  @Option(
    name: .shortAndLong, help: ArgumentHelp("File to write, or - for standard output.", valueName: "file"))
  var output: BytePath?
  @Argument(help: "An audio file, or a track of a cue sheet (album.cue#3).") var input: BytePath

  func run() throws {
    let isPiped = output?.bytes == Array("-".utf8)
    protection.enter(writing: isPiped ? nil : output?.absolute.parent)
    let location = MediaLocation(input)
    if case .url = location {
      throw ExitCode.nothingPlayable.reporting(location, "an address has no cover here; name a file")
    }
    let cover: Cover?
    do throws(TrackError) { cover = try Cover.find(for: location) } catch {
      throw ExitCode.nothingPlayable.reporting(location, error)
    }
    guard let cover else {
      throw ExitCode.nothingPlayable.reporting(
        location, "no cover: there is no picture in the tags of this file, and none in its folder")
    }
    guard let output else {
      var lines = LineWriter()
      lines.add(description(of: cover))
      return lines.flush()
    }
    do throws(ByteIOError) {
      if isPiped {
        try FileWriter(descriptor: STDOUT_FILENO).write(cover.bytes)
      } else {
        try check(output)
        try SmallFile.write(cover.bytes, to: output.absolute, mode: 0o644, makesFolder: false)
      }
    } catch { throw ExitCode.cannotWork.reporting(output, error) }
  }

  private func description(of cover: Cover) -> String {
    let place =
      switch cover.place {
      case .embedded: "in the tags"
      case .file(let path): path.description.printable
      }
    return "\(place): \(cover.format.mimeType), \(cover.bytes.count) bytes"
  }

  /// Refuses to write over files: over pictures without `--force`, over others always.
  private func check(_ output: BytePath) throws(ByteIOError) {
    var status = stat()
    guard output.withCString({ lstat($0, &status) }) == 0 else { return }
    guard PictureFormat(of: output) != nil else {
      throw ByteIOError(
        operation: "overwrite", errno: EEXIST, detail: "this file is not a picture; choose another name")
    }
    guard force else {
      throw ByteIOError(operation: "overwrite", errno: EEXIST, detail: "this picture exists; --force replaces it")
    }
  }
}
