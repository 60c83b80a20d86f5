internal import TidingsAudit
internal import TidingsLogging

/// The copies of the audit log's lines that leave for syslog, and what is said of those that do not get there.
struct AuditCopies: ~Copyable {
  /// How often is said that lines were not taken.
  private static let warningPause = Duration.seconds(60)

  private var syslog: AuditSyslog?
  private let logger: Logger
  private var lostCount = 0
  private var warned: ContinuousClock.Instant?

  /// Copies to a socket; `nil`: none are made.
  init(_ path: String?, _ logger: Logger) {
    self.logger = logger
    syslog = path.flatMap { AuditSyslog(path: $0) }
    guard let path, let reason = syslog?.connect() else { return }
    logger.log(
      .warning,
      "the audit log is not copied until the socket is there",
      ["socket": path, "reason": reason]
    )
  }

  /// Lines were too many to be sent.
  mutating func lost(_ count: Int) {
    if syslog != nil { lostCount += count }
  }

  /// Sends lines, if there is where to.
  mutating func send(_ lines: [[UInt8]], _ kind: AuditKind) {
    guard let lost = syslog?.send(lines, areRefusals: kind == .refusals) else { return }
    lostCount += lost
    guard lostCount > 0, warned.map({ .now - $0 >= Self.warningPause }) ?? true else { return }
    logger.log(
      .warning,
      "lines of the audit log were not taken by syslog; they are in the log itself",
      ["count": "\(lostCount)"]
    )
    (lostCount, warned) = (0, .now)
  }
}
