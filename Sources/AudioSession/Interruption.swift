/// The reason for an interruption (raw values are the published numbers).
public enum InterruptionReason: Int, Sendable, Hashable, CaseIterable {
  /// Another program uses the sound system.
  case `default` = 0
  /// The program was stopped, for example in its terminal.
  case appWasSuspended = 1
  /// The device was removed. No end follows.
  case routeDisconnected = 4
}

/// The source of an interruption. Interruptions by different sources may overlap; each source ends its own.
public enum InterruptionSource: Sendable, Hashable, CaseIterable {
  /// The sound server: a request to cork, or a mute by its policy.
  case soundServer
  /// The simulated session: SIGUSR1 and SIGUSR2, or the control socket.
  case simulation
  /// The terminal: SIGTSTP and SIGCONT.
  case terminal
  /// The machine goes to sleep.
  case systemSleep
}

/// The reason for a change of the output (raw values are the published numbers; 5 is unused).
public enum RouteChangeReason: Int, Sendable, Hashable, CaseIterable {
  /// Unknown.
  case unknown = 0
  /// A device appeared, such as headphones: playback continues.
  case newDeviceAvailable = 1
  /// The device in use was removed: playback pauses until the listener resumes it.
  case oldDeviceUnavailable = 2
  /// The session's category changed.
  case categoryChange = 3
  /// The route was overridden.
  case override = 4
  /// The machine woke up.
  case wakeFromSleep = 6
  /// No device suits the category.
  case noSuitableRouteForCategory = 7
  /// The same devices, configured differently.
  case routeConfigurationChange = 8
}
