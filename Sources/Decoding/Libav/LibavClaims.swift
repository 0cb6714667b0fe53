internal import CLibav

/// The numbers in a header about its audio, not checked.
struct LibavClaims {
  var sampleRate: Int64
  var channelCount: Int64
  var bitRate: Int64
  var blockByteCount: Int64
  /// In a packet.
  var frameCount: Int64

  /// The fields of `parameters`, whose places differ between versions, through the options of a context.
  init?(_ parameters: UnsafePointer<AVCodecParameters>, _ library: segue_avcodec) {
    var context = library.avcodec_alloc_context3(nil)
    defer { library.avcodec_free_context(&context) }
    guard let context, library.avcodec_parameters_to_context(context, parameters) >= 0 else { return nil }
    func number(_ option: String) -> Int64 { library.number(option, of: context) }
    (sampleRate, bitRate) = (number("ar"), number("b"))
    (blockByteCount, frameCount) = (number("block_align"), number("frame_size"))
    var layout = AVChannelLayout()
    defer { library.av_channel_layout_uninit(&layout) }
    let status = library.av_opt_get_chlayout(UnsafeMutableRawPointer(context), "ch_layout", 0, &layout)
    guard status >= 0 else { return nil }
    channelCount = Int64(layout.nb_channels)
  }
}
