import Glibc
import SoundServerSupport
import TestTraits
import Testing

@testable import Commands

private func has(_ path: String) -> Bool { access(path, F_OK) == 0 }

/// Clients of MPD that were written for MPD drive the player, over a library of three songs.
@Suite(.enabled(if: hasFixtures && has("/usr/bin/mpc"), "no fixtures, or no mpc"), .onThreadsOfTheirOwn)
struct `Foreign clients of MPD` {
  private let folder: TemporaryFolder
  private let player: ChildProcess
  private let environment: [String: String?]

  init() throws {
    folder = try TemporaryFolder()
    for name in ["run", "music", "music/Album"] { mkdir(folder(name), 0o700) }
    for (number, title) in ["Aria", "Variatio", "Quodlibet"].enumerated() {
      let tags = [
        ("TIT2", title), ("TPE1", "Bach"), ("TALB", "Goldberg"), ("TRCK", "\(number + 1)"), ("TDRC", "1741"),
        ("TSOP", "Bach, J S"),
      ]
      try write(madeMP3(sound: number, tags, frames: 1600), to: folder("music/Album/\(number).mp3"))
    }
    environment = [
      "XDG_RUNTIME_DIR": folder("run"), "SEGUE_HOME": folder("home"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
      "MPD_HOST": folder("run/segue/mpd"), "MPD_PORT": nil, "LC_ALL": "C.UTF-8", "HOME": folder("home"),
    ]
    _ = try ChildProcess.output(of: [Program.path, "library", "add", folder("music")], environment: environment)
    player = try ChildProcess(
      [Program.path, "--no-ui", "--output", "null", "--repeat", "all", folder("music/Album")], environment: environment,
      errors: folder("errors"))
    #expect(try waitUntilPlaying(environment))
  }

  /// Output and errors of mpc, and its exit status.
  private func mpc(_ command: String) throws -> String {
    try output(ofClient: ["sh", "-c", "mpc \(command) 2>&1; echo =$?"], environment)
  }

  @Test func `mpc has all of its commands`() throws {
    let older: [(String, String)] = [
      ("", "Bach - Aria"), ("version", "mpd version: 0.24"), ("pause", "[paused]"), ("current", "Bach - Aria"),
      ("queued", "Bach - Variatio"), ("add Album", "=0"), ("playlist | wc -l", "6"), ("del 6", "=0"),
      ("crop; mpc playlist", "Bach - Aria\n=0"), ("insert Album/2.mp3; mpc playlist", "Quodlibet\n=0"),
      ("insert Album/1.mp3; mpc playlist", "Variatio\nBach - Quodlibet\n=0"), ("play 2", "Bach - Variatio"),
      ("next", "#3/3"), ("prev", "#2/3"), ("toggle", "[paused]"), ("toggle", "[playing]"),
      ("pause-if-playing", "[paused]"), ("seek 0:00:10", "0:10/0:41"), ("seek +5", "0:15/0:41"),
      ("seek -5", "0:10/0:41"), ("seek 50%", "0:21/0:41"), ("seekthrough +0:00:01", "0:22/0:41"), ("cdprev", "#2/3"),
      ("outputs", "is enabled"), ("enable 1", "is enabled"), ("enable only 1", "is enabled"),
      ("disable 1", "one output stays enabled"), ("toggleoutput 1", "one output stays enabled"),
      ("outputset 1 a=b", "no attributes"), ("shuffle", "=0"), ("searchplay title Quod", "Bach - Quodlibet"),
      ("pause", "[paused]"), ("move 1 3", "=0"), ("listall", "Album/0.mp3\nAlbum/1.mp3\nAlbum/2.mp3\n=0"),
      ("ls", "Album"), ("save one", "=0"), ("lsplaylists", "one\n=0"), ("playlist one | wc -l", "3"), ("clear", "=0"),
      ("-r 1:2 load one; mpc playlist | wc -l", "1"), ("load one", "loading: one"), ("rm one", "=0"),
      ("rm one", "No such playlist"), ("prio 5 1", "=0"), ("volume 50", "volume: 50%"),
      ("volume +5", "volume: 55%"), ("volume -10", "volume: 45%"), ("repeat off", "repeat: off"),
      ("repeat", "repeat: on"), ("random on", "random: on"), ("random off", "random: off"), ("single on", "single: on"),
      ("single once", "single: once"), ("single off", "single: off"), ("consume on", "consume: on"),
      ("consume off", "consume: off"), ("search title vari", "Album/1.mp3\n=0"), ("searchadd title vari", "=0"),
      ("find title Aria", "Album/0.mp3\n=0"), ("find title aria", "=0"), ("findadd artist Bach", "=0"),
      ("list title", "Aria\nQuodlibet\nVariatio\n=0"), ("list album artist Bach", "Goldberg\n=0"),
      ("crossfade 3", "=0"), ("crossfade", "crossfade: 3"), ("crossfade 0", "=0"), ("clearerror", "=0"),
      ("mixrampdb -17", "=0"), ("mixrampdb", "mixrampdb"), ("mixrampdelay 2", "=0"), ("mixrampdelay", "mixrampdelay"),
      ("-w update", "=0"), ("-w rescan", "=0"), ("sticker Album/0.mp3 set rating 5", "=0"),
      ("sticker Album/0.mp3 get rating", "rating=5"), ("sticker Album/0.mp3 list", "rating=5"),
      ("sticker Album find rating", "Album/0.mp3: rating=5"), ("sticker Album/0.mp3 delete rating", "=0"),
      ("sticker Album/0.mp3 set mood calm", "=0"), ("sticker Album/0.mp3 get mood", "mood=calm"),
      ("search '(title =~ \"^Var.*o$\")'", "Album/1.mp3\n=0"),
      ("stats", "Songs:        3"), ("replaygain album", "=0"), ("replaygain", "replay_gain_mode: album"),
      ("replaygain off", "=0"), ("channels", "=0"), ("sendmessage none hello", "nobody is subscribed"),
      ("listneighbors", "=0"), ("mount", folder("music")), ("mount a b", "nothing can be mounted here"),
      ("unmount a", "nothing can be mounted here"), ("albumart Album/0.mp3", "No file exists"),
      ("readpicture Album/0.mp3", "No data"), ("stop", "volume: 45%"),
    ]
    // mpc 0.35 (Debian 13).
    let newer: [(String, String)] = [
      ("save two", "=0"), ("addplaylist two Album/0.mp3", "=0"), ("moveplaylist two 1 2", "=0"),
      ("delplaylist two 1", "=0"), ("renplaylist two three", "=0"), ("lsplaylists", "three\n=0"),
      ("clearplaylist three", "=0"), ("lsdirs", "Album\n=0"), ("partitions", "default\n=0"),
      ("makepart a", "there is one partition"), ("delpart a", "there is one partition"),
      ("moveoutput 1", "there is one partition"),
    ]
    let all = try mpc("help").split(separator: "\n").compactMap { $0.firstMatch(of: /^  mpc ([a-z-]+)/)?.1 }
    let commands = all.contains("partitions") ? older + newer : older
    _ = try mpc("pause")
    for (command, part) in commands {
      let output = try mpc(command)
      #expect(output.contains(part), "\(command): \(output)")
    }
    let covered = Set(commands.flatMap { $0.0.split { " ;".contains($0) }.map(String.init) } + ["idle", "help"])
    let left = Set(all.filter { !covered.contains(String($0)) })
    #expect(left == ["idleloop", "waitmessage", "subscribe"], "they have tests of their own")
    player.end()
  }

  @Test func `a title of 9,000 characters locks no client out`() throws {
    let title = String(repeating: "é", count: 9000)
    try write(madeMP3(sound: 7, [("TIT2", title), ("TPE1", "Bach")], frames: 80), to: folder("music/Album/long.mp3"))
    _ = try mpc("pause")
    #expect(try mpc("-w update").hasSuffix("=0\n"))
    for command in [
      "clear", "add Album/long.mp3", "playlist -f '%title%'", "play", "current -f '%title%'", "listall",
      "-f '%title%' find artist Bach",
    ] {
      let output = try mpc(command)
      #expect(output.hasSuffix("=0\n") && !output.contains("too large"), "\(command): \(output.suffix(200))")
    }
    #expect(try mpc("playlist -f '%title%'").hasPrefix("éééé"))
    player.end()
  }

  /// Runs a program in Python; `ask(file, line)` gives the lines of an answer.
  private func python(_ program: String) throws -> String {
    let start = """
      import json, os, socket, subprocess, sys
      def connect(name):
          s = socket.socket(socket.AF_UNIX); s.connect(os.path.dirname(os.environ['MPD_HOST']) + '/' + name)
          f = s.makefile('rwb'); f.greeting = f.readline(); s.close(); return f
      def ask(f, *lines):
          f.write(''.join(line + '\\n' for line in lines).encode()); f.flush()
          answer = []
          while not answer or not answer[-1].startswith(('OK', 'ACK')) and answer[-1]:
              answer.append(f.readline().decode())
          return answer

      """
    return try output(ofClient: ["python3", "-c", start + program], environment, withErrors: true)
  }

  @Test func `the work for a client that has gone ends`() throws {
    // Its last command is obeyed; the 20,000 answers before it, which would take a minute, nobody reads.
    let output = try python(
      """
      player = json.loads(connect('control').greeting)['pid']
      def seconds():
          return sum(map(int, open(f'/proc/{player}/stat').read().rsplit(')')[1].split()[11:13])) / os.sysconf('SC_CLK_TCK')
      other = connect('mpd'); ask(other, 'subscribe news')
      before = seconds()
      client = connect('mpd')
      client.write(b'command_list_begin\\n' + 20000 * b'listallinfo\\n' + b'sendmessage news done\\ncommand_list_end\\n')
      client.flush(); client.close()
      print(ask(other, 'idle message')[0], ask(other, 'readmessages')[1], seconds() - before < 10)
      """)
    #expect(output == "changed: message\n message: done\n True\n")
    player.end()
  }

  @Test func `clients of MPD leave segue ctl its places`() throws {
    let output = try python(
      """
      clients = [connect('mpd') for number in range(70)]
      print(sum(bool(client.greeting) for client in clients))
      print(subprocess.run(['\(Program.path)', 'ctl', 'status'], capture_output=True).returncode)
      """)
    #expect(output == "64\n0\n")
    player.end()
  }

  @Test func `clients send messages to each other`() throws {
    let waiting = try ChildProcess(
      ["stdbuf", "-oL", "mpc", "waitmessage", "news"], environment: environment, output: .collected)
    #expect(try eventually(milliseconds: 50) { try mpc("channels") == "news\n=0\n" })
    let following = try ChildProcess(
      ["stdbuf", "-oL", "mpc", "subscribe", "other"], environment: environment, output: .collected)
    #expect(try eventually(milliseconds: 50) { try mpc("channels") == "news\nother\n=0\n" })
    let loop = try ChildProcess(
      ["stdbuf", "-oL", "mpc", "idleloop", "subscription"], environment: environment, output: .file(folder("loop")))
    #expect(try mpc("sendmessage news 'hello there'") == "=0\n" && mpc("sendmessage other more") == "=0\n")
    #expect(waiting.wait() == 0)
    #expect(String(decoding: waiting.read(), as: UTF8.self).contains("hello there"))
    #expect(String(decoding: following.read(), as: UTF8.self).contains("more"))
    following.end()
    #expect(try eventually(milliseconds: 50) { try mpc("channels") == "=0\n" })
    // The loop may have begun later: other subscriptions come and go until it has seen one.
    let subscriber = try ChildProcess(
      ["sh", "-c", "while :; do timeout 2 mpc subscribe x; done"], environment: environment)
    #expect(eventually { contents(of: folder("loop")).starts(with: "subscription\n".utf8) })
    for process in [subscriber, loop, player] { process.end() }
  }

  @Test(.enabled(if: has("/usr/lib/python3/dist-packages/mpd"), "no python3-mpd"))
  func `python3-mpd understands the answers`() throws {
    let program = """
      import mpd, os, threading
      def connect():
          c = mpd.MPDClient(); c.timeout = 60; c.connect(os.environ['MPD_HOST']); return c
      c = connect()
      assert c.mpd_version == '0.24.0'
      c.pause(1); c.clear(); c.add('Album'); c.save('mine')
      assert [s['title'] for s in c.playlistinfo()] == ['Aria', 'Variatio', 'Quodlibet'], c.playlistinfo()
      assert c.playlistid(c.playlistinfo()[1]['id'])[0]['title'] == 'Variatio'
      assert c.status()['playlistlength'] == '3' and c.status()['partition'] == 'default'
      number = c.addid('Album/0.mp3'); c.moveid(number, 0); assert c.playlistinfo()[0]['id'] == number
      c.deleteid(number)
      assert [p['playlist'] for p in c.listplaylists()] == ['mine']
      assert c.listplaylist('mine') == ['Album/0.mp3', 'Album/1.mp3', 'Album/2.mp3']
      assert c.listplaylistinfo('mine')[2]['track'] == '3'
      c.playlistmove('mine', 0, 2); c.playlistdelete('mine', 0); c.playlistadd('mine', 'Album/1.mp3')
      c.rename('mine', 'yours')
      assert c.listplaylist('yours') == ['Album/2.mp3', 'Album/0.mp3', 'Album/1.mp3'], c.listplaylist('yours')
      c.playlistclear('yours'); assert c.listplaylist('yours') == []; c.rm('yours')
      assert c.find('artist', 'Bach', 'title', 'Aria')[0]['file'] == 'Album/0.mp3'
      assert c.search('any', 'quod')[0]['date'] == '1741' and c.count('artist', 'Bach')['songs'] == '3'
      assert c.list('title', 'artist', 'Bach') == [{'title': t} for t in ('Aria', 'Quodlibet', 'Variatio')]
      songs = c.find('artistsort', 'Bach, J S')
      assert len(songs) == 3 and songs[0]['artistsort'] == c.playlistinfo()[0]['artistsort'] == 'Bach, J S'
      assert c.list('artistsort') == [{'artistsort': 'Bach, J S'}]
      assert c.readcomments('Album/0.mp3')['artistsort'] == 'Bach, J S'
      assert c.lsinfo()[0]['directory'] == 'Album' and len(c.listallinfo('Album')) == 4
      assert c.readcomments('Album/0.mp3')['title'] == 'Aria'
      assert c.plchanges(0)[0]['pos'] == '0' and c.plchangesposid(0)[0]['cpos'] == '0'
      assert c.playlistfind('title', 'Variatio')[0]['pos'] == '1'
      c.sticker_set('song', 'Album/0.mp3', 'rating', 6); assert c.sticker_get('song', 'Album/0.mp3', 'rating') == '6'
      assert c.sticker_list('song', 'Album/0.mp3') == {'rating': '6'} and len(c.sticker_find('song', '', 'rating')) == 1
      c.sticker_set('song', 'Album/0.mp3', 'elapsed', 12); assert c.sticker_list('song', 'Album/0.mp3')['elapsed'] == '12'
      assert c.sticker_find('song', '', 'elapsed', 'gt', 5)[0]['file'] == 'Album/0.mp3'
      c.consume('oneshot'); assert c.status()['consume'] == 'oneshot'; c.consume(0)
      c.single(1); assert c.status()['single'] == '1'; c.single(0)
      c.prio(9, 0); assert c.playlistinfo(0)[0]['prio'] == '9'; c.prioid(0, c.playlistinfo(0)[0]['id'])
      assert [s['title'] for s in c.find('(title =~ "^[AQ]")')] == ['Aria', 'Quodlibet']
      c.command_list_ok_begin(); c.setvol(30); c.status(); c.repeat(0)
      assert c.command_list_end()[1]['volume'] == '30' or c.status()['volume'] == '30'
      assert c.outputs()[0]['outputenabled'] == '1' and c.listpartitions() == [{'partition': 'default'}]
      assert c.decoders()[0]['plugin'] == 'segue' and 'http://' in c.urlhandlers() and 'Artist' in c.tagtypes()
      assert set(c.commands()).isdisjoint(c.notcommands()) and c.config() is None
      for wrong, code in ((lambda: c.play(99), '[2@0]'), (lambda: c.add('none'), '[50@0]'), (lambda: c.load('none'), '[50@0]')):
          try: wrong(); assert False
          except mpd.CommandError as error: assert str(error).startswith(code), error
      other = connect(); heard = []
      # Not stored playlists: that they have changed above may be noticed only now.
      waiting = threading.Thread(target=lambda: heard.extend(other.idle('mixer', 'neighbor'))); waiting.start()
      while waiting.is_alive(): c.setvol(int(c.status()['volume']) % 90 + 1)
      assert heard == ['mixer'], heard
      other.subscribe('talk'); c.sendmessage('talk', 'hi'); assert other.readmessages() == [{'channel': 'talk', 'message': 'hi'}]
      c.close(); c.disconnect(); print('all')
      """
    let output = try ChildProcess.output(
      of: ["sh", "-c", "exec /usr/bin/python3 -c \"$1\" 2>&1", "", program], environment: environment)
    #expect(output == "all\n", "\(String(decoding: contents(of: folder("errors")), as: UTF8.self))")
    player.end()
  }

  @Test(.enabled(if: has("/usr/bin/ncmpcpp"), "no ncmpcpp"))
  func `ncmpcpp shows and changes queue, library and playlists`()
    throws
  {
    _ = try mpc("pause")
    _ = try mpc("save mix")
    try write(
      Array(
        "mpd_host = \(folder("run/segue/mpd"))\nncmpcpp_directory = \(folder("home"))\nuser_interface = classic\n".utf8),
      to: folder("ncmpcpp"))
    let terminal = try Tmux(
      columns: 100, rows: 24, environment: environment, "ncmpcpp -c \(folder("ncmpcpp")) -b /dev/null")
    func see(_ parts: String...) -> Bool {
      let isSeen = eventually(milliseconds: 50) {
        let screen = terminal.screen
        return parts.allSatisfy { screen.contains($0) }
      }
      if !isSeen { print(terminal.screen) }
      return isSeen
    }
    #expect(see("Playlist (3 items", "Aria", "Variatio", "Quodlibet", "Paused", "Volume: 100%"))
    terminal.press("Delete")
    #expect(see("Playlist (2 items"))
    #expect(try eventually { try mpc("playlist | wc -l").hasPrefix("2\n") })
    // The library: artist, album, songs; the chosen song is added and plays.
    terminal.press("4")
    #expect(see("Media library", "Bach", "(1741) Goldberg", "01 - Aria", "03 - Quodlibet"))
    terminal.press("Right", "Right", "Enter")
    #expect(see("Playing", "Aria"))
    terminal.press("p")
    #expect(see("Paused"))
    terminal.press("2")
    #expect(see("Browse: /", "[Album]", "mix"))
    terminal.press("5")
    #expect(see("Playlist editor", "mix", "Content (3 items)", "Aria"))
    terminal.press("Right", "Delete")
    #expect(see("Content (2 items)"))
    #expect(try eventually { try mpc("-f %title% playlist mix") == "Variatio\nQuodlibet\n=0\n" })
    // A change by another client is seen.
    _ = try mpc("add Album/2.mp3; mpc volume 40")
    terminal.press("1")
    #expect(see("Playlist (4 items", "Volume: 40%"))
    terminal.press("r")
    #expect(try eventually { try mpc("").contains("repeat: off") })
    terminal.press("S")
    #expect(see("Save playlist as"))
    terminal.send("second\r")
    #expect(try eventually { try mpc("lsplaylists") == "mix\nsecond\n=0\n" })
    player.end()
  }

  // Not among the packages for tests: their installation starts services for all users of the machine.
  @Test(.enabled(if: has("/usr/bin/mpDris2") && has("/usr/bin/playerctl"), "no mpdris2"))
  func `mpDris2 puts the player on a bus`() throws {
    let bus = try PrivateBus(in: folder)
    let environment = environment.merging(["DBUS_SESSION_BUS_ADDRESS": bus.address]) { $1 }
    let bridge = try ChildProcess(
      ["/usr/bin/python3", "/usr/bin/mpDris2"], environment: environment, errors: "/dev/null")
    func playerctl(_ words: String...) throws -> String {
      try ChildProcess.output(
        of: ["sh", "-c", "exec playerctl -p mpd \"$@\" 2>&1", ""] + words, environment: environment)
    }
    #expect(try eventually(milliseconds: 100) { try playerctl("status") == "Playing\n" })
    #expect(
      try eventually(milliseconds: 100) {
        try playerctl("metadata", "--format", "{{artist}} - {{title}}") == "Bach - Aria\n"
      })
    _ = try playerctl("pause")
    #expect(try eventually(milliseconds: 100) { try mpc("").contains("[paused]") })
    _ = try playerctl("position", "7")
    #expect(try eventually(milliseconds: 100) { try mpc("").contains("0:07/") })
    _ = try playerctl("next")
    #expect(try eventually(milliseconds: 100) { try mpc("current").contains("Variatio") })
    bridge.end()
    player.end()
  }

  @Test(.enabled(if: has("/usr/bin/mpdscribble"), "no mpdscribble")) func `mpdscribble submits the current track`()
    throws
  {
    let program = """
      import http.server, os, sys, urllib.parse
      class Server(http.server.BaseHTTPRequestHandler):
          def reply(self, text):
              self.send_response(200); self.end_headers(); self.wfile.write(text.encode())
          def do_GET(self):
              place = f'http://127.0.0.1:{self.server.server_port}'
              self.reply(f'OK\\nsession\\n{place}/now\\n{place}/listen\\n')
          def do_POST(self):
              text = urllib.parse.unquote(self.rfile.read(int(self.headers['Content-Length'])).decode())
              print(self.path, text, flush=True); self.reply('OK\\n')
          def log_message(self, *words): pass
      server = http.server.HTTPServer(('127.0.0.1', 0), Server)
      os.symlink(str(server.server_port), sys.argv[1]); server.serve_forever()
      """
    let server = try ChildProcess(["python3", "-c", program, folder("port")], output: .collected)
    var name = [CChar](repeating: 0, count: 16)
    try #require(eventually { readlink(folder("port"), &name, name.count - 1) > 0 })
    let port = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try write(
      Array(
        """
        host = \(folder("run/segue/mpd"))
        log = \(folder("scribble"))
        [last.fm]
        url = http://127.0.0.1:\(port)/
        username = me
        password = secret
        journal = \(folder("journal"))

        """.utf8), to: folder("mpdscribble"))
    let scribbler = try ChildProcess(
      ["mpdscribble", "--no-daemon", "--conf", folder("mpdscribble")], environment: environment, errors: "/dev/null")
    var heard = ""
    while !heard.contains("\n"), case let bytes = server.read(), !bytes.isEmpty {
      heard += String(decoding: bytes, as: UTF8.self)
    }
    #expect(heard.hasPrefix("/now") && heard.contains("a=Bach&") && heard.contains("b=Goldberg&"), "\(heard)")
    for process in [scribbler, server, player] { process.end() }
  }
}
