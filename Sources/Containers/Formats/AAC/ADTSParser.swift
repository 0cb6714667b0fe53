/// AAC in frames of ADTS (ISO/IEC 13818-7 6.2).
struct ADTSParser: SyncFrameContainer { var parser = SyncFrameParser<ADTSHeader>(overlapPacketCount: 1) }
