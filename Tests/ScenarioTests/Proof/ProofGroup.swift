internal import RandomSupport
internal import TestSupport
internal import TidingsClient
internal import TidingsProto

/// Workers that share a user's notifications, crash and come back: each notification is done once.
final class ProofGroup: Sendable {
  struct State: Sendable {
    /// Which worker has done what, as the server acknowledged it.
    var done: [String: String] = [:]
    /// Whether these were done was never answered.
    var uncertain: Set<String> = []
    var deliveryCount = 0
    var lostCount = 0
    var crashCount = 0
    /// What must never happen.
    var complaints: [String] = []

    mutating func note(_ id: String, doneBy worker: String) {
      if let other = done.updateValue(worker, forKey: id) {
        complaints.append("\(id) was done by \(worker) after it was done by \(other)")
      }
    }
  }

  static let workersMax = 3

  let user: String
  let state = Observed(State())

  init(user: String) { self.user = user }

  /// Works until the task is cancelled.
  func run(worker number: Int, in world: ProofWorld, _ random: SplitMix64) async throws {
    var random = random
    let worker = "worker-\(number)"
    while !Task.isCancelled {
      let interval = ProofWorld.reconcileIntervals[random.below(3)]
      let client = try await world.client(.init(user, worker), reconcileInterval: interval)
      try await session(worker, in: world, client, &random)
      await client.close()
      state.update { $0.crashCount += 1 }
      if random.oneIn(2) { try await world.waitForDeeds(random.below(100)) }
    }
  }

  private func session(
    _ worker: String,
    in world: ProofWorld,
    _ client: Client,
    _ random: inout SplitMix64
  ) async throws {
    let workers = client.notificationWorkers(
      group: "mailer",
      // The shortest: crashes must not hold up the end.
      visibilityTimeout: .seconds(1),
      concurrency: random.pick([1, 4, 20])
    )
    try await withThrowingTaskGroup { tasks in
      var iterator = workers.makeAsyncIterator()
      while let lease = try await iterator.next() {
        state.update { $0.deliveryCount += 1 }
        let choices = random.fork()
        tasks.addTask { try await self.work(on: lease, worker, in: world, choices) }
        // What it holds is dropped below, or done late.
        if random.oneIn(40), !world.isQuiet.value { break }
      }
      try await tasks.waitForAll()
    }
  }

  private func work(
    on lease: NotificationLease,
    _ worker: String,
    in world: ProofWorld,
    _ random: SplitMix64
  ) async throws {
    var random = random
    let id = lease.notification.notificationID
    if random.oneIn(8) { try await world.waitForDeeds(random.below(20)) }
    let fate = world.isQuiet.value ? 20 : random.below(20)
    // Dropped, as by a crash: the lease ends by itself.
    if fate == 0 { return }
    if fate < 3 {
      try? await lease.release()
      return
    }
    do {
      try await lease.done()
      state.update { $0.note(id, doneBy: worker) }
    } catch .lost {
      state.update { $0.lostCount += 1 }
    } catch .call {
      state.update { _ = $0.uncertain.insert(id) }
    }
  }

  /// Waits until all that must be done is, and shows what is not or should not have been.
  func differences(_ model: ProofModel, marks: Set<String>, waits: Bool) async throws -> [String] {
    let expected = model.expected[user, default: []]
    let ids = Set(expected.map(\.key.description))
    // What was marked read needs no work, unless it was leased before.
    let required = ids.subtracting(marks)
    let state = try await state.waitWhileMoving(waits, progress: \.deliveryCount) {
      !$0.complaints.isEmpty || required.isSubset(of: $0.uncertain.union($0.done.keys))
    }
    var complaints = state.complaints
    let done = Set(state.done.keys)
    let missing = required.subtracting(done.union(state.uncertain))
    if let first = expected.first(where: { missing.contains($0.key.description) }) {
      complaints.append("\(missing.count) were done by nobody, first \(first.notification.brief)")
    }
    if let extra = done.subtracting(ids).first { complaints.append("\(extra) came unasked") }
    return complaints.map { "\(user), work group: \($0)" }
  }
}
