import AudioModel
import Testing

@testable import PulseOutput

@Suite struct `Write ledger` {
  private var ledger = WriteLedger(bytesPerFrame: 4)

  private mutating func write(_ frameCount: Int, firstReplaceable: Int64 = 0, rendered: Int64? = nil) {
    ledger.handle(.wrote(byteCount: frameCount * 4, firstReplaceable: firstReplaceable, rendered: rendered))
  }

  @Test mutating func `whole frames are wanted, and none of a stream that fails`() {
    #expect(ledger.wantedBytes(writable: 11) == 8)
    #expect(ledger.wantedBytes(writable: -1) == 0)
    #expect(ledger.wantedBytes(writable: 0) == 0)
  }

  @Test mutating func `after a flush the server is filled before it requests that`() {
    write(1000)
    #expect(ledger.hasFrames)
    ledger.handle(.flushed(byteCount: 8000))
    #expect(!ledger.hasFrames && ledger.doneFrames == 1000)
    #expect(ledger.wantedBytes(writable: 0) == 8000)
    write(500)
    #expect(ledger.wantedBytes(writable: 0) == 6000)
    ledger.handle(.requested)
    #expect(ledger.wantedBytes(writable: 0) == 0)
  }

  @Test mutating func `silence after the end is overwritten, unless the sink may have played it`() {
    write(1000)
    #expect(ledger.offset(toFrame: 1000) == 0)
    ledger.handle(.wroteSilence(frameCount: 300, at: 1000))
    ledger.handle(.padded)
    #expect(ledger.isPadded && ledger.wantedBytes(writable: 0) == 1200)
    for (firstReplaceable, offset) in [(0, -1200), (1000, -1200), (1100, -800), (1300, 0), (2000, 0)]
      as [(Int64, Int64)]
    {
      #expect(ledger.offset(firstReplaceable: firstReplaceable) == offset)
    }
    #expect(ledger.renderedFrame(waitingFrames: 300) == 1000)
    write(10)
    #expect(ledger.spareFrames == 0 && ledger.writtenFrames == 1010)
  }

  @Test mutating func `a padded stream has ended when its silence has played, whatever message came before`() {
    write(1000)
    ledger.handle(.wroteSilence(frameCount: 300, at: 1000))
    ledger.handle(.padded)
    ledger.handle(.ranEmpty)
    for (waiting, hasEnded) in [(500, false), (100, false), (0, true)] as [(Int64, Bool)] {
      let frame = ledger.renderedFrame(waitingFrames: waiting)
      #expect(ledger.hasEnded(before: frame, keepsPartOfBlock: false) == hasEnded)
      #expect(ledger.hasEnded(before: frame, keepsPartOfBlock: true) == (waiting < 500))
    }
  }

  @Test mutating func `rewritten audio begins again at its frame`() {
    write(1000)
    write(1000)
    #expect(ledger.offset(toFrame: 1500) == -2000)
    ledger.handle(.wroteSilence(frameCount: 1, at: 1500))
    #expect(ledger.writtenFrames == 1500 && ledger.spareFrames == 1 && ledger.seams == [1000, 1500])
    #expect(ledger.offset(toFrame: 1500) == -4)
    #expect(ledger.rewindTarget(notBefore: 100, firstReplaceable: 700) == 700)
    #expect(ledger.rewindTarget(notBefore: 900, firstReplaceable: 700) == 900)
    #expect(ledger.rewindTarget(notBefore: 100, firstReplaceable: 5000) == 1500)
  }

  @Test mutating func `pieces that were rendered are forgotten`() {
    write(100)
    write(100, rendered: 50)
    write(100, rendered: 150)
    #expect(ledger.seams == [200, 300])
    ledger.handle(.flushed(byteCount: 0))
    #expect(ledger.seams == [])
  }

  @Test mutating func `an underrun ends at the frame that the server names`() {
    write(1000)
    ledger.handle(.ranEmpty)
    #expect(ledger.emptyFrame == 1000)
    write(500)
    ledger.handle(.emptied(at: 1200))
    #expect(!ledger.holdsEnough(400, heard: 900) && ledger.holdsEnough(300, heard: 900))
    ledger.handle(.underran)
    #expect(ledger.doneFrames == 1200 && ledger.hasFrames)
  }
}

@Suite struct `Server watch` {
  private var watch = ServerWatch()

  @Test mutating func `messages prolong only the waits for messages`() {
    for (goal, isProlonged) in [
      (.nothing, true), (.request, true), (.answer, true), (.start, false), (.drain, false), (.underrun, false),
    ] as [(ServerWatch.Goal, Bool)] {
      watch.goal = goal
      let result = watch.noteMessage(at: .zero + .seconds(7))
      #expect(result == isProlonged)
    }
    #expect(watch.lastMessageTime == .zero + .seconds(7))
  }

  @Test mutating func `a device that comes no nearer to the end has ended`() {
    for (goal, remaining, isOver) in [
      (.drain, 100, false), (.confirmation, 100, false), (.confirmation, 50, false), (.confirmation, 50, true),
    ] as [(ServerWatch.Goal, Int64, Bool)] {
      watch.goal = goal
      let result = watch.confirmEnd(remainingFrames: remaining)
      #expect(result == isOver)
    }
    watch.end()
    for (remaining, isOver) in [(80, false), (0, true)] as [(Int64, Bool)] {
      let result = watch.confirmEnd(remainingFrames: remaining)
      #expect(result == isOver)
    }
  }
}
