internal import Foundation
internal import Synchronization
internal import TidingsProto

/// Users who let others find them.
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
    /// The user is not in the container's directory.
    case initialState = 0
    /// It could not be found out.
    case couldNotComplete = 1
    /// Kept for compatibility: who left the directory may enter it again.
    case denied = 2
    /// Yes: the user is in the container's directory.
    case granted = 3
  }

  /// Whether a permission is given: `granted` while the user is in the container's directory, else `initialState`.
  public func applicationPermissionStatus(
    for applicationPermission: ApplicationPermissions
  ) async throws -> ApplicationPermissionStatus {
    try await publishedIdentity() == nil ? .initialState : .granted
  }

  /// Puts the user into the container's directory, where others find the user by record name.
  ///
  /// Nobody is asked: the app asks the user beforehand. What is published already stays;
  /// `publishIdentity(displayName:emailAddress:phoneNumber:)` publishes more.
  public func requestApplicationPermission(
    _ applicationPermission: ApplicationPermissions
  ) async throws -> ApplicationPermissionStatus {
    guard applicationPermission.contains(.userDiscoverability) else {
      return try await applicationPermissionStatus(for: applicationPermission)
    }
    if try await publishedIdentity() == nil { try await publish(.init()) }
    return .granted
  }

  /// Returns whether a permission is granted.
  @preconcurrency
  public func status(
    forApplicationPermission applicationPermission: ApplicationPermissions,
    completionHandler: @escaping @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.applicationPermissionStatus(for: applicationPermission)
    } then: {
      completionHandler($0.success ?? .couldNotComplete, $0.failure)
    }
  }

  /// Puts the user into the container's directory.
  @preconcurrency
  public func requestApplicationPermission(
    _ applicationPermission: ApplicationPermissions,
    completionHandler: @escaping @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.requestApplicationPermission(applicationPermission)
    } then: {
      completionHandler($0.success ?? .couldNotComplete, $0.failure)
    }
  }

  /// The user with a record; `nil`: there is none, or the user is not discoverable.
  public func userIdentity(
    forUserRecordID userRecordID: CKRecord.ID
  ) async throws -> CKUserIdentity? {
    try await identity(.init(userRecordID: userRecordID))
  }

  /// The user who published an address; `nil`: there is none.
  public func userIdentity(forEmailAddress email: String) async throws -> CKUserIdentity? {
    try await identity(.init(emailAddress: email))
  }

  /// The user who published a number; `nil`: there is none.
  public func userIdentity(forPhoneNumber phoneNumber: String) async throws -> CKUserIdentity? {
    try await identity(.init(phoneNumber: phoneNumber))
  }

  /// Returns the user with a record; `nil`: there is none, or the user is not discoverable.
  @preconcurrency
  public func discoverUserIdentity(
    withUserRecordID userRecordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    tellIdentity(.init(userRecordID: userRecordID), completionHandler)
  }

  /// Returns the user who published an address; `nil`: there is none.
  @preconcurrency
  public func discoverUserIdentity(
    withEmailAddress email: String,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    tellIdentity(.init(emailAddress: email), completionHandler)
  }

  /// Returns the user who published a number; `nil`: there is none.
  @preconcurrency
  public func discoverUserIdentity(
    withPhoneNumber phoneNumber: String,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    tellIdentity(.init(phoneNumber: phoneNumber), completionHandler)
  }

  /// The users of the container's directory: there is no address book to narrow them.
  public func allUserIdentitiesFromContacts() async throws -> [CKUserIdentity] {
    let operation = CKDiscoverAllUserIdentitiesOperation()
    let found = Mutex<[CKUserIdentity]>([])
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      operation.userIdentityDiscoveredBlock = { identity in
        found.withLock { $0.append(identity) }
      }
      operation.discoverAllUserIdentitiesResultBlock = { continuation.resume(with: $0) }
      add(operation)
    }
    return found.withLock { $0 }
  }

  /// Returns the users of the container's directory.
  @preconcurrency
  public func discoverAllIdentities(
    completionHandler: @escaping @Sendable ([CKUserIdentity]?, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.allUserIdentitiesFromContacts()
    } then: {
      completionHandler($0.success, $0.failure)
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
    try await identities([info]) { $0 }[info]
  }

  /// Those of several users who exist and let others find them.
  func identities<Key: Hashable>(
    _ keys: [Key],
    _ info: (Key) -> CKUserIdentity.LookupInfo
  ) async throws -> [Key: CKUserIdentity] {
    let infos = keys.map(info)
    let operation = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: infos)
    let found: [CKUserIdentity.LookupInfo: Result<CKUserIdentity, any Error>] =
      try await gathered(throwsPartialFailure: true) { gather, end in
        operation.userIdentityDiscoveredBlock = { gather($1, .success($0)) }
        operation.discoverUserIdentitiesResultBlock = end
        return operation
      }
    var results: [Key: CKUserIdentity] = [:]
    for (key, info) in zip(keys, infos) { results[key] = try found[info]?.get() }
    return results
  }
}

/// What users may let others know, as older code names it.
public typealias CKApplicationPermissions = CKContainer.ApplicationPermissions
/// Whether a permission is given, as older code names it.
public typealias CKApplicationPermissionStatus = CKContainer.ApplicationPermissionStatus
