/// Why a session was interrupted (the numbers are the published ones).
public enum InterruptionReason: Int, Sendable, Hashable, CaseIterable {
  /// Another use of the sound system took it.
  case `default` = 0
  /// The program was stopped, in its terminal for instance.
  case appWasSuspended = 1
  /// The device went away. No end follows.
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

/// Why the output changed (the numbers are the published ones, 5 is unused).
public enum RouteChangeReason: Int, Sendable, Hashable, CaseIterable {
  /// Not known.
  case unknown = 0
  /// A device appeared, headphones for instance: playing continues.
  case newDeviceAvailable = 1
  /// The device in use went away: playing pauses until the listener wants it.
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
