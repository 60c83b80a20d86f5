internal import TidingsEngine
internal import TidingsProto
internal import TidingsRPC
internal import TidingsSQLite

/// Reads the whole store and notes damage; works on a thread of its own.
final class StoreCheck {
  /// What one piece of work came to.
  struct Step: Sendable {
    /// Bytes that were read.
    let bytes: Int
    /// Enough was found for a report.
    let isFull: Bool
    /// There is nothing more.
    let isDone: Bool
    /// Findings so far.
    let damageCount: UInt64
  }

  /// Most findings that are listed in one check; more are counted.
  static let listedMax = 1_000
  /// Findings of one report.
  private static let reportedMax = 100
  /// Most findings in the structure.
  private static let structureMax = 100

  private let pages: FrozenPages
  private let assets: AssetWalk
  private let databasePath: String
  private let gate: SnapshotGate
  private let checksStructure: Bool
  private let interruption: StructureInterruption
  private var report = TidingsV1.CheckStoreResponse(step: .pages)
  private var listedCount = 0

  /// Freezes the store as it is now; its assets must be held since before.
  init(_ store: WalkedStore, checksStructure: Bool, _ interruption: StructureInterruption) throws {
    pages = try store.checkpointer.freeze()
    let inventory = try AssetInventory(try store.connect())
    let totals = try inventory.totals()
    assets = AssetWalk(inventory, in: store.assets)
    databasePath = store.databasePath
    gate = store.checkpointer.gate
    self.checksStructure = checksStructure
    self.interruption = interruption
    report.pagesTotal = UInt64(pages.pageCount)
    report.assetsTotal = totals.count
    report.bytesTotal = UInt64(pages.pageCount * pages.pageBytes) + totals.bytes
  }

  /// Reads a piece.
  ///
  /// - Throws: `SQLError`.
  func next() throws -> Step {
    let before = report.bytesDone
    switch report.step {
    case .pages: try checkPages()
    case .assets: try checkAsset()
    case .structure: try checkStructure()
    default: break
    }
    return Step(
      bytes: Int(report.bytesDone - before),
      isFull: report.damage.count >= Self.reportedMax,
      isDone: report.step == .done,
      damageCount: report.damageCount
    )
  }

  /// How far it is, and what was found since the last time.
  func takeReport() -> TidingsV1.CheckStoreResponse {
    defer { report.damage = [] }
    return report
  }

  private func checkPages() throws {
    guard let run = try pages.next(WalkedStore.runPages(of: pages)) else {
      pages.close()
      report.step = .assets
      return
    }
    report.pagesDone += UInt64(run.bytes.count / pages.pageBytes)
    report.bytesDone += UInt64(run.bytes.count)
    for page in run.damaged {
      note(.init(subject: .page(UInt64(page)), problem: "its checksum is wrong"))
    }
  }

  private func checkAsset() throws {
    switch try assets.next() {
    case .begin?: break
    case .piece(let bytes)?: report.bytesDone += UInt64(bytes.count)
    case .end(let row, let problem)?:
      report.assetsDone += 1
      if let problem { note(.init(subject: .asset(row.checksum), problem: problem)) }
    case nil: report.step = checksStructure ? .structure : .done
    }
  }

  private func checkStructure() throws {
    let connection = try SQLiteConnection(
      path: databasePath,
      cacheBytes: 16 << 20,
      readsOnly: true
    )
    gate.enter()
    defer { gate.leave() }
    let findings: [String]
    do {
      findings = try connection.structureProblems(max: Self.structureMax, interruption)
    } catch  where gate.mustEnd {
      throw Self.heldLogTooLong
    }
    for finding in findings {
      note(.init(subject: .structure(finding), problem: "the database is damaged"))
    }
    report.step = .done
  }

  private static let heldLogTooLong = RPCError(
    .unavailable,
    "the structure was not checked to its end, because the log of the store had to be moved: try again "
      + "when less is written, or raise rpcd --limit log-bytes-max"
  )

  private func note(_ damage: TidingsV1.StoreDamage) {
    report.damageCount += 1
    guard listedCount < Self.listedMax else { return }
    listedCount += 1
    report.damage.append(damage)
  }
}
