internal import TestSupport
internal import Testing
internal import TidingsModel
internal import TidingsSQL

@testable internal import TidingsEngine

/// Every step of every call fails once: the call fails, and the next one is answered as if nothing had
/// been.
@Suite(.embeddedOnly) struct StepFaultTests {
  private typealias Way = FailingConnection.Way

  /// More steps than any call makes.
  private static let stepsMax = 2_000

  /// The same call again, in a transaction that is rolled back.
  private func answer(
    of call: FaultCall<Engine>,
    _ world: FaultWorld
  ) throws -> String {
    defer { world.engine.rollback() }
    try world.engine.begin()
    return try call(world, world.engine)
  }

  @Test(
    "a call that writes fails as a whole, whichever step fails, and can be made again",
    arguments: Way.allCases
  )
  private func writes(way: Way) throws {
    let world = try FaultWorld()
    for call in FaultCall<Engine>.writes {
      let expected = try answer(of: call, world)
      var step = 1
      while try !commits(call, world, failing: step, way) {
        let again = try answer(of: call, world)
        #expect(again == expected, "\(call.name) after step \(step) failed")
        step += 1
        try #require(step < Self.stepsMax)
      }
      #expect(step > 3, "\(call.name)")
      // What memory knows is what the store has.
      let fresh = try world.freshEngine()
      for read in FaultCall<Engine>.reads {
        let (known, stored) = (try read(world, world.engine), try read(world, fresh))
        #expect(known == stored, "\(read.name) after \(call.name)")
      }
    }
  }

  /// - Returns: Whether the call came to its end, because it has fewer steps.
  private func commits(
    _ call: FaultCall<Engine>,
    _ world: FaultWorld,
    failing step: Int,
    _ way: Way
  ) throws -> Bool {
    world.connection.fail(step: step, way)
    defer { world.connection.heal() }
    do {
      try world.engine.begin()
      let answer = try call(world, world.engine)
      #expect(!world.connection.hasFailed, "\(call.name) swallows step \(step): \(answer)")
      _ = try world.engine.commit()
      return true
    } catch let error as SQLError {
      #expect(error.kind == way.kind, "\(call.name), step \(step): \(error)")
      world.engine.rollback()
      #expect(world.connection.isIdle, "\(call.name), step \(step)")
      return false
    }
  }

  @Test(
    "a call that reads fails alone, whichever step fails, and is answered again",
    arguments: Way.allCases
  )
  private func reads(way: Way) throws {
    let world = try FaultWorld()
    for call in FaultCall<Engine>.reads {
      let expected = try answer(of: call, world)
      for step in 1..<Self.stepsMax {
        world.engine.rollback()
        try world.engine.begin()
        world.connection.fail(step: step, way)
        let failed = try fails(world) { try call(world, world.engine) }
        world.connection.heal()
        guard failed else { break }
        if !world.connection.isInTransaction {
          world.engine.rollback()
          try world.engine.begin()
        }
        #expect(try call(world, world.engine) == expected, "\(call.name) after step \(step) failed")
      }
      world.engine.rollback()
    }
  }

  /// - Returns: Whether a step failed.
  private func fails(_ world: FaultWorld, _ body: () throws -> String) throws -> Bool {
    do {
      let answer = try body()
      #expect(!world.connection.hasFailed, "swallowed: \(answer)")
      return false
    } catch is SQLError {
      return true
    }
  }

  @Test(
    "a reader's call fails, whichever step fails, and holds no snapshot",
    arguments: Way.allCases
  )
  private func readers(way: Way) throws {
    let world = try FaultWorld()
    for call in FaultCall<EngineReader>.reads {
      let expected = try world.reader.withSnapshot { try call(world, world.reader) }
      for step in 1..<Self.stepsMax {
        world.readerConnection.fail(step: step, way)
        let isFailed: Bool
        do {
          _ = try world.reader.withSnapshot { try call(world, world.reader) }
          isFailed = false
        } catch let error as SQLError {
          isFailed = true
          #expect(error.kind == way.kind, "\(call.name), step \(step): \(error)")
        }
        #expect(isFailed == world.readerConnection.hasFailed, "\(call.name), step \(step)")
        world.readerConnection.heal()
        #expect(world.readerConnection.isIdle, "\(call.name), step \(step)")
        let again = try world.reader.withSnapshot { try call(world, world.reader) }
        #expect(again == expected, "\(call.name) after step \(step) failed")
        if !isFailed { break }
      }
    }
  }
}
