// The modules that programs on top of the stack need, under one name.
@_exported public import AudioModel
@_exported public import AudioOutput
@_exported public import AudioSession
@_exported public import ByteIO
@_exported public import Containers
@_exported public import Decoding
@_exported public import Playback
@_exported public import PulseOutput
@_exported public import SignalProcessing
@_exported public import Streaming
