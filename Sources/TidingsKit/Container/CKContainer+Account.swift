public import Foundation
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Whether there is a user.
public enum CKAccountStatus: Int, Sendable {
  /// It could not be found out.
  case couldNotDetermine = 0
  /// There is, and may save.
  case available = 1
  /// An administrator restricted the user.
  case restricted = 2
  /// There is no user.
  case noAccount = 3
  /// The account cannot be used now.
  case temporarilyUnavailable = 4
}

extension NSNotification.Name {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Kept for compatibility, never posted: who calls does not change while the process runs.
  public static let CKAccountChanged = NSNotification.Name("CKAccountChangedNotification")
}

extension CKContainer {
  /// Whether there is a user.
  public func accountStatus() async throws -> CKAccountStatus {
    let client = try await link.client()
    do {
      let answer = try await TidingsV1.AccountService.Client(client.transport)
        .fetchAccountStatus(.init())
      return CKAccountStatus(rawValue: Int(answer.status.rawValue)) ?? .couldNotDetermine
    } catch {
      throw CKError(error)
    }
  }

  /// Returns whether there is a user.
  @preconcurrency
  public func accountStatus(
    completionHandler: @escaping @Sendable (CKAccountStatus, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.accountStatus()
    } then: {
      completionHandler($0.success ?? .couldNotDetermine, $0.failure)
    }
  }

  /// The record id of the user.
  public func userRecordID() async throws -> CKRecord.ID {
    let client = try await link.client()
    do {
      let answer = try await TidingsV1.AccountService.Client(client.transport)
        .fetchUserRecordID(.init(container: link.settings.container))
      return CKRecord.ID(recordName: answer.userRecordName)
    } catch {
      throw CKError(error)
    }
  }

  /// Returns the record ID of the user.
  @preconcurrency
  public func fetchUserRecordID(
    completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.userRecordID()
    } then: {
      completionHandler($0.success, $0.failure)
    }
  }
}
