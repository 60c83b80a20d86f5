import Foundation
import TestSupport
import Testing
import TidingsKit

/// Containers and who calls.
@Suite(.endsServers) struct ContainerTests {
  @Test("a container may be named as Apple's are, and knows its user")
  func names() async throws {
    let kit = try await KitServer()
    var connection = CKContainer.Connection()
    connection.endpoints = [kit.server.rpcEndpoint]
    connection.user = "ada"
    connection.container = "iCloud.com.example.Notes"
    let container = CKContainer(connection)
    #expect(container.containerIdentifier == "iCloud.com.example.Notes")
    let status: CKAccountStatus = await withCheckedContinuation { continuation in
      container.accountStatus { status, error in
        #expect(error == nil)
        continuation.resume(returning: status)
      }
    }
    #expect(status == .available)
    let record = CKRecord(recordType: "Notes")
    try await container.privateCloudDatabase.save(record)
    #expect(record.creatorUserRecordID == CKRecord.ID(recordName: "ada"))
    #expect(CKContainer.default() === CKContainer.default())
    #expect(CKContainer(identifier: "x").database(with: .shared).databaseScope == .shared)
  }

  @Test(
    "the endpoints of a connection are tried in turn, and a malformed list fails the first call"
  )
  func endpoints() async throws {
    let (gone, kit) = (try await KitServer.lasting(), try await KitServer())
    try await gone.server.crash()
    var connection = CKContainer.Connection()
    connection.endpoints = [gone.server.rpcEndpoint, kit.server.rpcEndpoint]
    connection.user = "ada"
    #expect(try await CKContainer(connection).accountStatus() == .available)
    connection.endpoints.append(kit.server.rpcEndpoint)
    do {
      _ = try await CKContainer(connection).accountStatus()
      Issue.record("an endpoint is in the list twice")
    } catch let error as CKError {
      #expect("\(error)".contains("is in the list of endpoints twice"))
    }
  }

  @Test("without a user there is no account, and what needs one says so")
  func nobody() async throws {
    let kit = try await KitServer()
    let container = kit.container(as: "")
    #expect(try await container.accountStatus() == .noAccount)
    let bodies: [@Sendable () async throws -> Void] = [
      { @Sendable in _ = try await container.userRecordID() },
      { @Sendable in try await container.privateCloudDatabase.save(CKRecord(recordType: "Notes")) },
    ]
    for body in bodies {
      do {
        try await body()
        Issue.record("there is no user")
      } catch CKError.notAuthenticated {
      } catch {
        Issue.record("\(error)")
      }
    }
  }

  @Test("there are no long-lived operations")
  func compatibility() async throws {
    let container = CKContainer(identifier: "x")
    #expect(try await container.allLongLivedOperationIDs().isEmpty)
    #expect(Notification.Name.CKAccountChanged == NSNotification.Name.CKAccountChanged)
  }
}
