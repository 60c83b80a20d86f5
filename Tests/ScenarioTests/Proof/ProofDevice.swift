internal import RandomSupport
internal import TestSupport
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// A device that processes notifications, keeps how far it came, is slow, crashes and comes back.
final class ProofDevice: Sendable {
  /// How it keeps how far it came.
  enum Keeping: String, Sendable {
    /// A stream's change token: what came after it may be repeated, and is left out here.
    case token
    /// An inbox with a file: what was committed does not come again.
    case file
    /// A position in the transaction of the work: the same, and the work is done once.
    case position
  }

  /// What the device has.
  struct State: Sendable {
    /// On its disk: survives a crash.
    private(set) var committed: [TidingsV1.Notification] = []
    private(set) var committedKeys: Set<ProofKey> = []
    var token: [UInt8] = []
    var position: InboxPosition?
    /// In memory, of the session at hand.
    private(set) var pending: [TidingsV1.Notification] = []
    private var sessionKeys: Set<ProofKey> = []
    private(set) var sessionCount = 0
    /// What must never happen.
    var complaints: [String] = []

    var processed: [TidingsV1.Notification] { committed + pending }

    /// What was not committed is lost.
    mutating func beginSession() {
      (pending, sessionKeys) = ([], [])
      sessionCount += 1
    }

    /// Works on a notification.
    ///
    /// - Returns: `false` when it is on the disk already.
    mutating func take(_ notification: TidingsV1.Notification, mayRepeat: Bool) -> Bool {
      let key = ProofKey(notification)
      if !sessionKeys.insert(key).inserted { complaints.append("\(key) came twice in a session") }
      if committedKeys.contains(key) {
        if !mayRepeat { complaints.append("\(key) came again after it was committed") }
        return false
      }
      pending.append(notification)
      return true
    }

    /// The first of those in memory are on the disk now; without a count all of them.
    mutating func commit(_ count: Int? = nil) {
      let done = pending.prefix(count ?? pending.count)
      committed += done
      committedKeys.formUnion(done.map(ProofKey.init))
      pending.removeFirst(done.count)
    }
  }

  /// The most devices of a user.
  static let countMax = 3

  let caller: Oracle.Caller
  let keeping: Keeping
  let state = Observed(State())
  private let number: Int

  init(user: String, number: Int, _ keeping: Keeping) {
    caller = Oracle.Caller(user, "device-\(number)")
    (self.number, self.keeping) = (number, keeping)
  }

  /// Fetches the token to begin with: read marks are distinguished from a token on.
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
      let interval = ProofWorld.reconcileIntervals[random.below(3)]
      let client = try await world.client(caller, reconcileInterval: interval)
      switch keeping {
      case .token: try await streamSession(in: world, client, &random)
      case .file, .position: try await inboxSession(in: world, client, &random)
      }
      await client.close()
      if random.oneIn(2) { try await world.waitForDeeds(random.below(200)) }
    }
  }

  private func streamSession(
    in world: ProofWorld,
    _ client: Client,
    _ random: inout SplitMix64
  ) async throws {
    state.update { $0.beginSession() }
    var iterator = client.notificationStream(after: state.value.token).makeAsyncIterator()
    let isSlow = random.oneIn(3)
    while let notification = try await iterator.next() {
      guard state.update({ $0.take(notification, mayRepeat: true) }) else { continue }
      let token = iterator.changeToken
      if random.oneIn(4) || world.isQuiet.value {
        state.update {
          $0.commit()
          $0.token = token
        }
      }
      if try await isOver(isSlow, in: world, client, &random) { break }
    }
  }

  /// What else a device does after a notification.
  ///
  /// - Returns: It crashes.
  func isOver(
    _ isSlow: Bool,
    in world: ProofWorld,
    _ client: Client,
    _ random: inout SplitMix64
  ) async throws -> Bool {
    if random.oneIn(12) { try await markRead(in: world, client, &random) }
    if isSlow, random.oneIn(20) { try await world.waitForDeeds(random.below(20)) }
    return random.oneIn(60) && !world.isQuiet.value
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
