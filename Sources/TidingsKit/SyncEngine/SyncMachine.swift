/// Decides what a sync engine does: requests and answers in, one action after the other out.
///
/// Has no clock, no connection and no delegate. Only one thing is done at a time, so events come one
/// after the other, and a reported state covers exactly what was reported before.
struct SyncMachine: Sendable {
  /// What somebody waits for.
  enum Wish: Sendable {
    case fetch(CKSyncEngine.FetchChangesOptions)
    case send(CKSyncEngine.SendChangesOptions)
  }

  /// What is to be done next.
  enum Action: Sendable {
    /// Notify the program; then ask for the next action.
    case tell(CKSyncEngine.Event)
    /// Ask; then hand in the answer, and ask for the next action.
    case ask(SyncQuestion)
    /// Notify waiting callers; then ask for the next action.
    case finish([UInt64], CKError?)
    /// Call again at a time, or when something is requested.
    case wait(until: ContinuousClock.Instant)
    /// Call again when something is requested.
    case rest
  }

  private enum Account: Sendable {
    case unknown
    case none
    case user
  }

  private enum Run: Sendable {
    case fetch(FetchRun)
    case send(SendRun)
  }

  private struct Request: Sendable {
    var wish: Wish
    var callers: [UInt64]
  }

  /// How long after finding no user it is looked for one again.
  static let accountPause = Duration.seconds(30)

  private(set) var progress: SyncProgress
  private let isAutomatic: Bool
  /// Why this engine can do nothing.
  private let refusal: CKError?
  private var account = Account.unknown
  private var schedule = SyncSchedule()
  private var requests: [Request] = []
  private var run: Run?
  private var callers: [UInt64] = []
  private var isCancelled = false
  private var script: [SyncStep] = []
  /// The user has not been reported yet: that comes before all other events.
  private var isFirst: Bool
  /// The progress changed since it was reported.
  private var isStateNew = false
  /// The end of the database's feed, as reported by the server; `nil`: fetch in any case.
  private var pendingToken: [UInt8]?

  /// An engine's decisions.
  ///
  /// - Parameters:
  ///   - progress: What was kept.
  ///   - isAutomatic: It syncs by itself.
  ///   - refusal: Why it can do nothing.
  init(_ progress: SyncProgress, isAutomatic: Bool, refusal: CKError? = nil) {
    self.progress = progress
    self.isAutomatic = isAutomatic
    self.refusal = refusal
    isFirst = refusal == nil && progress.user == nil
    guard isAutomatic else { return }
    for work in SyncSchedule.Work.allCases { schedule.want(work) }
  }

  /// The server is to be watched for changes.
  var isWatching: Bool { isAutomatic && account == .user && refusal == nil }

  /// The run that is under way is to end.
  var isCancelling: Bool { isCancelled }

  // MARK: Requests

  /// Changes what is to be sent.
  mutating func change(_ body: (inout SyncProgress) -> Void) {
    body(&progress)
    isStateNew = true
    schedule.want(.send)
  }

  /// Somebody waits for a run.
  mutating func request(_ wish: Wish, for caller: UInt64) {
    if case .fetch(let options) = wish, options.isPlain {
      for index in requests.indices {
        if case .fetch(let others) = requests[index].wish, others.isPlain {
          requests[index].callers.append(caller)
          return
        }
      }
    }
    requests.append(Request(wish: wish, callers: [caller]))
  }

  /// The server has changes.
  mutating func notePendingChanges(_ token: [UInt8]) {
    pendingToken = token
    schedule.want(.fetch)
  }

  /// The server can be reached again.
  mutating func noteReturn() { schedule.hurry() }

  /// Nobody waits for anything any more.
  ///
  /// - Returns: Whether a run is to be ended; callers that wait for it are notified at its end.
  mutating func cancel() -> (callers: [UInt64], isRunning: Bool) {
    let waiting = requests.flatMap(\.callers)
    requests = []
    isCancelled = run != nil
    return (waiting, run != nil)
  }

  /// Somebody does not wait any more.
  mutating func cancel(_ caller: UInt64) -> (callers: [UInt64], isRunning: Bool) {
    for index in requests.indices where requests[index].callers.contains(caller) {
      requests[index].callers.removeAll { $0 == caller }
      if requests[index].callers.isEmpty { requests.remove(at: index) }
      return ([caller], false)
    }
    guard callers == [caller] else {
      let isLate = callers.contains(caller)
      callers.removeAll { $0 == caller }
      return (isLate ? [caller] : [], false)
    }
    isCancelled = true
    return ([], true)
  }

  // MARK: Actions

  /// What is to be done next.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - spread: 0...1, random.
  /// - Returns: The action; until it was done, this is not to be called again.
  mutating func next(now: ContinuousClock.Instant, spread: Double) -> Action {
    while true {
      if !script.isEmpty {
        if let action = perform(script.removeFirst(), now, spread) { return action }
      } else if run != nil {
        script = plan()
      } else if isFirst {
        // Also if it syncs only when it is called: what the program adds when the user is reported is
        // there when it sends first.
        isFirst = false
        return .ask(.user)
      } else if isStateNew {
        return tellState()
      } else if let action = begin(now, spread) {
        return action
      }
    }
  }

  /// The answer to a question.
  mutating func take(_ answer: SyncAnswer, now: ContinuousClock.Instant, spread: Double) {
    if case .user(let result) = answer { return take(result, now, spread) }
    switch run {
    case .fetch(var fetch):
      script = fetch.take(answer, &progress)
      run = .fetch(fetch)
    case .send(var send):
      script = send.take(answer, progress)
      run = .send(send)
    case nil: break
    }
  }

  private mutating func plan() -> [SyncStep] {
    switch run {
    case .fetch(var fetch):
      defer { run = .fetch(fetch) }
      return isCancelled ? fetch.ending(.cancelled) : fetch.plan(progress)
    case .send(var send):
      defer { run = .send(send) }
      return isCancelled ? send.ending(.cancelled) : send.plan(progress)
    case nil: return []
    }
  }

  private mutating func perform(
    _ step: SyncStep,
    _ now: ContinuousClock.Instant,
    _ spread: Double
  ) -> Action? {
    switch step {
    case .apply(let change):
      change(&progress)
      isStateNew = true
    case .tell(let event): return .tell(event)
    case .tellState: return isStateNew ? tellState() : nil
    case .ask(let question):
      guard isCancelled else { return .ask(question) }
      script = []
    case .finish(let callers, let error): return .finish(callers, error)
    case .end(let error): return end(error, now, spread)
    }
    return nil
  }

  private mutating func tellState() -> Action {
    isStateNew = false
    return .tell(.stateUpdate(.init(stateSerialization: .init(progress.kept))))
  }

  private mutating func end(
    _ error: CKError?,
    _ now: ContinuousClock.Instant,
    _ spread: Double
  ) -> Action {
    let work: SyncSchedule.Work = if case .send = run { .send } else { .fetch }
    var isPartial = false
    if case .send(let send) = run { isPartial = send.hasSent }
    defer { (run, callers, isCancelled) = (nil, [], false) }
    guard let error else {
      schedule.succeed(work)
      return .finish(callers, nil)
    }
    if error.isAboutTheAccount {
      account = .unknown
      schedule.want(.account)
    }
    if isCancelled {
      schedule.postpone(work, now: now)
    } else if error.isRetriedBySyncEngine || (work == .send && !isPartial) {
      schedule.fail(work, retryAfter: error.retryAfter, now: now, spread: spread)
    } else {
      schedule.succeed(work)
      // The run ended before all was sent. What cannot be fetched waits for the next change.
      if work == .send { schedule.want(work) }
    }
    return .finish(callers, error)
  }

  // MARK: Beginnings

  private mutating func begin(_ now: ContinuousClock.Instant, _ spread: Double) -> Action? {
    if let refusal { return requests.isEmpty ? .rest : finishAll(refusal) }
    if !requests.isEmpty {
      switch account {
      case .unknown: return .ask(.user)
      case .none:
        let error = CKError(.notAuthenticated, "there is no user: name one for the connection")
        // Perhaps there is one the next time.
        account = .unknown
        return finishAll(error)
      case .user:
        let request = requests.removeFirst()
        callers = request.callers
        start(request.wish, .manual)
        return nil
      }
    }
    guard isAutomatic else { return .rest }
    switch schedule.decide(now: now) {
    case .work(.account):
      guard account == .user else { return .ask(.user) }
      schedule.begin(.account)
    case .work(let work) where account != .user: return waitForAccount(work)
    case .work(.fetch): beginFetch()
    case .work(.send): beginSend()
    case .wait(let time): return .wait(until: time)
    case .idle: return .rest
    }
    return nil
  }

  private mutating func waitForAccount(_ work: SyncSchedule.Work) -> Action? {
    // Wanted again when there is a user.
    schedule.begin(work)
    return nil
  }

  private mutating func beginFetch() {
    schedule.begin(.fetch)
    // Before the first fetch nothing is known, though no token is pending either.
    let isKnown =
      !progress.databaseToken.isEmpty && pendingToken == progress.databaseToken
      && progress.unfetchedZones.isEmpty
    guard !isKnown else { return }
    start(.fetch(.init()), .scheduled)
  }

  private mutating func beginSend() {
    schedule.begin(.send)
    let isNeeded =
      !progress.records.isEmpty || !progress.zones.isEmpty || progress.hasUntrackedChanges
    if isNeeded { start(.send(.init()), .scheduled) }
  }

  private mutating func start(_ wish: Wish, _ reason: CKSyncEngine.SyncReason) {
    switch wish {
    case .fetch(let options):
      let fetch = FetchRun(.init(reason: reason, options: options))
      run = .fetch(fetch)
      script = fetch.beginning
    case .send(let options):
      let send = SendRun(.init(reason: reason, options: options))
      run = .send(send)
      script = send.beginning
    }
  }

  private mutating func finishAll(_ error: CKError) -> Action {
    defer { requests = [] }
    return .finish(requests.flatMap(\.callers), error)
  }

  // MARK: The user

  private mutating func take(
    _ answer: Result<String?, CKError>,
    _ now: ContinuousClock.Instant,
    _ spread: Double
  ) {
    schedule.begin(.account)
    switch answer {
    case .failure(let error):
      schedule.fail(.account, retryAfter: error.retryAfter, now: now, spread: spread)
      let callers = requests.flatMap(\.callers)
      requests = []
      if !callers.isEmpty { script = [.finish(callers, error)] }
    case .success(let user):
      schedule.succeed(.account)
      // Nobody asked: whoever asks next may find a user.
      account = user != nil ? .user : (requests.isEmpty ? .unknown : .none)
      if user == nil {
        schedule.fail(.account, retryAfter: Self.accountPause, now: now, spread: spread)
      } else {
        schedule.want(.fetch)
        schedule.want(.send)
      }
      script = accountSteps(from: progress.user, to: user)
    }
  }

  private func accountSteps(from old: String?, to new: String?) -> [SyncStep] {
    typealias Change = CKSyncEngine.Event.AccountChange.ChangeType
    guard old != new else { return [] }
    let previous = old.map { CKRecord.ID(recordName: $0) }
    let current = new.map { CKRecord.ID(recordName: $0) }
    let change: Change
    switch (previous, current) {
    case (nil, let current?): change = .signIn(currentUser: current)
    case (let previous?, nil): change = .signOut(previousUser: previous)
    case (let previous?, let current?):
      change = .switchAccounts(previousUser: previous, currentUser: current)
    case (nil, nil): return []
    }
    let wipe = SyncStep.apply { progress in
      // What was pending before anybody signed in is the first user's.
      guard let old else { return }
      progress = SyncProgress()
      progress.user = old
    }
    let commit = SyncStep.apply { $0.user = new }
    return [wipe, .tell(.accountChange(.init(changeType: change))), commit, .tellState]
  }
}

extension CKSyncEngine.FetchChangesOptions {
  /// Whether it asks for everything, in no order.
  fileprivate var isPlain: Bool { scope == .all && prioritizedZoneIDs.isEmpty }
}
