internal import Synchronization
internal import TidingsHTTP
internal import TidingsLogging

/// What browsers report of the dashboard's content security policy: a defect of a page, or an attempt to add to it.
final class PolicyReports: Sendable {
  private let logger: Logger
  private let count = Mutex(0)
  /// Anybody can send reports: the log does not grow with them.
  private static let loggedMax = 100
  private static let shownBytesMax = 500

  init(_ logger: Logger) { self.logger = logger }

  func add(_ body: HTTPBody) {
    guard case .bytes(let bytes) = body else { return }
    let number = count.withLock { count in
      count = min(count + 1, Self.loggedMax + 1)
      return count
    }
    guard number <= Self.loggedMax else { return }
    let report = String(decoding: bytes.prefix(Self.shownBytesMax), as: UTF8.self)
    logger.log(
      .warning,
      "content security policy report",
      values: [("number", .integer(number)), ("report", .string(report))]
    )
  }
}
