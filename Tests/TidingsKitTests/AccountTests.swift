import Foundation
import TestSupport
import Testing
import TidingsKeys
import TidingsProto

@testable import TidingsKit

/// What a program learns of its account.
///
/// One after another, since `CKAccountChanged` comes from all connections of the process.
@Suite(.endsServers, .serialized) struct AccountTests {
  @Test("a restriction is learned from a call, and its end without one")
  func restriction() async throws {
    let secure = try await SecureServer.start()
    let container = CKContainer(try await link(to: secure, as: "ada"))
    let changes = Changes()
    #expect(try await container.accountStatus() == .available)
    let administration = try await secure.administration()
    _ = try await administration.updateUser(.init(userName: "ada", restricted: true))
    #expect(changes.count.value == 0)
    do {
      try await container.privateCloudDatabase.save(CKRecord(recordType: "Notes"))
      Issue.record("the user is restricted")
    } catch CKError.managedAccountRestricted {
    }
    #expect(changes.count.value == 1)
    #expect(try await container.accountStatus() == .restricted)
    #expect(changes.count.value == 1)
    _ = try await administration.updateUser(.init(userName: "ada", restricted: false))
    try await changes.count.wait("the user is admitted again") { $0 == 2 }
    #expect(try await container.accountStatus() == .available)
  }

  @Test("a call that waits shows it, and a call that succeeds shows the end of it")
  func waitingCall() async throws {
    let secure = try await SecureServer.start()
    let container = CKContainer(
      try await link(to: secure, as: "ada", accountPause: .seconds(86_400))
    )
    let changes = Changes()
    _ = try await container.userRecordID()
    let pushes = try await container.registerForRemoteNotifications { _ in }
    let administration = try await secure.administration()
    _ = try await administration.updateUser(.init(userName: "ada", restricted: true))
    try await changes.count.wait("the user is restricted") { $0 == 1 }
    _ = try await administration.updateUser(.init(userName: "ada", restricted: false))
    _ = try await container.userRecordID()
    #expect(changes.count.value == 2)
    await pushes.end()
  }

  @Test("what calls show first is no change, and without a user nothing changes")
  func learning() async throws {
    var state = AccountState()
    #expect(state.learn(.couldNotDetermine) == nil)
    #expect(state.learn(.available).map { $0.isReported || $0.isLoss } == false)
    #expect(state.learn(.available) == nil)
    #expect(state.learn(.restricted).map { $0.isReported && $0.isLoss } == true)
    #expect(state.learn(.noAccount).map { $0.isReported && !$0.isLoss } == true)
    #expect(state.learn(.available).map { $0.isReported && !$0.isLoss } == true)
    let kit = try await KitServer()
    let container = kit.container(as: "")
    let changes = Changes()
    #expect(try await container.accountStatus() == .noAccount)
    await #expect(throws: CKError.self) {
      try await container.privateCloudDatabase.save(CKRecord(recordType: "Notes"))
    }
    _ = try await container.publicCloudDatabase.records(
      for: [CKRecord.ID(recordName: "x")]
    )
    #expect(changes.count.value == 0)
  }

  /// The connection of a new user.
  private func link(
    to secure: SecureServer,
    as user: String,
    accountPause: Duration = .milliseconds(20)
  ) async throws -> ContainerLink {
    let file = secure.server.folder.file("\(user).key")
    try KeyFile.pair(try await secure.createUser(user)).write(to: file, title: user)
    var connection = CKContainer.Connection()
    connection.endpoints = [secure.server.rpcEndpoint]
    connection.keyFile = file
    connection.serverKey = "\(secure.serverKey)"
    return ContainerLink(connection, accountPause: accountPause)
  }
}

/// Counts `CKAccountChanged`.
private final class Changes: Sendable {
  let count = Observed(0)
  private nonisolated(unsafe) var observer: (any NSObjectProtocol)?

  init() {
    observer = NotificationCenter.default.addObserver(
      forName: .CKAccountChanged,
      object: nil,
      queue: nil
    ) { [count] _ in count.update { $0 += 1 } }
  }

  deinit { observer.map { NotificationCenter.default.removeObserver($0) } }
}
