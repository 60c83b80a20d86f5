internal import Foundation
internal import Synchronization
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// What calls show of the account.
///
/// No call is made for it while the account can be used: the server ends calls that wait when the account cannot be
/// used any more, and others find it out. While it cannot, the server is asked now and then.
extension ContainerLink {
  /// Asks the server for the account.
  func fetchAccountStatus(
    _ options: CallOptions = CallOptions()
  ) async throws -> TidingsV1.FetchAccountStatusResponse {
    do {
      let answer = try await TidingsV1.AccountService.Client(client().transport)
        .fetchAccountStatus(.init(), options: options)
      learn(CKAccountStatus(rawValue: Int(answer.status.rawValue)) ?? .couldNotDetermine)
      return answer
    } catch {
      let error = CKError(wrapping: error)
      learn(error)
      throw error
    }
  }

  /// Asks the server for the record name of the user.
  func fetchUserName() async throws -> String {
    try await learning {
      try await TidingsV1.AccountService.Client($0.transport)
        .fetchUserRecordID(.init(container: settings.container))
    }.userRecordName
  }

  /// Makes a call, other than for the account, and takes what it shows.
  func learning<Response>(
    _ body: (Client) async throws -> Response
  ) async throws -> Response {
    do {
      let answer = try await body(client())
      // Users who are restricted, and keys that are not admitted, have no answer.
      learn(hasUser ? .available : .noAccount)
      return answer
    } catch let error as RPCError {
      let error = CKError(error)
      learn(error)
      throw error
    }
  }

  /// Takes what a failure shows.
  func learn(_ error: CKError) {
    if let status = CKAccountStatus(error) { learn(status) }
  }

  private func learn(_ status: CKAccountStatus) {
    guard let change = account.withLock({ $0.learn(status) }) else { return }
    if change.isLoss, hasUser { watchAccount() }
    if change.isReported { NotificationCenter.default.post(name: .CKAccountChanged, object: nil) }
  }

  /// Whether the connection names a user, or has a user's key.
  private var hasUser: Bool { settings.hasAccounts || !settings.user.isEmpty }

  /// Asks again until the account can be used, so that a program need not call to learn that.
  private func watchAccount() {
    CKContainer.$traceParent.withValue(nil) {
      _ = Task { [weak self, accountPause] in
        repeat {
          try await Task.sleep(for: accountPause)
          _ = try? await self?.fetchAccountStatus()
        } while self?.account.withLock({ $0.status }) ?? .available != .available
      }
    }
  }
}
