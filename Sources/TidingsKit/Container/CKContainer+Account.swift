public import Foundation
internal import TidingsProto

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
  /// The account changed: an administrator restricted or admitted the user, or the key of the connection.
  ///
  /// Posted on any thread, without an object, once for each connection to a server: when a call shows it, and while the
  /// account cannot be used also without one, within half a minute. `accountStatus()` says what there is now.
  public static let CKAccountChanged = NSNotification.Name("CKAccountChangedNotification")
}

extension CKContainer {
  /// Whether there is a user.
  public func accountStatus() async throws -> CKAccountStatus {
    let answer = try await link.fetchAccountStatus()
    return CKAccountStatus(rawValue: Int(answer.status.rawValue)) ?? .couldNotDetermine
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
    CKRecord.ID(recordName: try await link.fetchUserName())
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
