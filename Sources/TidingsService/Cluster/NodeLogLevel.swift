internal import TidingsLogging
internal import TidingsModel
internal import TidingsProto
internal import TidingsZeroMQ

/// Shows and sets the log level of a node: what leaders and followers have in common.
struct NodeLogLevel {
  /// The name of the node; empty: the server is alone.
  let nodeName: String
  let logger: Logger
  let callLog: CallLog

  /// Does what a request asks for, on the thread of a loop.
  ///
  /// - Throws: `ItemError`.
  func apply(
    _ request: TidingsV1.SetLogLevelRequest,
    on loop: LoopContext
  ) throws(ItemError) -> TidingsV1.SetLogLevelResponse {
    let previous = logger.level
    if let level = try Self.level(request) { logger.set(level) }
    if let slow = request.slowCallMilliseconds {
      callLog.setSlow(milliseconds: Int(min(slow, UInt32(Int32.max))))
    }
    callLog.follow(loop)
    return TidingsV1.SetLogLevelResponse(
      level: .init(logger.level),
      previous: .init(previous),
      nodeName: nodeName,
      slowCallMilliseconds: UInt32(callLog.slowMilliseconds)
    )
  }

  /// What the audit log says about a request; empty: it changes nothing.
  ///
  /// - Throws: `ItemError`.
  func about(_ request: TidingsV1.SetLogLevelRequest) throws(ItemError) -> String {
    var changes: [String] = []
    if let level = try Self.level(request) {
      changes.append("from \(logger.level.rawValue) to \(level.rawValue)")
    }
    if let slow = request.slowCallMilliseconds { changes.append("slow calls from \(slow) ms") }
    return changes.joined(separator: ", ")
  }

  /// The level that is asked for; `nil`: none.
  private static func level(
    _ request: TidingsV1.SetLogLevelRequest
  ) throws(ItemError) -> Logger.Level? {
    if request.level == .unspecified { return nil }
    guard let level = request.level.level else {
      throw ItemError(
        .invalidArguments,
        "level \(request.level.rawValue) is not known: use DEBUG, INFO, WARNING or ERROR"
      )
    }
    return level
  }
}

extension TidingsV1.LogLevel {
  fileprivate var level: Logger.Level? {
    switch self {
    case .debug: .debug
    case .info: .info
    case .warning: .warning
    case .error: .error
    default: nil
    }
  }

  fileprivate init(_ level: Logger.Level) {
    self =
      switch level {
      case .debug: .debug
      case .info: .info
      case .warning: .warning
      case .error: .error
      }
  }
}
