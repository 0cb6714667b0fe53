@testable import SegueAudio
import AudioModel
import SoundServerSupport
import Testing
import Threads

@Suite(.enabled(if: Fixtures.isPresent, "no fixtures: make fixtures")) struct `An audio player` {
  static let names = ["short-4410.mp3", "short-1000.mp3", "short-100.mp3"]

  private func locations(_ names: [String]) -> [MediaLocation] { names.map { .file(Fixtures.path($0)) } }

  @Test(.timeLimit(.minutes(20))) func `plays a list to its end, and says so`() async throws {
    let folder = try TemporaryFolder()
    let output = WAVEFileOutput(path: BytePath(folder("all.wav")))
    let player = AudioPlayer(applicationName: "test", output: output)
    let (snapshots, notices) = (player.snapshots(), player.notices())
    player.play(locations(Self.names))
    var last: PlaybackSnapshot?
    for await snapshot in snapshots {
      last = snapshot
      if snapshot.state == .stopped, snapshot.reason == .finished { break }
    }
    #expect(last?.reason == .finished)
    var began: [Int] = []
    for await notice in notices {
      if case .trackBegan(let entry, _) = notice { began.append(entry.id) }
      if case .state(.stopped, .finished, _) = notice { break }
    }
    #expect(began == [1, 2, 3])
    player.stop()
    player.engine.shutDown()
    try output.close()
    // Joined without a gap: all frames of the sources and no other.
    let file = try AudioFile(path: BytePath(folder("all.wav")))
    let frameCount = try #require(file.information.frameCount)
    #expect(frameCount == 5510)
  }

  @Test(.timeLimit(.minutes(20))) func `distinguishes a failure from an end`() async throws {
    let player = AudioPlayer(applicationName: "test", output: SilentOutput())
    let snapshots = player.snapshots()
    player.play(MediaLocation("/nothing/here.mp3"))
    for await snapshot in snapshots where snapshot.state == .stopped && snapshot.reason != .user {
      #expect(snapshot.reason == .failed)
      break
    }
  }

  @Test(.timeLimit(.minutes(20))) func `takes entries while it plays, and skips`() async throws {
    let output = HandCrankedOutput()
    let player = AudioPlayer(applicationName: "test", output: output)
    let notices = player.notices()
    player.play(locations(["short-4410.mp3"]))
    #expect(waitUntil { output.stream.map { $0.turn(frames: 500) > 0 } ?? false })
    player.append(locations(["short-1000.mp3"]))
    player.engine.settle(within: .seconds(60))
    player.skip()
    // The device stands still, so that the short track does not end.
    #expect(waitUntil { player.snapshot.entry?.location.name == "short-1000.mp3" }, "\(player.snapshot)")
    player.skip()
    for await notice in notices {
      if case .state(.stopped, let reason, _) = notice {
        #expect(reason == .user)
        break
      }
    }
    #expect(player.position == 0)
  }

  @Test func `skips from the entry that was chosen last, also before the engine has it`() {
    let output = HandCrankedOutput()
    let player = AudioPlayer(applicationName: "test", output: output)
    for (skipCount, name) in [(1, "short-1000.mp3"), (2, "short-100.mp3"), (1, "short-1000.mp3")] {
      output.gate.locked {
        // The engine stands still here.
        player.setVolume(Double(skipCount) / 4)
        player.play(locations(Self.names))
        for _ in 0..<skipCount { player.skip() }
      }
      player.engine.settle(within: .seconds(60))
      #expect(player.snapshot.entry?.location.name == name && player.snapshot.state != .stopped, "\(player.snapshot)")
    }
  }

  @Test func `is where a seek leads to at once, and plays again after a stop`() throws {
    let output = HandCrankedOutput()
    let player = AudioPlayer(applicationName: "test", output: output)
    player.play()
    #expect(player.snapshot.state == .stopped && player.position == 0, "there is nothing to play")
    output.gate.locked {
      // The engine stands still here.
      player.setVolume(0.5)
      player.play(locations(Self.names), from: 0.02)
      #expect(player.position == 0.02)
      player.seek(to: 0.05)
      #expect(player.position == 0.05)
    }
    player.engine.settle(within: .seconds(60))
    #expect(player.snapshot.state != .stopped && abs(player.position - 0.05) < 0.01, "\(player.snapshot)")
    player.seek(to: 1000)
    #expect(player.position == player.duration)
    player.play(locations(Self.names.reversed()))
    player.skip()
    player.engine.settle(within: .seconds(60))
    output.gate.locked {
      player.setVolume(0.6)
      player.stop()
      #expect(player.position == 0)
      player.resume()
      player.play()
    }
    player.engine.settle(within: .seconds(60))
    #expect(player.snapshot.entry?.location.name == "short-1000.mp3" && player.snapshot.state != .stopped)
    player.pause()
    player.play()
    player.engine.settle(within: .seconds(60))
    #expect(player.snapshot.state == .playing || player.snapshot.state == .waiting, "\(player.snapshot)")
  }

  @Test func `after a stop, a track that began before it changes nothing`() throws {
    var list = PlayList()
    let added = list.replace(with: locations(Self.names))
    let first = try #require(added)
    let second = try #require(list.entry(after: first.id))
    list.expected = ((first.id, 0), mark: 1)
    list.began(second)
    #expect(list.lastPlayed == second.id)
    list.expected = ((nil, 0), mark: 2)
    list.began(first)
    #expect(list.lastPlayed == second.id)
  }

  @Test(.timeLimit(.minutes(20))) func `plays from the first entry again after the end`() async throws {
    let player = AudioPlayer(applicationName: "test", output: SilentOutput())
    let notices = player.notices()
    player.play(locations(Self.names))
    var began: [Int] = []
    for await notice in notices {
      if case .trackBegan(let entry, _) = notice { began.append(entry.id) }
      if case .state(.stopped, .finished, _) = notice { player.play() }
      if began.count == 4 { break }
    }
    #expect(began == [1, 2, 3, 1])
  }

  @Test(.timeLimit(.minutes(20))) func `tells places while they are passed`() async throws {
    let player = AudioPlayer(applicationName: "test", output: SilentOutput())
    let (places, passed) = (player.positions(every: .milliseconds(20)), player.passes([0.2, 0.4, 55, 57]))
    player.play(.file(Fixtures.path("vbr-60s.mp3")))
    var last = -1.0
    for await place in places {
      #expect(place > last)
      last = place
      if place > 1 { break }
    }
    var found: [Double] = []
    for await place in passed {
      found.append(place)
      // A busy machine tells these late.
      if place == 0.4 { player.seek(to: 56) }
      if place == 57 { break }
    }
    #expect(found == [0.2, 0.4, 57], "a seek passes nothing")
  }

  @Test(.timeLimit(.minutes(20))) func `ends with its owner: thread, stream and sequences`() async throws {
    let output = HandCrankedOutput()
    var player: AudioPlayer? = AudioPlayer(applicationName: "test", output: output)
    let snapshots = try #require(player).snapshots()
    player?.play(locations(["short-4410.mp3"]))
    #expect(waitUntil { output.stream != nil })
    weak let engine = player?.engine
    player = nil
    for await _ in snapshots {}
    #expect(waitUntil { output.last?.isClosed == true && engine == nil })
  }

  @Test(.timeLimit(.minutes(20))) func `leaves the network that it was given to the other players`() throws {
    let mayAnswer = Guarded(false)
    let server = try ScriptedServer { request, connection in
      if waitUntil({ mayAnswer.withLock { $0 } }) { connection.serve(Fixtures.bytes("short-4410.mp3"), request) }
    }
    let (network, output) = (Network(), HandCrankedOutput())
    var first: AudioPlayer? = AudioPlayer(applicationName: "test", output: SilentOutput(), network: network)
    let second = AudioPlayer(applicationName: "test", output: output, network: network)
    second.play(.url(server.address + "/track.mp3"))
    #expect(waitUntil { !server.requests.isEmpty })
    weak let engine = first?.engine
    first = nil
    #expect(waitUntil { engine == nil })
    mayAnswer.withLock { $0 = true }
    #expect(waitUntil { output.stream != nil }, "\(second.snapshot)")
  }

  @Test func `an engine that nobody holds ends its thread and its stream`() throws {
    let output = HandCrankedOutput()
    var engine: PlaybackEngine? = PlaybackEngine(output: output) {}
    engine?.send(.play(QueueEntry(id: 1, location: .file(Fixtures.path("short-4410.mp3"))), from: 0))
    #expect(waitUntil { output.stream != nil })
    #expect(engine?.position == 0)
    engine = nil
    #expect(waitUntil { output.last?.isClosed == true })
  }

  @Test func `tells the engine of a new entry after the last one, whichever plays`() throws {
    var list = PlayList()
    let none = list.append(locations(Self.names))
    #expect(none == nil)
    _ = list.replace(with: locations(["short-4410.mp3", "short-1000.mp3"]))
    let last = list.append(locations(["short-100.mp3"]))
    let next = try list.entry(after: #require(last))
    #expect(next?.location.name == "short-100.mp3")
  }

  @Test func `puts what a playlist names in its place`() throws {
    var list = PlayList()
    let replaced = list.replace(with: [.url("http://host/list.m3u"), .url("http://host/last")])
    let first = try #require(replaced)
    let songs = (1...2).map { MediaLocation.url("http://host/\($0)") }
    var entry = list.expand(first, to: songs)
    var names: [String] = []
    while let next = entry {
      names.append(next.location.description)
      entry = list.entry(after: next.id)
    }
    #expect(names == ["http://host/1", "http://host/2", "http://host/last"])
    // A playlist that names itself ends.
    var nested = first
    for _ in 0..<10 { nested = list.expand(nested, to: [.url("http://host/list.m3u")]) ?? nested }
    #expect(nested.location == .url("http://host/1") || nested.playlistDepth <= 4)
  }
}
