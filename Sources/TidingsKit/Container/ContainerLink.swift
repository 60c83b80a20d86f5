internal import Foundation
internal import Synchronization
internal import TidingsClient
internal import TidingsEncryption
internal import TidingsProto
internal import TidingsRPC

/// The connection of a container's objects: made when it is first needed.
final class ContainerLink: Sendable {
  let settings: CKContainer.Connection
  private let opening = Mutex<Task<Client, any Error>?>(nil)

  /// Whether there is a user, as far as calls have shown.
  let account = Mutex(AccountState())
  /// How long after a call that found no account the server is asked for it again.
  let accountPause: Duration

  init(_ settings: CKContainer.Connection, accountPause: Duration = .seconds(30)) {
    self.settings = settings
    self.accountPause = accountPause
    let variables =
      settings.dataHome.isEmpty
      ? ProcessInfo.processInfo.environment : ["XDG_DATA_HOME": settings.dataHome]
    defaultKeyRing = DefaultKeyRing.path(variables).map { DefaultKeyRing(path: $0) }
  }

  /// The client; a failure to make it is tried again by the next call.
  func client() async throws -> Client {
    let settings = settings
    let task = opening.withLock { opening in
      if let opening { return opening }
      // It outlives the span of the call that needs it first.
      let task = CKContainer.$traceParent.withValue(nil) {
        Task { try await Client(settings.configuration()) }
      }
      opening = task
      return task
    }
    do {
      return try await task.value
    } catch {
      opening.withLock { if $0 == task { $0 = nil } }
      throw CKError(wrapping: error)
    }
  }

  let loadedKeyRing = Mutex<LoadedKeyRing?>(nil)
  /// The ring of a user who names none; `nil`: there is no data folder.
  let defaultKeyRing: DefaultKeyRing?
  private let knownUser = Mutex<String?>(nil)

  /// The record name of the user.
  ///
  /// - Throws: `notAuthenticated` when there is none.
  func userName() async throws -> String {
    if !settings.hasAccounts, !settings.user.isEmpty { return settings.user }
    if let known = knownUser.withLock({ $0 }) { return known }
    let name = try await fetchUserName()
    knownUser.withLock { $0 = name }
    return name
  }

  /// The container and the environment, for calls that are not on one database.
  var location: TidingsV1.DatabaseID { databaseID(.private) }

  func databaseID(_ scope: CKDatabase.Scope) -> TidingsV1.DatabaseID {
    .init(
      container: settings.container,
      environment: settings.isProduction ? .production : .development,
      scope: scope.wire
    )
  }
}
