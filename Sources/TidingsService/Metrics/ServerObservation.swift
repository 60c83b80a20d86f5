internal import Synchronization
internal import TidingsHTTP
internal import TidingsMetrics
internal import TidingsOperator
internal import TidingsTracing
internal import TidingsZeroMQ

/// What a server answers at its operator endpoint, from before it opens the store until it has stopped.
final class ServerObservation: Sendable {
  private let role = Mutex<(any ServerRole)?>(nil)
  private let tracer: Tracer?

  init(_ tracer: Tracer?) { self.tracer = tracer }

  /// The server has a role, or is between two (`nil`).
  func set(_ role: (any ServerRole)?) { self.role.withLock { $0 = role } }

  /// Starts to answer.
  ///
  /// - Throws: `StartError`.
  func listen(_ text: String) throws(StartError) -> OperatorEndpoint {
    guard let address = HTTPAddress(text) else {
      throw StartError("the operator endpoint '\(text)' is not of the form HOST:PORT")
    }
    let source = OperatorEndpoint.Source(
      metrics: { [self] in await families() },
      failure: { [self] in await failure() },
      unreadiness: { [self] in unreadiness }
    )
    do {
      return try OperatorEndpoint(address, source)
    } catch {
      throw StartError("the operator endpoint cannot be opened: \(error)")
    }
  }

  /// All metrics of the process.
  func families() async -> [MetricFamily] {
    var snapshot: MetricSnapshot?
    if let role = role.withLock(\.self) { snapshot = await MetricSnapshot.take(from: role) }
    let stored = await snapshot?.sizesWatch?.families() ?? []
    return Self.programFamilies(isUp: snapshot != nil) + (snapshot?.families ?? []) + stored
      + (tracer?.families ?? []) + ProcessMetrics.families()
  }

  /// What is there whether the loop answers or not.
  static func programFamilies(isUp: Bool) -> [MetricFamily] {
    [
      .gauge("tidings_up", "1 if the core loop answers.", isUp ? 1 : 0),
      MetricFamily(
        "tidings_build_info",
        .gauge,
        "Always 1, with the version of the program.",
        [Metric("version", TidingsServer.version, 1)]
      ),
    ]
  }

  /// Why the process should be restarted.
  private func failure() async -> String? {
    guard let role = role.withLock(\.self) else { return nil }
    let isAlive = await OneAnswer<Bool>.wait(within: MetricSnapshot.patience) { answer in
      role.server.submit { _ in answer.give(true) }
    }
    return isAlive == nil ? "the core loop does not answer" : nil
  }

  private var unreadiness: String? {
    guard let role = role.withLock(\.self) else { return "the server is starting" }
    return role.health.isServing ? nil : "the server takes no calls"
  }
}
