import RandomSupport
import TestSupport
import Testing

@testable import TidingsKit

@Suite struct SyncMachineTests {
  typealias Driver = MachineDriver
  private let z = MachineDriver.zone("z")
  private let y = MachineDriver.zone("y")

  // MARK: Fetching

  @Test("a fetch shows zones, then each zone's pages between its beginning and its end")
  func fetchOrder() {
    var driver = Driver()
    driver.answer = { question in
      switch question {
      case .databaseChanges(after: []):
        .databaseChanges(.success(.init(changed: [z, y], token: [1], moreComing: true)))
      case .databaseChanges: .databaseChanges(.success(.init(token: [2])))
      case .zoneChanges(let zone, after: []) where zone == z:
        .zoneChanges(.success(.init(saved: [Driver.record("a")], token: [3], moreComing: true)))
      case .zoneChanges(let zone, _) where zone == z:
        .zoneChanges(.success(.init(saved: [Driver.record("b")], token: [4])))
      default: Driver.quiet(question)
      }
    }
    driver.machine.request(.fetch(.init()), for: 7)
    driver.run()
    #expect(
      driver.log == [
        "?user", "willFetchChanges", "?database []", #"zones ["z", "y"] - []"#, "stateUpdate",
        "?database [1]", "?options", "willFetch z", "?zone z []", #"fetched ["a"]"#, "stateUpdate",
        "?options", "?zone z [3]", #"fetched ["b"]"#, "stateUpdate", "didFetch z", "?options",
        "willFetch y", "?zone y []", "stateUpdate", "didFetch y", "?options", "didFetchChanges",
      ]
    )
    #expect(driver.finished == [7: nil])
    #expect(driver.machine.progress.unfetchedZones.isEmpty)
  }

  @Test("a token moves when its page was handled, and a state has just what was handled")
  func transactions() {
    var driver = Driver()
    driver.answer = { question in
      switch question {
      case .databaseChanges: .databaseChanges(.success(.init(changed: [z], token: [1])))
      case .zoneChanges: .zoneChanges(.success(.init(saved: [Driver.record("a")], token: [2])))
      default: Driver.quiet(question)
      }
    }
    driver.reported = { event, machine in
      switch event {
      case .fetchedDatabaseChanges: #expect(machine.progress.databaseToken.isEmpty)
      case .fetchedRecordZoneChanges:
        #expect(machine.progress.databaseToken == [1])
        #expect(machine.progress.zoneTokens.isEmpty)
        #expect(machine.progress.unfetchedZones == [z])
      default: break
      }
    }
    driver.machine.request(.fetch(.init()), for: 1)
    driver.run()
    #expect(driver.states.map(\.databaseToken) == [[1], [1]])
    #expect(driver.states.map(\.zoneTokens) == [[:], [z: [2]]])
    #expect(driver.states.map(\.unfetchedZones) == [[z], []])
  }

  @Test("the program says which zones come first, and which do not come")
  func options() {
    var driver = Driver()
    let x = Driver.zone("x")
    driver.answer = { question in
      switch question {
      case .databaseChanges:
        return .databaseChanges(.success(.init(changed: [x, y, z], token: [1])))
      case .fetchOptions(let context):
        var options = context.options
        options.scope = .allExcluding([y])
        options.prioritizedZoneIDs = [z]
        return .fetchOptions(options)
      default: return Driver.quiet(question)
      }
    }
    driver.machine.request(.fetch(.init()), for: 1)
    driver.run()
    #expect(driver.events.filter { $0.hasPrefix("willFetch ") } == ["willFetch z", "willFetch x"])
    #expect(driver.machine.progress.unfetchedZones == [y])
  }

  @Test("a zone whose token expired is reported as gone, and then again")
  func zoneTokenExpired() {
    var progress = SyncProgress()
    progress.zoneTokens = [z: [9]]
    var driver = Driver(progress)
    driver.answer = { question in
      switch question {
      case .databaseChanges: .databaseChanges(.success(.init(changed: [z], token: [1])))
      case .zoneChanges(_, after: [9]): .zoneChanges(.failure(CKError(.changeTokenExpired)))
      case .zoneChanges: .zoneChanges(.success(.init(saved: [Driver.record("a")], token: [2])))
      default: Driver.quiet(question)
      }
    }
    driver.machine.request(.fetch(.init()), for: 1)
    driver.run()
    #expect(
      driver.events == [
        "willFetchChanges", #"zones ["z"] - []"#, "stateUpdate", "willFetch z",
        #"zones [] - ["z"]"#, "stateUpdate", #"fetched ["a"]"#, "stateUpdate", "didFetch z",
        "didFetchChanges",
      ]
    )
    #expect(driver.finished == [1: nil])
  }

  @Test("when the database's token expired, zones that are no longer there are reported as gone")
  func databaseTokenExpired() {
    var progress = SyncProgress()
    progress.databaseToken = [9]
    progress.zoneTokens = [z: [1], y: [1]]
    var driver = Driver(progress)
    driver.answer = { question in
      switch question {
      case .databaseChanges(after: [9]): .databaseChanges(.failure(CKError(.changeTokenExpired)))
      case .databaseChanges: .databaseChanges(.success(.init(changed: [y], token: [1])))
      default: Driver.quiet(question)
      }
    }
    driver.machine.request(.fetch(.init()), for: 1)
    driver.run()
    #expect(driver.events.contains(#"zones ["y"] - ["z"]"#))
    #expect(driver.machine.progress.zoneTokens == [y: [1]])
  }

  @Test("a fetch that fails ends what it began, and is tried again by itself")
  func fetchFailure() {
    var driver = Driver(isAutomatic: true)
    var isDown = true
    driver.answer = { question in
      switch question {
      case .databaseChanges(after: []): .databaseChanges(.success(.init(changed: [z], token: [1])))
      case .zoneChanges where isDown:
        .zoneChanges(.failure(CKError(.requestRateLimited, "", retryAfterSeconds: 5)))
      default: Driver.quiet(question)
      }
    }
    driver.run()
    #expect(
      driver.events == [
        "willFetchChanges", #"zones ["z"] - []"#, "stateUpdate", "willFetch z",
        "didFetch z requestRateLimited", "didFetchChanges",
      ]
    )
    #expect(driver.wait == driver.now.advanced(by: .seconds(5)))
    #expect(driver.machine.progress.unfetchedZones == [z])
    isDown = false
    driver.answer = Driver.quiet
    driver.now = driver.now.advanced(by: .seconds(5))
    driver.log = []
    driver.run()
    #expect(driver.events.contains("didFetch z"))
    #expect(driver.wait == nil)
  }

  @Test("what this engine sent is not reported again, unless somebody else changed it")
  func echoes() {
    var driver = sender([])
    driver.answer = { question in
      switch question {
      case .batch: .batch(.init(recordsToSave: [Driver.record("a", tag: "1")]))
      case .databaseChanges: .databaseChanges(.success(.init(changed: [z], token: [1])))
      case .zoneChanges(_, after: [1]):
        .zoneChanges(.success(.init(saved: [Driver.record("a", tag: "1")], token: [2])))
      case .zoneChanges:
        .zoneChanges(.success(.init(saved: [Driver.record("a", tag: "2")], token: [3])))
      default: Driver.quiet(question)
      }
    }
    // The batch is asked for until there is none.
    let batches = driver.answer
    var batchCount = 0
    driver.answer = { question in
      guard case .batch = question else { return batches(question) }
      batchCount += 1
      return batchCount == 1 ? batches(question) : .batch(nil)
    }
    driver.machine.request(.send(.init()), for: 1)
    driver.run()
    driver.log = []
    driver.machine.request(.fetch(.init()), for: 2)
    driver.run()
    #expect(!driver.events.contains(#"fetched ["a"]"#))
    driver.log = []
    driver.machine.request(.fetch(.init()), for: 3)
    driver.run()
    #expect(driver.events.contains(#"fetched ["a"]"#))
  }

  // MARK: Sending

  private func sender(_ names: [String], automatic: Bool = false) -> Driver {
    var progress = SyncProgress()
    progress.zoneTokens = [z: [1], y: [1]]
    for name in names { progress.records.add(.saveRecord(Driver.id(name))) }
    return Driver(progress, isAutomatic: automatic)
  }

  @Test("zones are sent before records, also those that are added on the way")
  func sendOrder() {
    var driver = sender([])
    driver.machine.change {
      $0.zones.add(.saveZone(CKRecordZone(zoneID: z)))
      $0.records.add(.saveRecord(Driver.id("a")))
      $0.records.add(.saveRecord(Driver.id("b", "y")))
    }
    var batches = [Driver.record("a"), Driver.record("b", "y")]
    driver.answer = { question in
      guard case .batch = question else { return Driver.quiet(question) }
      return .batch(batches.isEmpty ? nil : .init(recordsToSave: [batches.removeFirst()]))
    }
    driver.reported = { event, machine in
      guard case .sentRecordZoneChanges(let sent) = event,
        sent.savedRecords.first?.recordID.recordName == "a"
      else { return }
      machine.change { $0.zones.add(.saveZone(CKRecordZone(zoneID: y))) }
    }
    driver.machine.request(.send(.init()), for: 1)
    driver.run()
    #expect(
      driver.log == [
        "stateUpdate", "?user", "willSendChanges", "?zones", #"sent zones ["z"]"#, "stateUpdate",
        "?batch", "?records", #"sent ["a"], failed []"#, "stateUpdate", "?zones",
        #"sent zones ["y"]"#, "stateUpdate", "?batch", "?records", #"sent ["b"], failed []"#,
        "stateUpdate", "?batch", "didSendChanges",
      ]
    )
    #expect(driver.machine.progress.records.isEmpty && driver.machine.progress.zones.isEmpty)
  }

  @Test("a zone that was never read is looked at before something is sent to it")
  func unread() {
    var progress = SyncProgress()
    progress.zoneTokens = [y: [1]]
    var driver = Driver(progress)
    var batches = [[Driver.record("a"), Driver.record("b", "y")], [Driver.record("c")]]
    driver.answer = { question in
      switch question {
      case .batch: .batch(batches.isEmpty ? nil : .init(recordsToSave: batches.removeFirst()))
      case .zoneChanges:
        .zoneChanges(.success(.init(saved: [Driver.record("old")], token: [5], moreComing: true)))
      default: Driver.quiet(question)
      }
    }
    driver.machine.request(.send(.init()), for: 1)
    driver.run()
    #expect(
      driver.log == [
        "?user", "willSendChanges", "?batch", "?zone z []", "willFetchChanges", "willFetch z",
        #"fetched ["old"]"#, "stateUpdate", "didFetch z", "didFetchChanges", "?records",
        #"sent ["a", "b"], failed []"#, "stateUpdate",
        "?batch", "?records", #"sent ["c"], failed []"#, "stateUpdate", "?batch", "didSendChanges",
      ]
    )
    #expect(driver.machine.progress.zoneTokens[z] == [5])
    #expect(driver.machine.progress.unfetchedZones == [z])
  }

  @Test("what was sent is not pending when that is reported, and what is added then stays")
  func added() {
    var driver = sender(["a", "b", "c"])
    driver.answer = { question in
      switch question {
      case .batch:
        return .batch(.init(recordsToSave: ["a", "b", "c"].map { Driver.record($0) }))
      case .modifyRecords(let batch):
        let failed = zip(batch.recordsToSave, [CKError.Code.serverRecordChanged, .zoneBusy])
        return .modifiedRecords(
          .init(
            savedRecords: [batch.recordsToSave[2]],
            failedRecordSaves: failed.map { .init(record: $0, error: CKError($1)) },
            deletedRecordIDs: [],
            failedRecordDeletes: [:]
          )
        )
      default: return Driver.quiet(question)
      }
    }
    driver.reported = { event, machine in
      guard case .sentRecordZoneChanges = event else { return }
      // Transient failures stay by themselves, the rest is gone.
      #expect(machine.progress.records.all == [.saveRecord(Driver.id("b"))])
      machine.change { $0.records.add(.saveRecord(Driver.id("a"))) }
    }
    driver.machine.request(.send(.init()), for: 1)
    driver.run()
    let left: [CKSyncEngine.PendingRecordZoneChange] = ["b", "a"].map { .saveRecord(Driver.id($0)) }
    #expect(driver.machine.progress.records.all == left)
    #expect(driver.states.last?.records.all == left)
    // A run ends with the first failure: the program may have to fix more.
    #expect(driver.log.count { $0 == "?batch" } == 1)
    #expect(driver.finished == [1: .partialFailure])
    #expect(driver.events.last == "didSendChanges")
  }

  @Test("a record that is changed while it is sent is sent again")
  func changedMeanwhile() {
    var driver = sender(["a"])
    driver.answer = { question in
      if case .batch = question { return .batch(.init(recordsToSave: [Driver.record("a")])) }
      return Driver.quiet(question)
    }
    driver.machine.request(.send(.init()), for: 1)
    var action = driver.machine.next(now: driver.now, spread: 1)
    var isSent = false
    for _ in 0..<1_000 where !isSent {
      if case .ask(let question) = action {
        if case .modifyRecords = question {
          driver.machine.change { $0.records.add(.saveRecord(Driver.id("a"))) }
        }
        driver.machine.take(driver.answer(question), now: driver.now, spread: 1)
      }
      if case .tell(.sentRecordZoneChanges) = action { isSent = true }
      if !isSent { action = driver.machine.next(now: driver.now, spread: 1) }
    }
    #expect(isSent, "the machine did not send within 1,000 actions")
    #expect(driver.machine.progress.records.all == [.saveRecord(Driver.id("a"))])
  }

  @Test("the innocent records of an atomic batch stay pending")
  func atomic() {
    var driver = sender(["a", "b"])
    driver.answer = { question in
      switch question {
      case .batch: return .batch(.init(recordsToSave: [Driver.record("a"), Driver.record("b")]))
      case .modifyRecords(let batch):
        let codes = [CKError.Code.invalidArguments, .batchRequestFailed]
        return .modifiedRecords(
          .init(
            savedRecords: [],
            failedRecordSaves: zip(batch.recordsToSave, codes).map {
              .init(record: $0, error: CKError($1))
            },
            deletedRecordIDs: [],
            failedRecordDeletes: [:]
          )
        )
      default: return Driver.quiet(question)
      }
    }
    driver.machine.request(.send(.init()), for: 1)
    driver.run()
    #expect(driver.machine.progress.records.all == [.saveRecord(Driver.id("b"))])
  }

  @Test("changes that the program keeps itself are asked for until it has none")
  func untracked() {
    var driver = sender([], automatic: true)
    driver.run()
    driver.log = []
    driver.machine.change {
      $0.hasUntrackedChanges = true
      $0.untrackedTime += 1
    }
    driver.run()
    #expect(
      driver.log == ["stateUpdate", "willSendChanges", "?batch", "stateUpdate", "didSendChanges"]
    )
    #expect(!driver.machine.progress.hasUntrackedChanges)
  }

  @Test("an engine that does not sync by itself only shows its state")
  func manual() {
    var driver = sender([])
    driver.machine.change { $0.records.add(.saveRecord(Driver.id("a"))) }
    driver.run()
    #expect(driver.log == ["stateUpdate"])
  }

  // MARK: The rest

  @Test("the user signs in, is another one, and is gone")
  func accounts() {
    func events(from old: String?, to new: String?) -> (log: [String], progress: SyncProgress) {
      var progress = SyncProgress()
      progress.user = old
      progress.databaseToken = [1]
      progress.records.add(.saveRecord(Driver.id("a")))
      var driver = Driver(progress, isAutomatic: true, isSignedIn: false)
      driver.answer = { question in
        if case .user = question { return .user(.success(new)) }
        if case .databaseChanges = question {
          return .databaseChanges(.failure(CKError(.zoneBusy)))
        }
        return Driver.quiet(question)
      }
      driver.reported = { event, _ in
        guard case .accountChange(let change) = event else { return }
        switch change.changeType {
        case .signIn(let current):
          #expect(old == nil && current.recordName == new)
        case .signOut(let previous):
          #expect(new == nil && previous.recordName == old)
        case .switchAccounts(let previous, let current):
          #expect(previous.recordName == old && current.recordName == new)
        }
      }
      driver.run()
      return (driver.log, driver.machine.progress)
    }
    let first = events(from: nil, to: "ada")
    #expect(first.log.prefix(3) == ["?user", "accountChange", "stateUpdate"])
    #expect(!first.progress.records.isEmpty)
    let same = events(from: "ada", to: "ada")
    #expect(!same.log.contains("accountChange"))
    let other = events(from: "ada", to: "bob")
    #expect(other.log.contains("accountChange"))
    #expect(other.progress.records.isEmpty && other.progress.user == "bob")
    let gone = events(from: "ada", to: nil)
    #expect(gone.log == ["?user", "accountChange", "stateUpdate"])
    #expect(gone.progress.records.isEmpty && gone.progress.databaseToken.isEmpty)
  }

  @Test("those who wait receive why there is no user")
  func noAnswer() {
    var driver = Driver()
    driver.answer = { _ in .user(.failure(CKError(.networkFailure))) }
    driver.machine.request(.fetch(.init()), for: 1)
    driver.machine.request(.send(.init()), for: 2)
    driver.run()
    #expect(driver.finished == [1: .networkFailure, 2: .networkFailure])
    #expect(driver.log == ["?user"])
  }

  @Test("what is cancelled ends what it began")
  func cancelling() {
    var driver = sender(["a"])
    driver.answer = { question in
      if case .batch = question { return .batch(.init(recordsToSave: [Driver.record("a")])) }
      return Driver.quiet(question)
    }
    driver.reported = { event, machine in
      guard case .willSendChanges = event else { return }
      machine.request(.fetch(.init()), for: 2)
      let cancelled = machine.cancel()
      #expect(cancelled.callers == [2] && cancelled.isRunning)
    }
    driver.machine.request(.send(.init()), for: 1)
    driver.run()
    #expect(driver.events == ["willSendChanges", "didSendChanges"])
    #expect(driver.finished == [1: .operationCancelled])
    #expect(!driver.machine.progress.records.isEmpty)
  }

  @Test("changes that was fetched already is no reason to fetch")
  func oldChanges() {
    var driver = Driver(isAutomatic: true)
    driver.run()
    driver.log = []
    driver.machine.notePendingChanges([1])
    driver.run()
    #expect(driver.log.isEmpty)
    driver.machine.notePendingChanges([2])
    driver.run()
    #expect(driver.log == ["willFetchChanges", "?database [1]", "?options", "didFetchChanges"])
  }

  @Test("whatever is answered, beginnings have ends, and states agree with what was reported")
  func anything() {
    let seed = Seed.make("SyncMachineTests.anything")
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 { check(&random, seed) }
  }

  private func check(_ random: inout SplitMix64, _ seed: UInt64) {
    var source = random
    random = SplitMix64(seed: random.next())
    var driver = sender(["a", "b", "c", "d"])
    var number = 0
    var token: [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }
    var page: (zone: CKRecordZone.ID, token: [UInt8])?
    func failure() -> CKError? {
      let codes: [CKError.Code] = [.zoneBusy, .zoneNotFound, .changeTokenExpired, .networkFailure]
      guard UInt8.random(in: 0..<6, using: &source) == 0 else { return nil }
      return codes.randomElement(using: &source).map { CKError($0) }
    }
    driver.answer = { question in
      number += 1
      switch question {
      case .databaseChanges:
        if let error = failure() { return .databaseChanges(.failure(error)) }
        let changed = [z, y].filter { _ in Bool.random(using: &source) }
        let more = Bool.random(using: &source)
        return .databaseChanges(
          .success(.init(changed: changed, token: token, moreComing: more))
        )
      case .zoneChanges(let zone, _):
        if let error = failure() { return .zoneChanges(.failure(error)) }
        page = (zone, token)
        let saved = Bool.random(using: &source) ? [Driver.record("r\(number)")] : []
        let more = Bool.random(using: &source)
        return .zoneChanges(.success(.init(saved: saved, token: token, moreComing: more)))
      default: return Driver.quiet(question)
      }
    }
    driver.reported = { event, machine in
      if case .fetchedRecordZoneChanges = event, let page {
        #expect(machine.progress.zoneTokens[page.zone] != page.token, "seed \(seed)")
      }
      if UInt8.random(in: 0..<30, using: &source) == 0 { _ = machine.cancel() }
    }
    for caller in 0..<6 as Range<UInt64> {
      driver.machine.request(
        Bool.random(using: &source) ? .fetch(.init()) : .send(.init()),
        for: caller
      )
      if Bool.random(using: &source) { driver.run() }
    }
    driver.run()
    var open: [String] = []
    for event in driver.events {
      if event.hasPrefix("will") {
        open.append(event)
      } else if event.hasPrefix("did") {
        let name = event.split(separator: " ").prefix(2).joined(separator: " ")
        let begun = "will" + name.dropFirst("did".count)
        #expect(open.last == begun || open.contains(begun), "seed \(seed): \(driver.events)")
        open.removeAll { $0 == begun }
      } else {
        #expect(event == "stateUpdate" || event == "accountChange" || !open.isEmpty, "seed \(seed)")
      }
    }
    #expect(open.isEmpty, "seed \(seed): \(driver.events)")
  }
}
