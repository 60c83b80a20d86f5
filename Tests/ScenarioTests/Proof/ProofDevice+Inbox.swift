internal import RandomSupport
internal import TestSupport
internal import TidingsClient
internal import TidingsProto

extension ProofDevice {
  /// Works with an inbox, which is closed in the end, or dropped as a crash drops it.
  func inboxSession(
    in world: ProofWorld,
    _ client: Client,
    _ random: inout SplitMix64
  ) async throws {
    let inbox = try await inbox(in: world, client)
    repeat {
      state.update { $0.beginSession() }
      try await iterate(inbox, in: world, client, &random)
      // Once more with the same inbox: it begins after what was committed.
    } while !Task.isCancelled && random.oneIn(3)
    if random.oneIn(2) { await inbox.close() }
  }

  private func inbox(in world: ProofWorld, _ client: Client) async throws -> NotificationInbox {
    var options = NotificationInbox.Options()
    options.firstToken = state.value.token
    guard keeping == .file else {
      return try client.notificationInbox(from: state.value.position, options: options)
    }
    let path = world.folder.file("\(caller.user)-\(caller.device)")
    while true {
      do {
        return try client.notificationInbox(at: path, options: options)
      } catch {
        // The one that was dropped is not gone yet.
        guard case .positionInUse = error else { throw error }
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }

  private func iterate(
    _ inbox: NotificationInbox,
    in world: ProofWorld,
    _ client: Client,
    _ random: inout SplitMix64
  ) async throws {
    var uncommitted: [InboxNotification] = []
    let isSlow = random.oneIn(3)
    for try await item in inbox where state.update({ $0.take(item.notification, mayRepeat: false) })
    {
      uncommitted.append(item)
      if random.oneIn(4) || world.isQuiet.value {
        // Often not all that was handed out.
        let count = world.isQuiet.value ? uncommitted.count : 1 + random.below(uncommitted.count)
        let last = uncommitted[count - 1]
        try await inbox.commit(upTo: last)
        if keeping == .file {
          state.update { $0.commit(count) }
        } else {
          try await keep(last, count)
        }
        uncommitted.removeFirst(count)
      }
      if try await isOver(isSlow, in: world, client, &random) { return }
    }
  }

  /// The application's transaction: the work and the place after it, which it reads back as bytes.
  private func keep(_ last: InboxNotification, _ count: Int) async throws {
    let position = try InboxPosition(bytes: last.position.bytes)
    state.update {
      $0.commit(count)
      $0.position = position
    }
  }
}
