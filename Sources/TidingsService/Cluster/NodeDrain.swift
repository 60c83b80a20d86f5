internal import TidingsLogging
internal import TidingsModel
internal import TidingsProto
internal import TidingsZeroMQ

/// Lets a node end its calls and take no new ones, or take calls again: what leaders and followers have in common.
struct NodeDrain {
  let health: HealthState?
  let logger: Logger
  /// An administrator has drained the server, which is to exit.
  let onDrained: (() -> Void)?
  /// The last call has ended, and the server is not to exit; `nil`: it stays as it is.
  var onDrainedWithoutStop: (() -> Void)?
  /// Lets calls wait for changes, or answers those that do.
  var waits: (Bool) -> Void = { _ in }

  /// Does what a request asks for.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - user: Who asks.
  ///   - loop: The loop.
  /// - Returns: The state, and what the audit log says; empty: nothing was changed.
  /// - Throws: `ItemError`.
  func apply(
    _ request: TidingsV1.DrainRequest,
    by user: String,
    on loop: LoopContext
  ) throws(ItemError) -> (TidingsV1.DrainResponse, about: String) {
    let about = try Self.about(request)
    switch request.action {
    case .drain:
      health?.setServing(false)
      let patience = request.patienceMilliseconds
      loop.drain(
        patience: patience == 0 ? nil : .milliseconds(patience),
        request.stops ? onDrained : onDrainedWithoutStop
      )
      // They would wait for changes that do not come.
      waits(false)
      logger.log(.info, "draining", ["stops": "\(request.stops)", "by": user])
    case .resume:
      loop.resume()
      waits(true)
      health?.setServing(true)
      logger.log(.info, "serving again", ["by": user])
    default: break
    }
    let response = TidingsV1.DrainResponse(
      state: Self.state(of: loop),
      callsOpen: UInt32(clamping: loop.openCallCount(except: 1))
    )
    return (response, about)
  }

  /// What the audit log says about a request; empty: it changes nothing.
  ///
  /// - Throws: `ItemError`.
  static func about(_ request: TidingsV1.DrainRequest) throws(ItemError) -> String {
    switch request.action {
    case .unspecified: return ""
    case .drain: return request.stops ? "drain and stop" : "drain"
    case .resume: return "resume"
    default:
      throw ItemError(
        .invalidArguments,
        "action \(request.action.rawValue) is not known: use DRAIN or RESUME"
      )
    }
  }

  /// Whether calls are taken, asked by a call that is not answered yet.
  static func state(of loop: LoopContext) -> TidingsRpcV1.ServerState {
    guard loop.isDraining else { return .serving }
    return loop.openCallCount(except: 1) > 0 ? .draining : .drained
  }
}
