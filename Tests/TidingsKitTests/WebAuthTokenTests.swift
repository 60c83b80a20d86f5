internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

@testable internal import TidingsKit

/// A token for the web, as a program of CloudKit fetches it.
@Suite(.endsServers) struct WebAuthTokenTests {
  private func fetch(
    _ container: CKContainer,
    _ apiToken: String
  ) async throws -> (
    token: String?, error: CKError?
  ) {
    let ends = Observed<[(String?, CKError?)]>([])
    let operation = CKFetchWebAuthTokenOperation(apiToken: apiToken)
    operation.fetchWebAuthTokenCompletionBlock = { token, error in
      ends.update { $0.append((token, error as? CKError)) }
    }
    operation.fetchWebAuthTokenResultBlock = { result in
      ends.update { $0.append((try? result.get(), nil)) }
    }
    container.privateCloudDatabase.add(operation)
    let found = try await ends.wait("both ends") { $0.count == 2 }
    #expect(found[0].0 == found[1].0)
    return found[0]
  }

  @Test("an operation fetches the token of a new session, which acts for the user")
  func fetch() async throws {
    let kit = try await KitServer()
    let client = try await kit.server.client(as: "root")
    let created = try await TidingsV1.AdminService.Client(client.transport).createWebToken(
      .init(credential: .apiToken(.init()))
    )
    let container = kit.container()
    let (token, error) = try await fetch(container, created.apiToken)
    #expect(error == nil)
    let accounts = TidingsV1.AccountService.Client(client.transport)
    let status = try await accounts.fetchAccountStatus(
      .init(),
      options: CallOptions(
        metadata: [
          "tidings-api-token": created.apiToken, "tidings-web-auth-token": try #require(token),
        ]
      )
    )
    #expect(try await container.userRecordID().recordName == status.userRecordName)
    let wrong = try await fetch(container, "wrong")
    #expect(wrong.token == nil && wrong.error?.code == .notAuthenticated)
  }
}
