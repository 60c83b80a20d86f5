internal import RandomSupport
internal import TestSupport
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// A device that processes notifications, keeps how far it came, is slow, crashes and comes back.
final class ProofDevice: Sendable {
  /// What the device has.
  struct State: Sendable {
    /// On its disk: survives a crash.
    var committed: [TidingsV1.Notification] = []
    var token: [UInt8] = []
    /// In memory.
    var pending: [TidingsV1.Notification] = []
    var sessionCount = 0
    /// What must never happen.
    var complaints: [String] = []

    var processed: [TidingsV1.Notification] { committed + pending }

    mutating func commit(_ token: [UInt8]) {
      committed += pending
      pending = []
      self.token = token
    }
  }

  /// The most devices of a user.
  static let countMax = 3

  let caller: Oracle.Caller
  let state = Observed(State())
  private let number: Int

  init(user: String, number: Int) {
    caller = Oracle.Caller(user, "device-\(number)")
    self.number = number
  }

  /// Fetches the token to begin with: read marks are told from a token on.
  func begin(in world: ProofWorld) async throws {
    let client = try await world.client(caller)
    let token = try await world.insist { try await client.feed() }.token
    state.update { $0.token = token }
    await client.close()
  }

  /// Processes notifications until the task is cancelled.
  func run(in world: ProofWorld, _ random: SplitMix64) async throws {
    var random = random
    while !Task.isCancelled {
      try await session(in: world, &random)
      // Gone for a while, with what was not committed.
      state.update { $0.pending = [] }
      if random.oneIn(2) { try await world.waitForDeeds(random.below(200)) }
    }
  }

  private func session(in world: ProofWorld, _ random: inout SplitMix64) async throws {
    let interval = Duration.seconds(random.pick([2, 4, 60]))
    let client = try await world.client(caller, reconcileInterval: interval)
    state.update { $0.sessionCount += 1 }
    // Pushed ones are repeated when the stream begins anew at a token of before.
    let known = Set(state.value.committed.map(ProofKey.init))
    var seen: Set<ProofKey> = []
    var iterator = client.notificationStream(after: state.value.token).makeAsyncIterator()
    let isSlow = random.oneIn(3)
    while let notification = try await iterator.next() {
      let key = ProofKey(notification)
      if !seen.insert(key).inserted {
        state.update { $0.complaints.append("\(key) came twice in a session") }
      }
      guard !known.contains(key) else { continue }
      state.update { $0.pending.append(notification) }
      let token = iterator.changeToken
      if random.oneIn(4) || world.isQuiet.value { state.update { $0.commit(token) } }
      if random.oneIn(12) { try await markRead(in: world, client, &random) }
      if isSlow, random.oneIn(20) { try await world.waitForDeeds(random.below(20)) }
      if random.oneIn(60), !world.isQuiet.value { break }
    }
    await client.close()
  }

  /// Marks something read that it has on disk; each device has its own share.
  private func markRead(
    in world: ProofWorld,
    _ client: Client,
    _ random: inout SplitMix64
  ) async throws {
    let marked = world.marks.value[caller.user, default: [:]]
    let mine = state.value.committed.filter {
      $0.type != .readNotification && Int(ProofKey($0).number) % Self.countMax == number
        && marked[$0.notificationID] == nil
    }
    guard !mine.isEmpty else { return }
    let ids = (0...random.below(3)).map { _ in random.pick(mine).notificationID }
    try await world.markRead(Array(Set(ids)), by: caller, with: client)
  }
}
