import Commands
import Glibc
import Player
import SoundServerSupport
import TestTraits
import Testing

@testable import segue

/// `segue info` and `segue packets`, run as processes.
@Suite("segue info and packets", .onThreadsOfTheirOwn)
struct InfoCommandTests {
  @Test("--json names everything, what is unknown as null")
  func json() throws {
    let path = fixture("e2-44100-cbr160.mp3")
    for (via, name) in [("auto", "stream"), ("stream", "stream"), ("file", "file")] {
      let result = try Program.segue("info", "--json", "--via", via, path)
      let format = """
        {"formatID":".mp3","sampleRate":44100,"channelsPerFrame":2,"framesPerPacket":1152,"bytesPerPacket":0,\
        "bytesPerFrame":0,"bitsPerChannel":0,"formatFlags":0}
        """
      let byteCount = try contents(path).count - 522
      #expect(
        result.text == """
          {"path":"\(path)","via":"\(name)","fileType":"MPG3","dataFormat":\(format),"formatList":[\(format)],\
          "duration":10.3,"durationIsEstimated":false,"bitRate":160000,"dataOffset":522,\
          "audioDataByteCount":\(byteCount),"packetCount":396,"maximumPacketSize":523,"packetSizeUpperBound":1441,\
          "validFrames":454230,"primingFrames":1105,"remainderFrames":857,"channelMask":null,\
          "optimized":true,"tags":{}}

          """)
    }
  }

  @Test("text of unknown encoding is guessed, or in the set of the settings; the library follows with the next scan")
  func charset() throws {
    let folder = try TemporaryFolder()
    let bytes: [UInt8] = [0xc3, 0xf0, 0xf3, 0xef, 0xef, 0xe0, 0x20, 0xea, 0xf0, 0xee, 0xe2, 0xe8]
    let frame = Array("TIT2".utf8) + [0, 0, 0, UInt8(bytes.count + 1), 0, 0, 0] + bytes
    mkdir(folder.path + "/music", 0o755)
    let path = folder.path + "/music/a.mp3"
    let sound = try contents(fixture("e2-44100-cbr160.mp3"))
    try write(Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame + sound, to: path)
    func segue(_ arguments: String...) throws -> String {
      let environment = ["env", "HOME=\(folder.path)", "SEGUE_HOME=\(folder.path)"]
      return try Program.run(environment + [Program.path] + arguments).text
    }
    let cases = [
      ("auto", "Группа крови", "windows-1251 (guessed)"), ("koi8-r", "цПСООЮ ЙПНБХ", "koi8-r (set)"),
      ("cp1251", "Группа крови", "windows-1251 (set)"), ("latin1", "Ãðóïïà êðîâè", "windows-1252 (set)"),
    ]
    _ = try segue("library", "add", folder.path + "/music")
    for (setting, title, reading) in cases {
      try write("set charset=\(setting)\n".utf8, to: folder.path + "/config")
      let info = try segue("info", path)
      #expect(info.contains("  title        \(title)\n") && info.contains("  text         \(reading)\n"), "\(info)")
      #expect(try segue("info", "--json", path).contains(#""charset":"\#(reading)""#))
      _ = try segue("library", "scan")
      let found = try segue("library", "search", title)
      #expect(found.contains(title), "\(found)")
    }
  }

  @Test("every fixture's object is JSON, and its duration what decode writes", arguments: Fixtures.odd)
  func durations(name: String) throws {
    let folder = try TemporaryFolder()
    let result = try Program.segue("info", "--json", fixture(name))
    try write(result.output, to: folder.path + "/info.json")
    let script = """
      import json, sys
      d = json.load(open(sys.argv[1]))
      print(round(d["duration"] * d["dataFormat"]["sampleRate"]))
      """
    let frames = try Program.run(["python3", "-c", script, folder.path + "/info.json"]).text
    let channels = result.text.contains(#""channelsPerFrame":2"#) ? 2 : 1
    let decoded = try Program.segue("decode", "--raw", "-o", "-", fixture(name)).output.count / 2 / channels
    #expect(frames == "\(decoded)\n")
  }

  @Test(
    "prints tags at any position in the file",
    arguments: ["id3v22.mp3", "id3v23-utf16.mp3", "id3v1.mp3", "id3v24-twice.mp3"])
  func tags(name: String) throws {
    for via in ["stream", "file"] {
      #expect(try Program.segue("info", "--json", "--via", via, fixture(name)).text.contains(#""tags":{"title":""#))
      #expect(try Program.segue("info", "--via", via, fixture(name)).text.contains("\n  title        "))
    }
  }

  @Test("prints the tags of a file whose audio cannot be played, and the reason") func unplayable() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/encrypted.m4a"
    let key = "00112233445566778899aabbccddeeff"
    let made = try Program.run([
      "ffmpeg", "-v", "error", "-i", fixture("source-8000-mono.wav"), "-metadata", "title=Title", "-c:a", "aac",
      "-encryption_scheme", "cenc-aes-ctr", "-encryption_key", key, "-encryption_kid", key, path,
    ])
    #expect(made.status == 0, "\(made.errors)")
    let text = try Program.segue("info", path)
    #expect(text.status == 2 && text.text == "\(path)\n  title        Title\n")
    #expect(text.errors.hasPrefix("segue: \(path): the audio is encrypted ('enca') ("))
    let json = try Program.segue("info", "--json", path)
    #expect(json.status == 2 && json.errors == text.errors)
    #expect(json.text.hasPrefix(#"{"path":"\#(path)","error":"the audio is encrypted ('enca') ("#))
    #expect(json.text.hasSuffix(#","tags":{"title":"Title"}}"# + "\n"))
    let both = try Program.segue("info", fixture("short-1000.mp3"), path)
    #expect(both.status == 3 && both.text.hasSuffix("\n\n\(path)\n  title        Title\n"))
  }

  @Test(
    "several values of a tag are an array beside the joined words",
    arguments: ["tags.flac", "tags-apev2.mp3", "tags-id3v2.4.mp3", "tags.m4a", "tags.wav"])
  func severalValues(name: String) throws {
    let json = try Program.segue("info", "--json", fixture(name)).text
    for part in [
      #""artist":"Anna Alpha feat. Bert Beta","artists":["Anna Alpha","Bert Beta"]"#,
      #""albumArtist":"Anna Alpha; and friends; Cleo","albumArtists":["Anna Alpha; and friends","Cleo"]"#,
      #""genre":"Jazz; Noise; Drone","genres":["Jazz","Noise; Drone"]"#,
      #""composer":"Dora Delta; Emil Epsilon","composers":["Dora Delta","Emil Epsilon"]"#,
      #""musicBrainzRecordingID":"11111111-0000-4000-8000-000000000001""#, #""performers":["Jon (violin)"]"#,
    ] {
      #expect(json.contains(part))
    }
  }

  @Test("lists all chapters of an audiobook that has more than Nero's list can hold") func manyChapters() throws {
    let folder = try TemporaryFolder()
    let chapters = (0..<300).map {
      "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\($0 * 10)\nEND=\($0 * 10 + 10)\ntitle=C\($0).\n"
    }
    try write(Array((";FFMETADATA1\n" + chapters.joined()).utf8), to: folder.path + "/chapters.txt")
    let book = folder.path + "/book.m4b"
    let made = try Program.run([
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=r=8000:d=3", "-i", folder.path + "/chapters.txt",
      "-map_chapters", "1", "-c:a", "aac", book,
    ])
    #expect(made.status == 0, "\(made.errors)")
    let text = try Program.segue("info", "--json", book).text
    for number in 0..<300 { #expect(text.split(separator: "\"C\(number).\"").count == 2, "chapter \(number)") }
  }

  @Test("text for people lists pictures with their places, chapters with their times, loudness")
  func parts() throws {
    let text = try Program.segue("info", fixture("flac-tagged.flac")).text
    #expect(text.contains("\n  cover art    image/png, "))
    #expect(text.contains("\n  chapter      0:00.000 Track 1\n  chapter      0:01.200 Track 2\n"))
    #expect(text.contains("\n  gain         -6.5 dB\n"))
  }

  @Test("says where a file ends inside its headers, not where they claim to end", arguments: ["stream", "file"])
  func truncated(via: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/claims.wav"
    // A chunk of 1 MB, of which there are 4 bytes.
    try write(Array("RIFF\u{0}\u{0}\u{0}\u{0}WAVEjunk".utf8) + [0, 0, 16, 0] + [1, 2, 3, 4], to: path)
    let result = try Program.segue("info", "--via", via, path)
    #expect(result.errors.hasSuffix("the file ends inside its headers (byte offset 24)\n"), "\(result.errors)")
  }

  @Test("text for people has a line per fact, and nothing that steers a terminal")
  func plainText() throws {
    let folder = try TemporaryFolder()
    var bytes = try contents(fixture("short-1000.mp3"))
    // An ID3v2.4 tag with a title that would turn the terminal red and the line around.
    let title: [UInt8] = [3] + Array("a\u{1b}[31mb\u{202e}c\u{9b}d\ne".utf8)
    let frame = Array("TIT2".utf8) + [0, 0, 0, UInt8(title.count), 0, 0] + title
    bytes = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame + bytes
    let path = folder.path + "/evil\u{1b}]0;name.mp3"
    try write(bytes, to: path)
    let text = try Program.segue("info", path).text
    #expect(text.hasPrefix("\(folder.path)/evil\u{fffd}]0;name.mp3\n  title        a\u{fffd}[31mb\u{fffd}c\u{fffd}d"))
    #expect(text.contains("\n  duration     0:00.023\n  format       MP3 (.mp3), 44100 Hz, stereo\n"))
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
    let json = try Program.segue("info", "--json", path).text
    #expect(json.contains(#""title":"a\u001b[31mb"#))
    #expect(json.utf8.dropLast().allSatisfy { $0 >= 0x20 })
    let failure = try Program.segue("info", "/no\u{1b}[2Jwhere\n.mp3")
    #expect(failure.errors == "segue: /no\u{fffd}[2Jwhere\u{fffd}.mp3: cannot open: No such file or directory\n")
  }

  @Test("prints each of several inputs or its error; the status says whether some or all failed")
  func statuses() throws {
    let good = fixture("short-1000.mp3")
    let both = try Program.segue("info", "--json", good, "/nowhere.mp3", good)
    #expect(both.status == 3)
    #expect(both.text.split(separator: "\n").count == 2)
    #expect(both.errors == "segue: /nowhere.mp3: cannot open: No such file or directory\n")
    #expect(try Program.segue("info", "/nowhere.mp3", "/nowhere.mp3").status == 2)
    #expect(try Program.segue("info", good, good).status == 0)
    #expect(try Program.segue("info").status == 64)
    #expect(try Program.segue("info", "--via", "luck", good).status == 64)
    #expect(try Program.segue("decode", "--start", "-1", "-o", "-", good).status == 64)
  }

  @Test("a path of any bytes is opened")
  func bytePaths() throws {
    let folder = try TemporaryFolder()
    let name: [UInt8] = [0x2f, 0xff, 0xfe, 0x80, 0x20, 0xe4, 0xf4, 0x8f, 0x9f, 0xbf]
    let path = Array(folder.path.utf8) + name + Array(".mp3".utf8)
    let bytes = try contents(fixture("short-1000.mp3"))
    let file = try #require(fopen(path.map { CChar(bitPattern: $0) } + [0], "w"))
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
    let result = try Program.run(bytes: [Array(Program.path.utf8), Array("packets".utf8), path])
    #expect(result.status == 0)
    #expect(result.text.split(separator: "\n").count == 2)
    let info = try Program.run(bytes: [Array(Program.path.utf8), Array("info".utf8), Array("--json".utf8), path])
    #expect(info.status == 0)
    #expect(String(validating: info.output, as: UTF8.self) != nil)
  }

  // MARK: Packets

  @Test("packets follow each other from the data offset to the end", arguments: ["stream", "file"])
  func packets(via: String) throws {
    let path = fixture("e2-44100-cbr160.mp3")
    let lines = try Program.segue("packets", "--via", via, path).text.split(separator: "\n")
    let rows = lines.map { $0.split(separator: "\t").compactMap { Int($0) } }
    #expect(rows.count == 396)
    var offset = 522
    for (index, row) in rows.enumerated() {
      #expect(row == [index, offset, row[2], 1152, index * 1152])
      #expect(522...523 ~= row[2])
      offset += row[2]
    }
    #expect(try offset == contents(path).count)
    let json = try Program.segue("packets", "--json", "--via", via, path).text.split(separator: "\n")
    #expect(json.count == 396)
    let place = #""fileOffset":\#(rows[1][1]),"byteCount":\#(rows[1][2])"#
    #expect(json[1] == #"{"index":1,\#(place),"frameCount":1152,"startFrame":1152}"#)
  }
}

/// Parts of the program that need no process.
@Suite("Text in and out of the program")
struct TextTests {
  @Test("every argument's bytes come back, UTF-8 or not")
  func byteArguments() {
    var all: [[UInt8]] = (0x80...0xff).map { [0x61, $0, 0x62] } + [[], [0xf4, 0x8f, 0x9f, 0xbf], [0xed, 0xa0, 0x80]]
    all += (0xc0...0xff).flatMap { lead in [0x2f, 0x80, 0xbf, 0xff].map { [lead, $0, lead] } }
    all.append(Array("Grüße, 音楽 \u{10f7ff}".utf8))
    for bytes in all { #expect(ByteArguments.bytes(of: ByteArguments.text(of: bytes)) == bytes) }
    #expect(ByteArguments.text(of: Array("Grüße".utf8)) == "Grüße")
  }

  @Test("JSON escapes special characters, and writes NaN as null")
  func json() {
    let value: JSON = [
      "a\"\\\n\t\u{1}\u{7f}\u{9b}é": .array([JSON(1.5), JSON(2.0), JSON(Double.nan), JSON(nil as Int?), .bool(true)])
    ]
    #expect(value.description == #"{"a\"\\\n\t\u0001\u007f\u009bé":[1.5,2,null,null,true]}"#)
  }
}
