/// How much waits in a loop at a moment, and what is open.
public struct LoopQueues: Hashable, Sendable {
  /// Requests that wait for their caller's turn.
  public var requests = 0
  /// Answers that their clients do not read.
  public var answers = 0
  /// Calls that run as tasks.
  public var tasks = 0
  /// Calls that were begun on the loop and are not answered.
  public var inlineCalls = 0
  /// Calls that were handed on to the node that leads.
  public var forwarded = 0
  /// Connections for calls.
  public var callConnections = 0
  /// Connections for pushes.
  public var pushConnections = 0
}

extension LoopContext {
  /// What is there now; counts connections one by one.
  public var queues: LoopQueues {
    followConnections()
    let pushes = connections.count(of: .pushes)
    return LoopQueues(
      requests: waiting.count,
      answers: backlog.count,
      tasks: running.count,
      inlineCalls: inlineOpen,
      forwarded: forwarding?.count ?? 0,
      callConnections: connections.count - pushes,
      pushConnections: pushes
    )
  }
}
