#if DEBUG
internal import CFaultDisk
internal import DiskModel
internal import Glibc
internal import RandomSupport
internal import TidingsAudit
internal import TidingsEngine
internal import TidingsFiles
internal import TidingsModel
internal import TidingsSQLite

@testable internal import TidingsService

/// A server, its clients, their network and its disk in one process and on one thread: all follows from a seed.
///
/// A run is one life of the server after the other. In each life random calls are made, and calls on files may fail. It
/// ends with a power loss, and the next one begins with what is left of the disk; or only the process ends, and the
/// next one sees all that was written, what failed syncs left as well.
final class Simulation {
  /// What was acknowledged in a life.
  struct Ledger {
    /// What the database said at the begin, and with each acknowledgement.
    ///
    /// The marks of the journal are indexes; `nil`: there was no store.
    var digests: [StoreDigest?] = [nil]
    /// What it said before processes that ended one after the other: until the next start is done, a power loss may
    /// bring it back.
    var earlier: [StoreDigest?] = []
    /// What it may say if the call that was not answered was done.
    var unanswered: StoreDigest?
    /// Lines of the audit log, by the mark that acknowledged them.
    var audit: [(mark: Int, kind: AuditKind, head: ChainHead)] = []
    /// What clients knew after each acknowledgement.
    var clients: [SimulatedClients]
    /// Tokens that clients have, by the mark before them.
    var tokens: [(mark: Int, zone: ZoneInfo, token: [UInt8])] = []
  }

  /// What a run did.
  struct Counts {
    var lives = 0
    var powerLosses = 0
    var crashes = 0
    var calls = 0
    var faults = 0
    var failedSyncs = 0
    var refusedStarts = 0
    var flippedBits = 0
  }

  private(set) var counts = Counts()
  private(set) var ledger: Ledger
  /// What happened on the disk so far.
  private(set) var journal = JournalHash()
  private var random: SplitMix64
  private var calls: RandomCalls
  private var clients = SimulatedClients(count: 4)
  private var time: Int64 = 1_700_000_000_000 { didSet { fault_disk_set_time(time) } }
  private let folder: String
  private var root: String
  /// The disk if only a process ended; `nil`: it is what is in `root`, and all of that is durable.
  private var continuing: SimulatedDisk?
  /// A call on a file failed in this life.
  private var hadFault = false
  private let verbose: Bool
  private var marks = 0
  /// Uploads under way.
  private var uploads: [(upload: AssetUpload, content: [UInt8], offset: Int)] = []

  /// A simulation on an empty disk.
  ///
  /// - Parameters:
  ///   - folder: A folder for its files, which is there and empty.
  ///   - seed: Decides all.
  ///   - verbose: Print each step.
  /// - Throws: `Failure`.
  init(in folder: String, seed: UInt64, verbose: Bool = false) throws {
    self.folder = folder
    self.verbose = verbose
    random = SplitMix64(seed: seed)
    ledger = Ledger(clients: [clients])
    calls = RandomCalls(random: random.fork())
    root = folder + "/disk0"
    fault_disk_seed(seed)
    fault_disk_set_time(time)
    guard mkdir(root, 0o700) == 0 else { throw Failure("cannot create \(root)") }
  }

  private func trace(_ text: @autoclosure () -> String) { if verbose { say(text()) } }

  // MARK: Lives

  /// One life, and its end.
  ///
  /// - Parameter faults: Calls on files may fail.
  /// - Throws: What does not hold.
  func live(faults: Bool) throws {
    counts.lives += 1
    let (base, disk) = try begin()
    let isFaultyStart = faults && random.oneIn(6)
    if isFaultyStart { addFault(to: disk) }
    do {
      let server = try start(root)
      defer { server.abandon() }
      if !isFaultyStart { disk.heal() }
      noteStart(disk, server)
      try makeCalls(on: server, disk, faults: faults)
      // What the process does from here on is behind its end.
      try end(base, disk)
    } catch let failure as Failure {
      disk.end()
      throw failure
    } catch  where isFaultyStart && disk.hits > 0 {
      trace("start refused: \(error)")
      counts.refusedStarts += 1
      hadFault = true
      try end(base, disk)
    }
  }

  /// The disk before a life, and that which records it.
  private func begin() throws -> (SimulatedDisk, RecordedDisk) {
    let base = try continuing ?? SimulatedDisk(copying: root)
    (continuing, marks, uploads, hadFault) = (nil, 0, [], false)
    return (base, RecordedDisk(recording: root, journal: folder + "/journal"))
  }

  /// A life without faults or power loss.
  ///
  /// - Parameter steps: Turns of the server.
  /// - Returns: The disk before it, and what happened.
  /// - Throws: `Failure`.
  func record(steps: Int) throws -> (SimulatedDisk, [DiskJournal.Entry]) {
    let (base, disk) = try begin()
    defer { disk.end() }
    let server = try start(root)
    noteStart(disk, server)
    for _ in 0..<steps {
      time += 1 + Int64(random.below(3_000))
      try step(server, disk)
    }
    try server.stop()
    return (base, disk.entries)
  }

  private func start(_ root: String) throws -> SimulatedServer {
    try SimulatedServer(root + "/data") { [unowned self] in
      Timestamp(millisecondsSince1970: self.time)
    }
  }

  private func noteStart(_ disk: RecordedDisk, _ server: SimulatedServer) {
    // A start may change what the database says: a store that was restored, a version.
    guard let digest = try? StoreDigest(server.folder.databasePath) else { return }
    acknowledge(digest, disk)
  }

  private func acknowledge(_ digest: StoreDigest, _ disk: RecordedDisk) {
    marks += 1
    ledger.digests.append(digest)
    ledger.clients.append(clients)
    disk.mark(marks)
  }

  /// Ends a life at some moment: the power fails, or only the process ends.
  private func end(_ base: SimulatedDisk, _ disk: RecordedDisk) throws {
    let entries = disk.entries
    disk.end()
    journal.add(entries)
    let hasFailedSync = SyncFailure.hasHappened
    fault_disk_restart()
    // A server ends after a failed sync, and is started again on the same machine.
    let endsProcess = hasFailedSync ? !random.oneIn(3) : random.oneIn(4)
    let isWhole = endsProcess && hasFailedSync || random.oneIn(3)
    let end = isWhole ? entries.count : random.below(entries.count + 1)
    for entry in entries[..<end] { base.apply(entry) }
    let mark = Self.lastMark(entries[..<end])
    trace("life \(counts.lives): the end at \(end) of \(entries.count)")
    for (index, entry) in entries[..<end].enumerated() { trace("    \(index) \(entry)") }
    // A file system that could not write names takes nothing more until it is mounted again.
    if endsProcess, !base.hasDoubtfulNames {
      try endProcess(base, mark)
    } else {
      try losePower(base, mark)
    }
  }

  /// The power fails; what is left is the disk of the next life.
  private func losePower(_ base: SimulatedDisk, _ mark: Int) throws {
    counts.powerLosses += 1
    let loss = PowerLoss(end: base.count, random: &random)
    let next = folder + "/disk\(counts.lives)"
    try base.write(after: loss, to: next)
    trace("life \(counts.lives): power loss, \(loss)")
    ledger.unanswered = try unanswered(base, mark)
    let found = try verify(next, mark: mark).started
    if random.oneIn(4) { try startWithFlippedBit(base, loss, mark) }
    goOn(in: next, after: mark)
    ledger = Ledger(digests: [found], clients: [clients])
  }

  /// The process ends; the next one sees what this one wrote, and the same disk goes on.
  private func endProcess(_ base: SimulatedDisk, _ mark: Int) throws {
    counts.crashes += 1
    let (seen, next) = (folder + "/seen", folder + "/disk\(counts.lives)")
    try base.write(to: seen)
    defer { Self.remove(seen) }
    trace("life \(counts.lives): the process ends")
    ledger.unanswered = try unanswered(base, mark)
    // A copy: what a start writes is not durable before the next life has done it.
    let found = try verify(seen, mark: mark).opened
    try base.write(to: next)
    goOn(in: next, after: mark)
    ledger = Ledger(
      digests: [found],
      earlier: (mark == 0 ? ledger.earlier : []) + [ledger.digests[mark]],
      audit: ledger.audit.filter { $0.mark <= mark }.suffix(9)
        .map { (mark: 0, kind: $0.kind, head: $0.head) },
      clients: [clients],
      tokens: ledger.tokens.filter { $0.mark <= mark }.suffix(9)
        .map { (mark: 0, zone: $0.zone, token: $0.token) }
    )
    continuing = base
  }

  private func goOn(in next: String, after mark: Int) {
    // What was answered after the end was not.
    let later = mark + 1 < ledger.clients.count ? ledger.clients[mark + 1] : clients
    clients = ledger.clients[mark].afterPowerLoss(sending: later)
    Self.remove(root)
    root = next
  }

  /// What the database says if everything reached the disk that was written.
  private func unanswered(_ base: SimulatedDisk, _ mark: Int) throws -> StoreDigest? {
    guard mark + 1 >= ledger.digests.count else { return ledger.digests[mark + 1] }
    // All calls were answered.
    guard hadFault else { return nil }
    let path = folder + "/everything"
    defer { Self.remove(path) }
    try base.write(to: path)
    var digest: StoreDigest?
    let server = try? SimulatedServer(
      path + "/data",
      clock: { Timestamp(millisecondsSince1970: 1_700_000_000_000) },
      look: { digest = try? StoreDigest($0) }
    )
    server?.abandon()
    return digest
  }

  static func lastMark(_ entries: ArraySlice<DiskJournal.Entry>) -> Int {
    for case .mark(let mark) in entries.reversed() { return Int(mark) }
    return 0
  }

  /// Starts a server on what is left, and compares it with what was acknowledged.
  ///
  /// - Parameters:
  ///   - root: The disk.
  ///   - mark: The last acknowledgement before the end.
  /// - Returns: What the database says before the start has changed it, and once it has started.
  /// - Throws: What does not hold.
  @discardableResult
  func verify(
    _ root: String,
    mark: Int
  ) throws -> (opened: StoreDigest?, started: StoreDigest?) {
    var found: StoreDigest?
    let server: SimulatedServer
    do {
      server = try SimulatedServer(
        root + "/data",
        clock: { [time] in Timestamp(millisecondsSince1970: time) },
        look: { found = try StoreDigest($0, isChecked: true) }
      )
    } catch {
      throw Failure("the store is not taken: \(error)")
    }
    defer { server.abandon() }
    if let kept = ledger.digests[mark], let found, !isExpected(found, mark) {
      throw Failure(
        "the database says something else than at acknowledgement \(mark): \(found.differences(from: kept)), "
          + "and than if the next call was done: "
          + "\(ledger.unanswered.map { "\(found.differences(from: $0))" } ?? "none")"
      )
    }
    try server.checkAudit(ledger.audit.filter { $0.mark <= mark }.map { ($0.kind, $0.head) })
    try server.checkAssets()
    for (_, zone, token) in ledger.tokens.filter({ $0.mark <= mark }).suffix(3) {
      try check(token, of: zone, server)
    }
    return (found, try StoreDigest(server.folder.databasePath))
  }

  /// Whether a database may say so after the end of a life.
  private func isExpected(_ found: StoreDigest, _ mark: Int) -> Bool {
    guard let kept = ledger.digests[mark] else { return true }
    let next = mark + 1 < ledger.digests.count ? ledger.digests[mark + 1] : nil
    if found == kept || found == next || found == ledger.unanswered { return true }
    return mark == 0 && ledger.earlier.contains { $0 == nil || $0 == found }
  }

  /// A bit of what a start reads of the database is wrong once: it is noticed, or does not matter, and nothing becomes
  /// worse by it.
  private func startWithFlippedBit(_ disk: SimulatedDisk, _ loss: PowerLoss, _ mark: Int) throws {
    let path = folder + "/flipped"
    defer { Self.remove(path) }
    try disk.write(after: loss, to: path)
    RecordedDisk.flipOneBit(of: "tidings.sqlite$", after: random.below(40))
    var found: StoreDigest?
    do {
      let server = try SimulatedServer(
        path + "/data",
        clock: { [time] in Timestamp(millisecondsSince1970: time) },
        look: { found = try StoreDigest($0) }
      )
      server.abandon()
      trace("a bit was flipped")
    } catch {
      trace("a bit was flipped, and refused: \(error)")
    }
    counts.flippedBits += RecordedDisk.stopFlipping()
    if let found, let kept = ledger.digests[mark], !isExpected(found, mark) {
      throw Failure("a flipped bit is served in \(found.differences(from: kept))")
    }
    try verify(path, mark: mark)
  }

  /// A token is good as long as its zone is.
  private func check(_ token: [UInt8], of zone: ZoneInfo, _ server: SimulatedServer) throws {
    do {
      let now = try server.look { try $0.zone(zone.id, in: RandomCalls.home) }
      guard now.created == zone.created else { return }
    } catch is ItemError {
      return
    }
    do {
      _ = try server.token(of: zone.id, after: token)
    } catch let error as ItemError {
      throw Failure("a token of zone \(zone.id.zoneName): \(error.message)")
    }
  }

  /// Checks what clients know, at the end.
  func finish() throws {
    let server = try start(root)
    defer { server.abandon() }
    try server.look { try clients.check($0) }
    try server.stop()
    Self.remove(root)
  }

  // MARK: Calls

  private func makeCalls(on server: SimulatedServer, _ disk: RecordedDisk, faults: Bool) throws {
    try server.look { try clients.check($0) }
    if faults, random.oneIn(2) { addFault(to: disk) }
    for _ in 0..<3 + random.below(30) {
      time += 1 + Int64(random.below(3_000))
      let hits = disk.hits
      do {
        try step(server, disk)
      } catch let failure as Failure {
        throw failure
      } catch {
        // One that was met before and not reported excuses nothing.
        guard disk.hits > hits else { throw Failure("without a fault: \(error)") }
        counts.faults += 1
        hadFault = true
        trace("fault: \(error)")
        if SyncFailure.hasHappened { return try checkEnd(server) }
        disk.heal()
        try checkUnchanged(server)
        if random.oneIn(3) { addFault(to: disk) }
      }
      if SyncFailure.hasHappened { return try checkEnd(server) }
    }
  }

  /// One turn of the server.
  private func step(_ server: SimulatedServer, _ disk: RecordedDisk) throws {
    switch random.below(20) {
    case 0: try server.checkpoint()
    case 1: try upload(server, disk)
    case 2: try audit(server, disk)
    case 3:
      let zone = random.pick(RandomCalls.zones)
      do {
        let token = try server.token(of: zone, after: [])
        let info = try server.look { try $0.zone(zone, in: RandomCalls.home) }
        ledger.tokens.append((marks, info, token))
      } catch is ItemError {}
    case 4, 5:
      try commit([{ while try $0.doMaintenance() == .zero {} }], server, disk)
    default:
      let arrived = clients.arrivals(&random)
      var group = arrived.map { SimulatedClients.call($0.client, $0.serial) }
      for _ in 0..<random.below(4) {
        let (name, call) = calls.next()
        trace("  \(name)")
        group.append(call)
      }
      guard !group.isEmpty else { return }
      try commit(group, server, disk)
      for (client, serial) in arrived { clients.answer(client, serial, &random) }
      ledger.clients[marks] = clients
    }
  }

  private func commit(
    _ group: [RandomCalls.Call],
    _ server: SimulatedServer,
    _ disk: RecordedDisk
  ) throws {
    counts.calls += group.count
    _ = try server.commit(group)
    acknowledge(try StoreDigest(server.folder.databasePath), disk)
  }

  private func upload(_ server: SimulatedServer, _ disk: RecordedDisk) throws {
    if uploads.isEmpty || random.oneIn(3) {
      let content = random.bytes(1 + random.below(20_000))
      let asset = Asset(checksum: SHA256.checksum(of: content), size: UInt64(content.count))
      let upload = AssetUpload(database: RandomCalls.home, user: "ada", asset: asset)
      uploads.append((upload, content, 0))
    }
    let index = random.below(uploads.count)
    let (upload, content, offset) = uploads[index]
    let count = min(content.count - offset, 1 + random.below(12_000))
    do {
      let isPlaced = try server.upload(
        upload,
        offset: offset,
        Array(content[offset..<offset + count])
      )
      uploads[index].offset += count
      guard isPlaced else { return }
    } catch {
      uploads.remove(at: index)
      throw error
    }
    uploads.remove(at: index)
    defer { server.settle(upload.asset.checksum) }
    let asset = upload.asset
    try commit([{ try $0.addAsset(asset, in: RandomCalls.home, by: "ada") }], server, disk)
    calls.assets = (calls.assets + [asset]).suffix(4)
  }

  private func audit(_ server: SimulatedServer, _ disk: RecordedDisk) throws {
    let entry = AuditEntry(
      "Test",
      user: "ada",
      isRefused: random.oneIn(2),
      detail: String(repeating: "a", count: random.below(300)),
      time: Timestamp(millisecondsSince1970: time)
    )
    guard let (kind, head) = try server.addAudit(entry) else { return }
    marks += 1
    ledger.digests.append(ledger.digests.last ?? nil)
    ledger.clients.append(clients)
    ledger.audit.append((marks, kind, head))
    disk.mark(marks)
  }

  // MARK: Faults

  private func addFault(to disk: RecordedDisk) {
    let fault = random.oneIn(3) ? failedCommit() : anyFault()
    trace("fault planned: \(fault)")
    disk.fail(fault)
  }

  /// A sync of the log fails, once: what a server must not survive.
  private func failedCommit() -> RecordedDisk.Fault {
    RecordedDisk.Fault(
      call: "sync",
      after: random.below(8),
      count: 1,
      code: EIO,
      text: "tidings.sqlite-wal$"
    )
  }

  private func anyFault() -> RecordedDisk.Fault {
    RecordedDisk.Fault(
      call: random.pick([
        "sync", "sync", "sync", "write", "write", "open", "truncate", "rename", "link", "unlink",
        "mkdir",
      ]),
      after: random.below(random.oneIn(2) ? 4 : 30),
      count: random.oneIn(3) ? 0 : 1,
      code: random.pick([EIO, ENOSPC, EDQUOT, EROFS]),
      text: random.pick([
        "tidings.sqlite-wal$", "tidings.sqlite$", "store.state$", "/assets", "audit", "/data",
      ])
    )
  }

  /// A call failed, no sync did: nothing of it was done.
  private func checkUnchanged(_ server: SimulatedServer) throws {
    let found = try StoreDigest(server.folder.databasePath)
    if let kept = ledger.digests.last ?? nil, found != kept {
      throw Failure("a call failed and changed \(found.differences(from: kept))")
    }
  }

  /// A sync of the store failed: nothing is acknowledged any more, whatever becomes of it.
  private func checkEnd(_ server: SimulatedServer) throws {
    counts.failedSyncs += 1
    hadFault = true
    for index in 0..<3 {
      let answers: [ItemError?]
      do {
        answers = try server.commit([RandomCalls.save("after a failed sync \(index)")])
      } catch {
        continue
      }
      // A save that is new has something to write: any answer promises what nothing can keep.
      throw Failure("answered after a failed sync: \(answers)")
    }
  }

  static func remove(_ path: String) {
    for name in (try? Folder.names(path)) ?? [] {
      let inner = path + "/" + name
      if Folder.isThere(inner) { remove(inner) } else { unlink(inner) }
    }
    rmdir(path)
  }
}
#endif
