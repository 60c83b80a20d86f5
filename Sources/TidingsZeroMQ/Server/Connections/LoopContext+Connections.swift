internal import TidingsRPC
internal import TidingsThreads

extension LoopContext {
  /// Takes note of connections that were accepted and ended.
  ///
  /// The thread that admits connections reports that one was accepted before it gives it its number, so
  /// after this every message that was received is of a connection in the table, or of one that has
  /// ended.
  func followConnections() {
    var isFull = false
    for event in admission.events.drain() {
      switch event {
      case .accepted(let slot, let floor):
        if let former = connections.accepted(slot, floor: floor, now) {
          endedConnections.insert(former)
        }
        if let unused = connections.displaced(by: slot, now) { end(unused) }
      case .ended(let slot):
        if let number = connections.ended(slot) { endedConnections.insert(number) }
      case .full: isFull = true
      }
    }
    if isFull {
      counters.acceptPauses += 1
      delegate?.connectionsRefused(self)
    }
  }

  /// The connection that the message at hand came on.
  ///
  /// A message of one that has ended is dropped: there is nobody to answer.
  func connection(ofMessageFrom number: ConnectionNumber) -> Connection? {
    if let known = connections.connection(number) { return known }
    followConnections()
    guard let descriptor = frames.descriptor(ofFrame: frames.count - 1) else { return nil }
    return connections.join(number, ConnectionSlot(socket: .calls, descriptor: descriptor))
  }

  /// The connection that a call came on; `nil`: it has ended.
  func connection(of token: ReplyToken) -> Connection? {
    token.peer.connection.flatMap { connections.connection($0) }
  }

  /// Ends the calls of connections that have ended, and gives back what they hold.
  func settleEndedConnections() {
    // Those may have sent nothing whole, so the loop does not know them.
    let endedForRoom = InboundBytes.takeEndedCount()
    if endedForRoom > 0 {
      counters.connectionsEnded += endedForRoom
      delegate?.connectionsEndedForRoom(self)
    }
    guard !endedConnections.isEmpty else { return }
    let ended = endedConnections
    endedConnections = []
    for number in ended {
      counters.repliesUndeliverable += UInt64(backlog.remove(number))
      unread.remove(number)
      topics.remove(number)
      subscribers.ended(number)
      callerBounds.ended(number)
    }
    forwarding?.connectionsEnded(ended)
    perform(calls.peerGone { $0.connection.map(ended.contains) ?? true })
    delegate?.connectionsEnded(ended.map(\.value), self)
  }

  /// Ends the connections that are open for a minute and used for nothing.
  func endSilentConnections() {
    guard let due = connections.nextDue, due <= now else { return }
    for connection in connections.overdue(now) { end(connection) }
  }

  /// Ends a connection: its end is reported like any other.
  func end(_ connection: Connection) {
    if !connection.isAskedToEnd { counters.connectionsEnded += 1 }
    connection.isAskedToEnd = true
    admission.end(connection.slot, floor: connection.floor)
  }

  /// Counts what subscribers asked for since the last time.
  func takeSubscriptions() {
    guard let pushes else { return }
    for note in pushes.takeNotes() { count(note) }
  }

  private func count(_ note: SubscriptionNote) {
    let number = note.connection
    var known = connections.connection(number)
    if known == nil, let descriptor = note.descriptor {
      followConnections()
      known = connections.join(number, ConnectionSlot(socket: .pushes, descriptor: descriptor))
    }
    guard let connection = known, !connection.isAskedToEnd else { return }
    // A subscriber has nothing else to say.
    guard let topicBytes = note.topicBytes else { return end(connection) }
    connection.topics += 1
    let key = note.key
    if noteUse(of: connection), let key {
      connection.subscriber = key
      let owner = delegate?.subscriber(ofKey: key) ?? CallerKey(guestKey: key)
      guard subscribers.admits(number, of: owner, countMax: ceiling.perOwnerMax) else {
        return end(connection)
      }
    }
    let excess = topics.add(
      topicBytes,
      of: number,
      for: key.flatMap { delegate?.subscriber(ofKey: $0) }
    )
    guard let excess, let largest = connections.connection(excess) else { return }
    end(largest)
    delegate?.connectionsEndedForTopics(self)
  }

  /// A call of a connection was begun, or it subscribed to something.
  ///
  /// - Returns: Whether it was for the first time.
  func noteUse(of connection: Connection) -> Bool {
    guard !connection.isInUse, let number = connection.number else { return false }
    connection.isInUse = true
    admission.used(number)
    return true
  }
}
