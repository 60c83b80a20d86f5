internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Many send large messages at once: each of those who end theirs is answered, and memory stays within its bound.
@Suite(.serialized, .endsServers) struct LargeSendersTests {
  /// Saves a batch, and sends it again as long as the server has no room; a connection that is lost fails it.
  private static func save(_ batch: LargeBatch, _ client: Client) async throws {
    let patience = Duration.seconds(600)
    try await waitUntil("room for a batch", pausing: .milliseconds(200), for: patience) {
      do {
        let results = try await client.modify(batch.records, in: LargeBatch.database)
        for result in results { try #require(result.error == nil) }
        return true
      } catch let error as RPCError where error.code == .resourceExhausted {
        return false
      }
    }
  }

  @Test(
    "clients with heartbeats that wait for room keep their connections, also when the server stands still",
    arguments: [false, true]
  )
  func honest(standsStill: Bool) async throws {
    let server = try await TestServer.start(arguments: MemoryBound.arguments)
    let progress = Observed((saved: 0, hasFailed: false))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          do {
            let client = try await server.client(as: "user\(number)")
            for round in 0..<2 {
              try await Self.save(LargeBatch("p\(round)"), client)
              progress.update { $0.saved += 1 }
            }
            await client.close()
          } catch {
            progress.update { $0.hasFailed = true }
            throw error
          }
        }
      }
      if standsStill {
        for count in [2, 8] {
          try await progress.wait("some saves") { $0.saved >= count || $0.hasFailed }
          // On a thread of its own: tasks may wait for one for longer than clients do for heartbeats.
          try await blocking {
            try server.process.pause()
            // The server stands still for so long.
            Thread.sleep(forTimeInterval: 2)
            server.process.resume()
          }
        }
      }
      try await group.waitForAll()
    }
    try MemoryBound.expectKept(by: server)
  }

  @Test("what connections have sent counts until it is taken, also when they have ended")
  func leaving() async throws {
    let server = try await TestServer.start(arguments: MemoryBound.arguments)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          for round in 0..<12 {
            let peer = try await ZMTPPeer.connect(server.rpcEndpoint)
            // The server may end it meanwhile.
            try? await peer.send(LargeBatch("p\(round)").frames(as: "user\(number)"))
            peer.disconnect()
          }
        }
      }
      try await group.waitForAll()
    }
    let client = try await server.client(as: "ada")
    try await Self.save(LargeBatch("last"), client)
    try MemoryBound.expectKept(by: server)
  }

  @Test("large messages of small frames count as what they are")
  func smallFrames() async throws {
    let server = try await TestServer.start(arguments: MemoryBound.arguments)
    let frame = [UInt8](repeating: 7, count: 2_000)
    let message = [[UInt8]](repeating: frame, count: 3_500)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<12 {
        group.addTask {
          for _ in 0..<4 {
            let peer = try await ZMTPPeer.connect(server.rpcEndpoint)
            try? await peer.send(message)
          }
        }
      }
      try await group.waitForAll()
    }
    let client = try await server.client(as: "ada")
    #expect(try await client.health.check(.init()).status == .serving)
    try MemoryBound.expectKept(by: server)
  }
}
