// Parsers only: bytes in, packets, formats and tags out. No C library is needed to build them.
@_exported public import AudioModel
@_exported public import ByteIO
@_exported public import Containers
