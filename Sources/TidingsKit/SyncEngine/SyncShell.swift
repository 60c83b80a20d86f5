internal import Foundation
internal import Synchronization

/// Does what an engine's machine decides: calls the server and the delegate, one after the other, on a
/// task of its own.
final class SyncShell: Sendable {
  private struct Life: Sendable {
    var isWorking = false
    /// Something was requested while it worked.
    var isWoken = false
    var isStopped = false
    /// Engines whose work this is.
    var engineCount = 1
    /// Wakes it at a time.
    var timer: Task<Void, Never>?
    /// The call that is under way.
    var call: Task<SyncAnswer, Never>?
    var watch: Task<Void, Never>?
    var waiting: [UInt64: CheckedContinuation<Void, any Error>] = [:]
    var callerCount: UInt64 = 0
  }

  private struct WeakEngine {
    weak var engine: CKSyncEngine?
  }

  private struct Partners {
    /// Oldest first.
    var engines: [WeakEngine] = []
    weak var delegate: (any CKSyncEngineDelegate)?
  }

  let database: CKDatabase
  private let machine: Mutex<SyncMachine>
  private let life = Mutex(Life())
  private let partners: Mutex<Partners>

  init(_ configuration: CKSyncEngine.Configuration) {
    database = configuration.database
    let isPublic = database.databaseScope == .public
    machine = Mutex(
      SyncMachine(
        configuration.stateSerialization?.progress ?? .init(),
        isAutomatic: configuration.automaticallySync,
        refusal: isPublic
          ? CKError(.badDatabase, "a public database has no change feed: sync another") : nil
      )
    )
    partners = Mutex(Partners(delegate: configuration.delegate))
  }

  /// An engine is there.
  func begin(for engine: CKSyncEngine) {
    partners.withLock { $0.engines.append(WeakEngine(engine: engine)) }
    wake()
  }

  /// Another engine of the delegate is to share this, which is possible while nobody knows of a user.
  ///
  /// - Returns: The engine that is there; `nil`: there is none any more, or there is a user.
  func join(_ delegate: any CKSyncEngineDelegate) -> CKSyncEngine? {
    let (engine, own) = partners.withLock {
      ($0.engines.lazy.compactMap(\.engine).last, $0.delegate)
    }
    guard let engine, own === delegate, machine.withLock({ $0.progress.user == nil }) else {
      return nil
    }
    let isThere = life.withLock { life in
      if !life.isStopped { life.engineCount += 1 }
      return !life.isStopped
    }
    return isThere ? engine : nil
  }

  /// An engine is gone.
  func leave() {
    let count = life.withLock { life in
      life.engineCount -= 1
      return life.engineCount
    }
    if count == 0 { stop() }
  }

  /// Nothing is done any more.
  private func stop() {
    let (tasks, waiting) = life.withLock { life in
      life.isStopped = true
      let waiting = Array(life.waiting.values)
      life.waiting = [:]
      return ([life.timer, life.watch], waiting)
    }
    for task in tasks { task?.cancel() }
    life.withLock { $0.call }?.cancel()
    for continuation in waiting { continuation.resume(throwing: CKError.cancelled) }
  }

  // MARK: Requests

  var progress: SyncProgress { machine.withLock { $0.progress } }

  /// Changes what is to be sent.
  func change(_ body: (inout SyncProgress) -> Void) {
    machine.withLock { $0.change(body) }
    wake()
  }

  /// Waits for a run.
  func run(_ wish: SyncMachine.Wish) async throws {
    guard !DelegateCall.isCurrent(of: self) else {
      throw CKError(
        .invalidArguments,
        "the delegate waits for the engine, which waits for the delegate: call it from another task"
      )
    }
    do {
      try Task.checkCancellation()
    } catch {
      throw CKError.cancelled
    }
    let caller = life.withLock { life in
      life.callerCount += 1
      return life.callerCount
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isStopped = life.withLock { life in
          if !life.isStopped { life.waiting[caller] = continuation }
          return life.isStopped
        }
        guard !isStopped else { return continuation.resume(throwing: CKError.cancelled) }
        machine.withLock { $0.request(wish, for: caller) }
        if Task.isCancelled { cancel(caller) }
        wake()
      }
    } onCancel: {
      cancel(caller)
    }
  }

  /// Ends all that somebody waits for, and what is under way.
  func cancel() { end(machine.withLock { $0.cancel() }) }

  private func cancel(_ caller: UInt64) { end(machine.withLock { $0.cancel(caller) }) }

  private func end(_ cancelled: (callers: [UInt64], isRunning: Bool)) {
    if cancelled.isRunning { life.withLock { $0.call }?.cancel() }
    finish(cancelled.callers, .cancelled)
  }

  private func finish(_ callers: [UInt64], _ error: CKError?) {
    let waiting = life.withLock { life in
      callers.compactMap { life.waiting.removeValue(forKey: $0) }
    }
    for continuation in waiting {
      if let error { continuation.resume(throwing: error) } else { continuation.resume() }
    }
  }

  /// The server has changes.
  func notePendingChanges(_ token: [UInt8]) {
    machine.withLock { $0.notePendingChanges(token) }
    wake()
  }

  /// The server can be reached again.
  func noteReturn() {
    machine.withLock { $0.noteReturn() }
    wake()
  }

  // MARK: Work

  /// Something changed: look what is to be done.
  private func wake() {
    let begins = life.withLock { life in
      guard !life.isStopped else { return false }
      life.isWoken = true
      defer { life.isWorking = true }
      return !life.isWorking
    }
    if begins { Task.detached { await self.work() } }
  }

  private func work() async {
    while true {
      life.withLock { $0.isWoken = false }
      let action = machine.withLock { $0.next(now: .now, spread: .random(in: 0...1)) }
      followWatching()
      switch action {
      case .tell(let event):
        guard let (engine, delegate) = ends else { return }
        await DelegateCall.run(of: self) { await delegate.handleEvent(event, syncEngine: engine) }
      case .ask(let question):
        guard let answer = await ask(question) else { return }
        machine.withLock { $0.take(answer, now: .now, spread: .random(in: 0...1)) }
      case .finish(let callers, let error): finish(callers, error)
      case .wait(let time):
        setTimer(time)
        if !goesOn { return }
      case .rest: if !goesOn { return }
      }
    }
  }

  /// There may be more to do; otherwise the work ends.
  private var goesOn: Bool {
    life.withLock { life in
      life.isWorking = life.isWoken && !life.isStopped
      return life.isWorking
    }
  }

  /// Those whom it works for; without them nothing is done any more.
  private var ends: (CKSyncEngine, any CKSyncEngineDelegate)? {
    let ends = partners.withLock { ($0.engines.lazy.compactMap(\.engine).last, $0.delegate) }
    guard let engine = ends.0, let delegate = ends.1 else {
      stop()
      return nil
    }
    return (engine, delegate)
  }

  private func ask(_ question: SyncQuestion) async -> SyncAnswer? {
    switch question {
    case .fetchOptions(let context):
      guard let (engine, delegate) = ends else { return nil }
      return await DelegateCall.run(of: self) {
        .fetchOptions(await delegate.nextFetchChangesOptions(context, syncEngine: engine))
      }
    case .batch(let context):
      guard let (engine, delegate) = ends else { return nil }
      return await DelegateCall.run(of: self) {
        .batch(await delegate.nextRecordZoneChangeBatch(context, syncEngine: engine))
      }
    default:
      let call = Task { [database] in await database.answer(question) }
      let isStopped = life.withLock { life in
        life.call = call
        return life.isStopped
      }
      if isStopped || machine.withLock({ $0.isCancelling }) { call.cancel() }
      return await call.value
    }
  }

  private func setTimer(_ time: ContinuousClock.Instant) {
    let timer = Task { [weak self] in
      try? await Task.sleep(until: time, clock: .continuous)
      if !Task.isCancelled { self?.wake() }
    }
    let old = life.withLock { life in
      defer { life.timer = timer }
      return life.timer
    }
    old?.cancel()
  }

  /// Begins or ends watching the server.
  private func followWatching() {
    let (isWatching, token) = machine.withLock { ($0.isWatching, $0.progress.databaseToken) }
    let ended: Task<Void, Never>? = life.withLock { life in
      if isWatching, life.watch == nil, !life.isStopped {
        life.watch = Task { [weak self, database] in
          await SyncWatch(database, after: token).run { [weak self] in self }
        }
      }
      guard !isWatching else { return nil }
      defer { life.watch = nil }
      return life.watch
    }
    ended?.cancel()
  }
}

/// Marks what runs inside a call of a delegate.
private final class DelegateCall: Sendable {
  @TaskLocal private static var current: DelegateCall?

  private let shell: ObjectIdentifier
  private let task: Int?
  private let isRunning = Atomic(true)

  private init(_ shell: SyncShell) {
    self.shell = ObjectIdentifier(shell)
    task = Self.task
  }

  /// The task that runs now.
  private static var task: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  static func run<Result: Sendable>(
    of shell: SyncShell,
    _ body: () async -> Result
  ) async -> Result {
    let call = DelegateCall(shell)
    defer { call.isRunning.store(false, ordering: .releasing) }
    return await $current.withValue(call) { await body() }
  }

  /// Whether the current task is in a call by this engine.
  ///
  /// Tasks that it began may wait for the engine.
  static func isCurrent(of shell: SyncShell) -> Bool {
    guard let current else { return false }
    return current.shell == ObjectIdentifier(shell) && current.task == task
      && current.isRunning.load(ordering: .acquiring)
  }
}
