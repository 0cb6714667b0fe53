/// AC-3 and E-AC-3 (ETSI TS 102 366).
struct AC3Parser: SyncFrameContainer { var parser = SyncFrameParser<AC3Header>(overlapPacketCount: 1) }
