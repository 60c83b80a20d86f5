internal import Synchronization
internal import TidingsAudit
internal import TidingsBackup
internal import TidingsEngine
internal import TidingsMetrics
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsSQLite

/// The methods of AdminService that read the whole store; the core answers the others.
final class AdminMethods: TidingsV1.AdminService.Server {
  private typealias Methods = TidingsV1.AdminService.Methods

  /// How often it is looked at whether the caller still may.
  private static let rightsPause = Duration.seconds(1)
  /// How often a check reports how far it is.
  private static let reportPause = Duration.milliseconds(250)

  private let store: CoreRemote
  private let walkedStore: WalkedStore?
  private let slot: StoreWalkSlot
  private let audit: AuditLog
  private let callLog: CallLog
  private let isVerifying = Atomic(false)

  init(_ core: Core, _ store: CoreRemote) {
    self.store = store
    walkedStore = WalkedStore(core)
    slot = core.walks
    audit = core.audit
    callLog = core.callLog
  }

  func createBackup(
    _ request: TidingsV1.CreateBackupRequest,
    call: ServerCall,
    responses: MessageWriter<TidingsV1.CreateBackupResponse>
  ) async throws {
    try await walk("a backup", call, request.bytesPerSecondMax) { rights, pace in
      try await self.send(request, rights, &pace, responses)
    }
  }

  func checkStore(
    _ request: TidingsV1.CheckStoreRequest,
    call: ServerCall,
    responses: MessageWriter<TidingsV1.CheckStoreResponse>
  ) async throws {
    try await walk("a check", call, request.bytesPerSecondMax) { rights, pace in
      try await self.check(request, rights, &pace, responses)
    }
  }

  func fetchAuditLog(
    _ request: TidingsV1.FetchAuditLogRequest,
    call: ServerCall
  ) async throws -> TidingsV1.FetchAuditLogResponse {
    do {
      let rights = try CallerRights(call)
      try await store.ask { try rights.check($0) }
    } catch {
      throw Self.failure(error)
    }
    let limit = request.limit == 0 ? Self.auditPageDefault : Int(request.limit)
    let entries = audit.newest(
      limit: min(limit, AuditLog.entriesMax),
      user: request.userName,
      isRefused: request.refused
    )
    return .init(
      entries: entries.map { .init($0) },
      chains: request.verifies
        ? try await verifiedChains() : audit.heads.map { .init($0.kind, $0.head) }
    )
  }

  func fetchMetrics(
    _ request: TidingsV1.FetchMetricsRequest,
    call: ServerCall
  ) async throws -> TidingsV1.FetchMetricsResponse {
    do {
      let rights = try CallerRights(call)
      let (families, watch, node) = try await store.askLoop { core, loop in
        try rights.check(core)
        return (core.metricFamilies(on: loop), core.sizesWatch, core.leadership?.node.name ?? "")
      }
      return TidingsV1.FetchMetricsResponse(
        families + (await watch?.families() ?? []) + ServerObservation.programFamilies(isUp: true)
          + ProcessMetrics.families(),
        slowCalls: callLog.slowCalls,
        node: node
      )
    } catch {
      throw Self.failure(error)
    }
  }

  private static let auditPageDefault = 100

  /// Reads all files of the audit log, one caller at a time.
  private func verifiedChains() async throws -> [TidingsV1.AuditChain] {
    guard isVerifying.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
    else {
      throw RPCError(
        .resourceExhausted,
        "another verification of the audit log is running: try again when it has ended"
      )
    }
    defer { isVerifying.store(false, ordering: .relaxed) }
    let thread = WorkerThread {}
    defer { thread.stop() }
    let audit = audit
    do {
      return try await thread.run { _ in
        try audit.verify().map { .init($0.kind, $0.check) }
      }
    } catch let error as RPCError {
      throw error
    } catch {
      throw RPCError(.internal, "the audit log cannot be read", cause: error)
    }
  }

  private var walked: WalkedStore {
    get throws {
      guard let walkedStore else {
        throw RPCError(
          .unimplemented,
          "the store is in a PostgreSQL database: back it up and check it with PostgreSQL's tools, such as "
            + "pg_basebackup and pg_amcheck"
        )
      }
      return walkedStore
    }
  }

  // MARK: Backup

  /// Sends a backup.
  ///
  /// - Returns: What was sent, for the audit log.
  private func send(
    _ request: TidingsV1.CreateBackupRequest,
    _ rights: CallerRights,
    _ pace: inout BackupPace,
    _ responses: MessageWriter<TidingsV1.CreateBackupResponse>
  ) async throws -> String {
    // Committed before the store is frozen: what the copy names stays.
    let walked = try walked
    let hold = try await store.write { $0.holdAssets() }
    defer { hold.release() }
    let skipsDamagedAssets = request.skipsDamagedAssets
    let thread = WorkerThread { WalkState<BackupSource>() }
    defer { thread.stop() }
    try await thread.run {
      $0.work = try BackupSource(walked, skipsDamagedAssets: skipsDamagedAssets)
    }
    var patience = ReaderPatience()
    var bytes: UInt64 = 0
    while let chunk = try await thread.run({ try $0.work?.next() }) {
      let begin = ContinuousClock.now
      try await responses.write(.init(chunk: chunk))
      try patience.took(chunk.count, after: .now - begin)
      bytes += UInt64(chunk.count)
      try await rest(rights, &pace, after: chunk.count)
    }
    return "\(bytes) bytes"
  }

  // MARK: Check

  private func check(
    _ request: TidingsV1.CheckStoreRequest,
    _ rights: CallerRights,
    _ pace: inout BackupPace,
    _ responses: MessageWriter<TidingsV1.CheckStoreResponse>
  ) async throws -> String {
    let walked = try walked
    let hold = try await store.write { $0.holdAssets() }
    defer { hold.release() }
    let checksStructure = request.checksStructure
    let interruption = StructureInterruption(gate: walked.checkpointer.gate)
    let thread = WorkerThread { WalkState<StoreCheck>() }
    defer { thread.stop() }
    try await thread.run {
      $0.work = try StoreCheck(walked, checksStructure: checksStructure, interruption)
    }
    var reported = ContinuousClock.now
    while true {
      let slot = slot
      let step = try await withTaskCancellationHandler {
        try await thread.run { state in
          try slot.check()
          return try state.work?.next()
        }
      } onCancel: {
        interruption.interrupt()
      }
      guard let step else { return "no report" }
      if step.isDone || step.isFull || .now - reported >= Self.reportPause {
        reported = .now
        try await responses.write(try await thread.run { $0.work?.takeReport() ?? .init() })
      }
      if step.isDone { return "\(step.damageCount) findings" }
      try await rest(rights, &pace, after: step.bytes)
    }
  }

  // MARK: Both

  /// Runs one of them for an administrator, at the wanted pace.
  private func walk(
    _ what: String,
    _ call: ServerCall,
    _ bytesPerSecondMax: UInt64,
    _ body: @escaping @Sendable (CallerRights, inout BackupPace) async throws -> String
  ) async throws {
    do {
      let rights = try CallerRights(call)
      try await store.ask { try rights.check($0) }
      try slot.enter()
      defer { slot.leave() }
      // A client that takes nothing must not hold up the server's end.
      let task = Task {
        var pace = try Self.pace(bytesPerSecondMax)
        try await self.audited(rights, what) { try await body(rights, &pace) }
      }
      slot.setEnd { task.cancel() }
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch {
      try slot.check()
      throw Self.failure(error)
    }
  }

  /// What a caller gets.
  private static func failure(_ error: any Error) -> RPCError {
    error is CancellationError
      ? RPCError(.cancelled, "the client gave up") : RPCError(callFailure: error)
  }

  /// Notes its begin and how it ended.
  private func audited(
    _ rights: CallerRights,
    _ what: String,
    _ body: () async throws -> String
  ) async throws {
    let entry = try await store.ask { rights.entry($0, "\(what) begins") }
    audit.add(entry)
    do {
      let result = try await body()
      audit.add(entry.ended("\(what) has ended: \(result)"))
    } catch {
      audit.add(entry.ended("\(what) broke off: \(Self.failure(error).message)"))
      throw error
    }
  }

  /// Leaves time to others, and looks whether it is still wanted.
  private func rest(
    _ rights: CallerRights,
    _ pace: inout BackupPace,
    after bytes: Int
  ) async throws {
    try slot.check()
    try Task.checkCancellation()
    let pause = pace.advance(by: bytes, now: .now)
    if pause > .zero { try await Task.sleep(for: pause) }
    if rights.isDue(after: Self.rightsPause) { try await store.ask { try rights.check($0) } }
  }

  private static func pace(_ bytesPerSecondMax: UInt64) throws(ItemError) -> BackupPace {
    guard bytesPerSecondMax == 0 || bytesPerSecondMax >= BackupPace.bytesPerSecondMin else {
      throw ItemError(
        .invalidArguments,
        "bytes_per_second_max is \(bytesPerSecondMax) bytes and must be at least "
          + "\(BackupPace.bytesPerSecondMin) bytes, or 0 for the default"
      )
    }
    return BackupPace(
      bytesPerSecondMax: bytesPerSecondMax == 0
        ? BackupPace.bytesPerSecondDefault : bytesPerSecondMax,
      now: .now
    )
  }
}

/// What a thread works on, once it is there.
private final class WalkState<Work> {
  var work: Work?
}

extension AuditEntry {
  /// The same action, later.
  fileprivate func ended(_ detail: String) -> Self {
    AuditEntry(action, user: user, publicKey: publicKey, isRefused: false, detail: detail)
  }
}
