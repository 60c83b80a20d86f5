internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel
internal import TidingsSQL

@testable internal import TidingsPostgres

@Suite struct PipelineTests {
  private typealias Machine = Pipeline<Int>
  private let unique = SQLError(.statement, "duplicate key", state: "23505")
  private let lost = SQLError(.disconnected, "lost")
  private let shutdown = SQLError(state: "57P01", "terminating connection")

  private func machine(_ commands: Machine.Command...) -> Machine {
    var machine = Machine()
    for command in commands { machine.sent(command) }
    return machine
  }

  private func failure(_ machine: inout Machine) -> SQLError? {
    do throws(SQLError) {
      try machine.finishBatch()
      return nil
    } catch {
      return error
    }
  }

  private func deliveredTo(_ action: Machine.Action) -> Int? {
    if case .deliver(let reader) = action { reader } else { nil }
  }

  @Test("a batch is answered in order, and rows go to their reader")
  func answers() {
    var machine = machine(.control(.begin), .prepare(7), .statement(nil), .statement(1))
    #expect(machine.transaction == .open && machine.needsSynchronization && machine.count == 4)
    machine.sent(.synchronization)
    #expect(!machine.needsSynchronization)
    let readers = (0..<5).map { _ in deliveredTo(machine.receive(.succeeded)) }
    #expect(readers == [nil, nil, nil, 1, nil] && machine.count == 0)
    #expect(failure(&machine) == nil && machine.transaction == .open)
  }

  @Test("a failure skips the rest, COMMIT too, and only a rollback is possible")
  func failedBatch() throws {
    var machine = machine(
      .control(.begin),
      .statement(nil),
      .prepare(3),
      .deallocate(4),
      .control(.commit),
      .synchronization
    )
    #expect(machine.transaction == .none)
    _ = machine.receive(.succeeded)
    _ = machine.receive(.failed(unique))
    guard case .forgetPrepared(3) = machine.receive(.skipped) else {
      Issue.record("the server has not prepared it")
      return
    }
    guard case .deallocateLater(4) = machine.receive(.skipped) else {
      Issue.record("the server still has it")
      return
    }
    _ = machine.receive(.skipped)
    _ = machine.receive(.succeeded)
    #expect(failure(&machine) == unique && machine.transaction == .failed(unique))
    #expect(throws: unique) { try machine.check(nil) }
    #expect(throws: unique) { try machine.check(.commit) }
    try machine.check(.rollbackToSavepoint)
    try machine.check(.rollback)
    machine.sent(.control(.rollback))
    _ = machine.receive(.rolledBack)
    #expect(failure(&machine) == nil && machine.transaction == .none)
  }

  @Test("a rollback to a savepoint opens a failed transaction again")
  func savepoint() {
    var machine = machine(.control(.begin), .control(.savepoint), .statement(nil))
    for event in [.succeeded, .succeeded, .failed(unique)] as [Machine.Event] {
      _ = machine.receive(event)
    }
    #expect(failure(&machine) == unique)
    machine.sent(.control(.rollbackToSavepoint))
    _ = machine.receive(.rolledBack)
    #expect(failure(&machine) == nil && machine.transaction == .open)
  }

  @Test("COMMIT that ends in a rollback is a failure")
  func committedNothing() {
    var machine = machine(.control(.begin), .control(.commit))
    _ = machine.receive(.succeeded)
    _ = machine.receive(.rolledBack)
    #expect(failure(&machine)?.kind == .conflict && machine.transaction == .none)
  }

  @Test("a connection that is lost before COMMIT was sent has committed nothing")
  func lostBeforeCommit() {
    var machine = machine(.control(.begin), .statement(nil), .statement(1))
    _ = machine.receive(.succeeded)
    _ = machine.receive(.disconnected(lost))
    #expect(failure(&machine) == lost && machine.count == 0)
    // The rest of the transaction is not executed on the next connection.
    #expect(machine.transaction == .failed(lost))
    machine.rolledBackWithConnection()
    #expect(machine.transaction == .none)
  }

  @Test("the outcome of a commit is uncertain if the connection is lost before its answer")
  func lostAtCommit() {
    for shutdown in [nil, shutdown] {
      var machine = machine(.control(.begin), .statement(nil), .control(.commit), .synchronization)
      for _ in 0..<2 { _ = machine.receive(.succeeded) }
      if let shutdown { _ = machine.receive(.failed(shutdown)) }
      _ = machine.receive(.disconnected(lost))
      #expect(failure(&machine)?.kind == .uncertain)
    }
  }

  @Test("a commit that was answered took place, also if the connection is lost then")
  func lostAfterCommit() {
    for shutdown in [nil, shutdown] {
      var machine = machine(.control(.begin), .control(.commit), .synchronization)
      for _ in 0..<2 { _ = machine.receive(.succeeded) }
      if let shutdown { _ = machine.receive(.failed(shutdown)) }
      _ = machine.receive(.disconnected(lost))
      #expect(failure(&machine) == nil && machine.transaction == .none)
    }
  }

  @Test("a commit after a failure did not take place, also if the connection is lost then")
  func lostAfterFailure() {
    var machine = machine(.control(.begin), .statement(nil), .control(.commit), .synchronization)
    _ = machine.receive(.succeeded)
    _ = machine.receive(.failed(unique))
    _ = machine.receive(.disconnected(lost))
    #expect(failure(&machine) == unique && machine.transaction == .failed(unique))
  }

  @Test("a write outside of a transaction is a commit, a read is not")
  func lostWithoutTransaction() {
    for (reader, kind) in [(nil, .uncertain), (1, .disconnected)] as [(Int?, SQLError.Kind)] {
      var machine = machine(.statement(reader), .synchronization)
      _ = machine.receive(.disconnected(lost))
      #expect(failure(&machine)?.kind == kind && machine.transaction == .none)
    }
  }

  @Test(
    "a write outside of a transaction is committed by the synchronization, and uncertain before"
  )
  func lostAtSynchronization() {
    for shutdown in [nil, shutdown] {
      var machine = machine(.statement(nil), .synchronization)
      _ = machine.receive(.succeeded)
      if let shutdown { _ = machine.receive(.failed(shutdown)) }
      _ = machine.receive(.disconnected(lost))
      #expect(failure(&machine)?.kind == .uncertain && machine.transaction == .none)
    }
  }

  @Test("a failure while a batch is committed leaves its synchronization to be answered")
  func failedSynchronization() {
    var machine = machine(.statement(nil), .synchronization)
    _ = machine.receive(.succeeded)
    _ = machine.receive(.failed(unique))
    #expect(machine.count == 1)
    _ = machine.receive(.succeeded)
    #expect(machine.count == 0 && failure(&machine) == unique)
  }

  /// A server that follows PostgreSQL's rules, and is cut off at random.
  @Test(
    "random batches: no error for what was committed, and none committed with an error",
    arguments: 0..<4
  )
  func random(round: UInt64) {
    let seed = Seed.make("PipelineTests \(round)") &+ round
    var random = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      var machine = Machine()
      let writes = random.below(4)
      let failing = random.below(3) == 0 ? random.below(writes + 1) : nil
      let cut = random.below(2) == 0 ? random.below(writes + 4) : nil
      machine.sent(.control(.begin))
      for _ in 0..<writes { machine.sent(.statement(nil)) }
      machine.sent(.control(.commit))
      machine.sent(.synchronization)
      var (hasFailed, didCommit) = (false, false)
      for index in 0..<(writes + 3) {
        let isSynchronization = index == writes + 2
        let fails = failing.map { $0 + 1 == index && $0 < writes } ?? false
        if fails { hasFailed = true }
        // What the server does, whether or not its answer arrives.
        if index == writes + 1, !hasFailed { didCommit = true }
        if cut == index {
          if random.below(2) == 0 { _ = machine.receive(.failed(shutdown)) }
          _ = machine.receive(.disconnected(lost))
          break
        }
        _ = machine.receive(
          isSynchronization
            ? .succeeded : fails ? .failed(unique) : hasFailed ? .skipped : .succeeded
        )
      }
      let error = failure(&machine)
      #expect(machine.count == 0, "seed \(seed)")
      if error == nil { #expect(didCommit, "seed \(seed)") }
      if error != nil, didCommit { #expect(error?.kind == .uncertain, "seed \(seed)") }
    }
  }
}
