import Foundation
import Synchronization
import Testing
import TidingsRPC

@testable import TidingsKit

/// A server that says when to come again is obeyed.
@Suite struct PatienceTests {
  private let database = CKContainer(CKContainer.Connection()).privateCloudDatabase

  private func busy(_ pause: Duration) -> RPCError {
    RPCError(.resourceExhausted, "too many calls", details: [.retryInfo(after: pause)])
  }

  @Test("a call is tried again until it succeeds")
  func triesAgain() async throws {
    let tries = Mutex(0)
    let answer = try await database.call(Patience(CKOperation.Configuration())) { _, _ in
      let count = tries.withLock { tries in
        tries += 1
        return tries
      }
      guard count == 4 else { throw busy(.milliseconds(1)) }
      return count
    }
    #expect(answer == 4)
  }

  @Test("all tries of a call have its idempotency key")
  func oneKey() async throws {
    let keys = Mutex<[String?]>([])
    let patience = Patience(CKOperation.Configuration())
    let count = try await database.call(patience, idempotencyKey: "once") { _, options in
      let count = keys.withLock { keys in
        keys.append(options.idempotencyKey)
        return keys.count
      }
      guard count == 3 else { throw busy(.milliseconds(1)) }
      return count
    }
    #expect(count == 3)
    #expect(keys.withLock { $0 } == ["once", "once", "once"])
  }

  @Test("when there is no time left, the caller is reported how long to wait")
  func givesUp() async throws {
    let configuration = CKOperation.Configuration()
    configuration.timeoutIntervalForResource = 5
    let tries = Mutex(0)
    let error = await #expect(throws: CKError.self) {
      try await database.call(Patience(configuration)) { _, _ in
        tries.withLock { $0 += 1 }
        throw busy(.seconds(20))
      }
    }
    #expect(error?.code == .requestRateLimited)
    #expect(error?.retryAfterSeconds == 20)
    #expect(tries.withLock { $0 } == 1)
  }

  @Test("a container that is lent with a configuration gives it to its databases and operations")
  func container() {
    let (configuration, group) = (CKOperation.Configuration(), CKOperationGroup())
    configuration.timeoutIntervalForRequest = 7
    let container = CKContainer(CKContainer.Connection())
    let fetch = CKFetchShareMetadataOperation(shareURLs: [])
    let own = CKFetchShareMetadataOperation(shareURLs: [])
    own.timeoutIntervalForRequest = 3
    container.configuredWith(configuration: configuration, group: group) { lent in
      #expect(lent.privateCloudDatabase.patience.request == .seconds(7))
      #expect(lent.containerIdentifier == container.containerIdentifier)
      lent.add(fetch)
      lent.add(own)
    }
    #expect(fetch.timeoutIntervalForRequest == 7 && fetch.group === group)
    #expect(own.timeoutIntervalForRequest == 3)
    #expect(container.privateCloudDatabase.patience.request == .seconds(60))
  }

  @Test("what trying again does not fix is reported at once")
  func others() async throws {
    let tries = Mutex(0)
    let error = await #expect(throws: CKError.self) {
      try await database.call(Patience(CKOperation.Configuration())) { _, _ in
        tries.withLock { $0 += 1 }
        throw RPCError(.permissionDenied, "no", details: [.retryInfo(after: .milliseconds(1))])
      }
    }
    #expect(error?.code == .permissionFailure)
    #expect(tries.withLock { $0 } == 1)
  }
}
