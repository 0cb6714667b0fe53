public import ArgumentParser
internal import AudioModel
internal import ByteIO
internal import Commands
internal import Library
public import Playback
internal import Streaming

/// Options of `info`, `packets` and `decode`.
struct ReadingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Reader: stream (in order, as from a network), file (random access), libav (libavformat), or auto (the first of "
        + "these that can read the input).",
      valueName: "reader"))
  var via = ReadingPreference.auto
  @OptionGroup var streams: StreamOptions

  /// The network, for inputs that are addresses. A server that is busy is named at once, and asked three more times, for
  /// 15 seconds at most.
  var network: Network {
    var (configuration, backOff) = (streams.configuration, BackOff())
    (backOff.firstDelay, backOff.longestDelay, backOff.limit) = (.seconds(1), .seconds(5), 3)
    configuration.openingBackOff = backOff
    configuration.announce = { address, notice in
      if case .busy = notice, let text = PlaybackNotice.connection(notice).logText { report(address, text) }
    }
    return Network(configuration)
  }
}

extension ReadingPreference: ExpressibleByArgument {}

extension MediaLocation {
  init(_ argument: BytePath) { self.init(written: argument.bytes, in: BytePath("")) }
}

extension MediaCollector {
  /// A collector that fetches playlists from the network.
  init(playableExtensions: Set<String>, network: Network) {
    self.init(playableExtensions: playableExtensions)
    fetchPlaylist = { address throws(ByteIOError) in
      let document = try network.document(address, byteLimit: MediaCollector.documentByteLimit)
      return MediaCollector.RemotePlaylist(bytes: document.bytes, address: document.address)
    }
  }
}
