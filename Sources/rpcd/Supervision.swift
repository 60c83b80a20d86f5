import Glibc
import TidingsLogging
import TidingsService

/// What is sent to the supervisor from start to end; without one nothing happens.
struct Supervision: Sendable {
  private let supervisor: Supervisor?
  private let watchdog: Watchdog?
  private let logger: Logger

  /// What the environment says; what is wrong with it is logged, and keeps no server from serving.
  init(_ logger: Logger) {
    self.logger = logger
    do {
      supervisor = try Supervisor(named: Self.variable(Supervisor.variable))
    } catch {
      logger.log(.warning, "\(error)")
      supervisor = nil
    }
    watchdog = Watchdog(
      microseconds: Self.variable("WATCHDOG_USEC"),
      watched: Self.variable("WATCHDOG_PID"),
      process: getpid()
    )
  }

  /// The store is about to be opened, which may take a while.
  func starting(_ settings: ServerSettings) {
    notify("STATUS=opening \(settings.dataPath)")
  }

  /// Both endpoints are bound and calls are answered.
  func ready(_ server: TidingsServer) {
    let mode = server.publicKey == nil ? ", in development mode" : ""
    notify(
      "READY=1",
      "STATUS=serving calls at \(server.rpcEndpoint), pushes at \(server.pushEndpoint)\(mode)"
    )
    guard let supervisor, let watchdog else { return }
    watchdog.start(
      submit: { [weak server] job in server?.onLoop(job) ?? false },
      // What is not sent is sent again.
      ping: { try? supervisor.notify(["WATCHDOG=1"], waits: false) }
    )
  }

  /// Calls that run are finished, then it ends.
  func stopping() {
    notify("STOPPING=1", "STATUS=finishing the calls that run")
  }

  private func notify(_ lines: String...) {
    do {
      try supervisor?.notify(lines)
    } catch {
      logger.log(.warning, "\(error)")
    }
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
