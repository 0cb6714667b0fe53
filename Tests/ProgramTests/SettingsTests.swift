import Glibc
import SoundServerSupport
import TestTraits
import Testing

@testable import Commands

/// Files of settings while the program runs.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Settings as it plays` {
  @Test func `other files beside them change nothing`() throws {
    let folder = try TemporaryFolder()
    let tmux = try Tmux(
      "exec env LC_ALL=C.UTF-8 SEGUE_HOME='\(folder("home"))' '\(canonical(Program.path))' --output null "
        + fixture("vbr-60s-without-header.mp3"))
    #expect(eventually(milliseconds: 50) { tmux.screen.contains("▶ ") })
    #expect(eventually { access(folder("home/state/running-session"), F_OK) == 0 })
    usleep(200_000)
    #expect(!tmux.screen.contains("settings reloaded"), "\(tmux.screen)")
  }

  private func waitForReload(_ folder: TemporaryFolder) {
    #expect(eventually { Event.all(in: folder("events")).contains { $0.message == "settings reloaded" } })
  }

  @Test func `a binding applies as soon as it is written, even into a new folder`() throws {
    let folder = try TemporaryFolder()
    let environment = "LC_ALL=C.UTF-8 XDG_CONFIG_HOME='\(folder("config"))' XDG_STATE_HOME='\(folder("state"))'"
    let tmux = try Tmux(
      "exec env -u SEGUE_HOME \(environment) '\(canonical(Program.path))' --output null --events \(folder("events")) "
        + fixture("vbr-60s-without-header.mp3"))
    let see = { (text: String) in
      let isSeen = eventually(milliseconds: 50) { tmux.screen.contains(text) }
      #expect(isSeen, "\(text)\n\(tmux.screen)")
    }
    see("▶ ")
    #expect(isSaid("y is not bound", on: tmux) { tmux.press("y") })
    try #require(mkdir(folder("config"), 0o700) == 0 && mkdir(folder("config/segue"), 0o700) == 0)
    try write("bind y mute\n".utf8, to: folder("config/segue/keys"))
    waitForReload(folder)
    tmux.press("y")
    see("muted")
    // The other lines of a file with a wrong one are in effect.
    try write("bind y\nbind w mute\n".utf8, to: folder("config/segue/keys"))
    tmux.press("5")
    see("keys:1:7: bind y to what?")
    tmux.press("1")
    tmux.press("w")
    see("100%")
    #expect(tmux["mouse_button_flag"] == "1")
    tmux.send(":set mouse=off\r")
    #expect(eventually(milliseconds: 50) { tmux["mouse_button_flag"] == "0" }, "the terminal has its selection back")
    // The cursor, for screen readers.
    #expect(tmux["cursor_flag"] == "0")
    tmux.send(":set cursor=on\r")
    #expect(
      eventually(milliseconds: 50) { tmux["cursor_flag"] == "1" && tmux["cursor_y"] == "3" && tmux["cursor_x"] == "0" })
  }

  @Test func `what is set by hand lasts, until a file says otherwise`() throws {
    let folder = try TemporaryFolder()
    let program =
      "env LC_ALL=C.UTF-8 SEGUE_HOME='\(folder("home"))' '\(canonical(Program.path))' --output null --events "
      + folder("events")
    let tmux = try Tmux("\(program) \(fixture("vbr-60s-without-header.mp3")); exec \(program)")
    let see = { (text: String) in
      let isSeen = eventually(milliseconds: 50) { tmux.screen.contains(text) }
      #expect(isSeen, "\(text)\n\(tmux.screen)")
    }
    see("▶ ")
    tmux.send(":bind y mute\r:set mouse=off\r")
    #expect(isSaid("w: next track", on: tmux) { tmux.send(":bind w next\r") })
    #expect(eventually(milliseconds: 50) { tmux["mouse_button_flag"] == "0" })
    let process = tmux["pane_pid"]
    tmux.press("q")
    #expect(eventually(milliseconds: 50) { tmux["pane_pid"] == process && tmux["pane_current_command"] == "segue" })
    see("▶ ")
    tmux.press("y")
    see("muted")
    #expect(eventually(milliseconds: 50) { tmux["mouse_button_flag"] == "0" })
    try write("bind y pause\n".utf8, to: folder("home/keys"))
    waitForReload(folder)
    tmux.press("y")
    see("⏸ paused")
  }
}
