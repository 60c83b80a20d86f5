internal import Foundation
internal import Synchronization

/// Users by their names: there are no addresses and no address book.
extension CKContainer {
  /// What users may let others know.
  public struct ApplicationPermissions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Permissions from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Be found by others.
    public static let userDiscoverability = ApplicationPermissions(rawValue: 1)
  }

  /// Whether a permission is given.
  public enum ApplicationPermissionStatus: Int, Sendable {
    /// The user was not asked.
    case initialState = 0
    /// It could not be found out.
    case couldNotComplete = 1
    /// No.
    case denied = 2
    /// Yes: users know each other's names.
    case granted = 3
  }

  /// Whether a permission is given: always.
  public func applicationPermissionStatus(
    for applicationPermission: ApplicationPermissions
  ) async throws -> ApplicationPermissionStatus { .granted }

  /// Asks for a permission: it is given.
  public func requestApplicationPermission(
    _ applicationPermission: ApplicationPermissions
  ) async throws -> ApplicationPermissionStatus { .granted }

  /// Tells whether a permission is given: always.
  @preconcurrency
  public func status(
    forApplicationPermission applicationPermission: ApplicationPermissions,
    completionHandler: @escaping @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void
  ) {
    Callback.run {
      ()
    } then: { _ in
      completionHandler(.granted, nil)
    }
  }

  /// Asks for a permission: it is given.
  @preconcurrency
  public func requestApplicationPermission(
    _ applicationPermission: ApplicationPermissions,
    completionHandler: @escaping @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void
  ) {
    Callback.run {
      ()
    } then: { _ in
      completionHandler(.granted, nil)
    }
  }

  /// The user with a record; `nil`: there is none.
  public func userIdentity(
    forUserRecordID userRecordID: CKRecord.ID
  ) async throws -> CKUserIdentity? {
    try await identity(.init(userRecordID: userRecordID))
  }

  /// The user whose name is an address; `nil`: there is none.
  public func userIdentity(forEmailAddress email: String) async throws -> CKUserIdentity? {
    try await identity(.init(emailAddress: email))
  }

  /// The user whose name is a number; `nil`: there is none.
  public func userIdentity(forPhoneNumber phoneNumber: String) async throws -> CKUserIdentity? {
    try await identity(.init(phoneNumber: phoneNumber))
  }

  /// Tells the user with a record; `nil`: there is none.
  @preconcurrency
  public func discoverUserIdentity(
    withUserRecordID userRecordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    tellIdentity(.init(userRecordID: userRecordID), completionHandler)
  }

  /// Tells the user whose name is an address; `nil`: there is none.
  @preconcurrency
  public func discoverUserIdentity(
    withEmailAddress email: String,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    tellIdentity(.init(emailAddress: email), completionHandler)
  }

  /// Tells the user whose name is a number; `nil`: there is none.
  @preconcurrency
  public func discoverUserIdentity(
    withPhoneNumber phoneNumber: String,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    tellIdentity(.init(phoneNumber: phoneNumber), completionHandler)
  }

  /// Nobody: there is no address book.
  public func allUserIdentitiesFromContacts() async throws -> [CKUserIdentity] { [] }

  /// Tells of nobody: there is no address book.
  @preconcurrency
  public func discoverAllIdentities(
    completionHandler: @escaping @Sendable ([CKUserIdentity]?, (any Error)?) -> Void
  ) {
    Callback.run {
      ()
    } then: { _ in
      completionHandler([], nil)
    }
  }

  private func tellIdentity(
    _ info: CKUserIdentity.LookupInfo,
    _ completion: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.identity(info)
    } then: {
      completion($0.success ?? nil, $0.failure)
    }
  }

  private func identity(_ info: CKUserIdentity.LookupInfo) async throws -> CKUserIdentity? {
    let operation = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: [info])
    let found: [CKUserIdentity.LookupInfo: Result<CKUserIdentity, any Error>] =
      try await gathered(throwsPartialFailure: true) { gather, end in
        operation.userIdentityDiscoveredBlock = { gather($1, .success($0)) }
        operation.discoverUserIdentitiesResultBlock = end
        return operation
      }
    return try found[info]?.get()
  }
}

/// What users may let others know, as older code names it.
public typealias CKApplicationPermissions = CKContainer.ApplicationPermissions
/// Whether a permission is given, as older code names it.
public typealias CKApplicationPermissionStatus = CKContainer.ApplicationPermissionStatus
