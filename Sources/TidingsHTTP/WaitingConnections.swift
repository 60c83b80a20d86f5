/// The connections that wait, by the networks that they come from; which one is to be closed is known without a look at
/// all of them.
struct WaitingConnections {
  /// A connection, and when it began to wait: the beginnings are numbered.
  struct Wait: Hashable {
    let connection: UInt64
    let since: UInt64
  }

  private struct Queue {
    /// In their order; some have ended.
    var waits: [Wait] = []
    var first = 0
    /// The number of those that have not.
    var count = 0
  }

  private var queues: [PeerNetwork: Queue] = [:]
  /// The networks from which so many wait.
  private var networks: [Int: Set<PeerNetwork>] = [:]
  /// The number of waits of the network that has the most.
  private var most = 0

  /// A connection begins to wait, later than all others.
  mutating func begin(_ wait: Wait, from network: PeerNetwork) {
    queues[network, default: Queue()].waits.append(wait)
    change(network, by: 1)
  }

  /// A connection waits no more.
  ///
  /// - Parameters:
  ///   - network: Where it comes from.
  ///   - isLasting: Whether a wait lasts.
  mutating func end(from network: PeerNetwork, _ isLasting: (Wait) -> Bool) {
    change(network, by: -1)
    guard var queue = queues[network], queue.waits.count > 2 * queue.count + 16 else { return }
    queues[network] = nil
    (queue.waits, queue.first) = (queue.waits[queue.first...].filter(isLasting), 0)
    queues[network] = queue
  }

  /// The connection that has waited longest, of those from the network from which the most wait.
  ///
  /// - Parameter isLasting: Whether a wait lasts.
  /// - Returns: `nil`: none waits.
  mutating func longest(_ isLasting: (Wait) -> Bool) -> UInt64? {
    guard let network = networks[most]?.first, var queue = queues.removeValue(forKey: network)
    else { return nil }
    while !isLasting(queue.waits[queue.first]) { queue.first += 1 }
    queues[network] = queue
    return queue.waits[queue.first].connection
  }

  private mutating func change(_ network: PeerNetwork, by difference: Int) {
    guard let before = queues[network]?.count else { return }
    let count = before + difference
    networks[before]?.remove(network)
    if networks[before]?.isEmpty == true { networks[before] = nil }
    if count == 0 {
      queues[network] = nil
    } else {
      queues[network]?.count = count
      networks[count, default: []].insert(network)
    }
    if count > most || networks[most] == nil { most = count }
  }
}
