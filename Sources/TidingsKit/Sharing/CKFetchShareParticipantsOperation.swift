internal import Foundation
internal import TidingsProto

/// Looks up users, to invite them to a share: by record name anyone, by address or number who published it.
open class CKFetchShareParticipantsOperation: CKOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// Whom to look up.
  open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]?

  /// Called for each user that was found.
  open var shareParticipantFetchedBlock: ((CKShare.Participant) -> Void)?
  /// Called for each user.
  open var perShareParticipantResultBlock:
    ((CKUserIdentity.LookupInfo, Result<CKShare.Participant, any Error>) -> Void)?
  /// Called at the end.
  open var fetchShareParticipantsCompletionBlock: (((any Error)?) -> Void)?
  /// Called at the end.
  open var fetchShareParticipantsResultBlock: ((Result<Void, any Error>) -> Void)?

  /// An operation to be set up.
  public override init() { super.init() }

  /// An operation that looks up users.
  public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
    self.init()
    self.userIdentityLookupInfos = userIdentityLookupInfos
  }

  override func perform() async {
    await finishItems {
      try await fetch()
    } _: { [self] error in
      fetchShareParticipantsCompletionBlock?(error)
      fetchShareParticipantsResultBlock?(error.map { .failure($0) } ?? .success(()))
    }
  }

  private func fetch() async throws -> CKError? {
    var failed: [CKError.PartialError] = []
    for (info, result) in try await lookUp(userIdentityLookupInfos ?? []) {
      let participant = invited(info, result).map { user in
        // As CloudKit's, until the program says otherwise.
        CKShare.Participant(
          .init(
            userRecordName: user.userRecordName,
            role: .privateUser,
            permission: .readOnly,
            acceptanceStatus: .pending
          ),
          displayName: user.displayName
        )
      }
      if let error = participant.failure {
        failed.append(.init(id: .lookUp(info), error: error))
      }
      deliver { [self] in
        if let found = participant.success { shareParticipantFetchedBlock?(found) }
        perShareParticipantResultBlock?(info, participant.mapError { $0 })
      }
    }
    return .partial(failed)
  }

  /// Where nobody has an account, whoever is named is a user.
  private func invited(
    _ info: CKUserIdentity.LookupInfo,
    _ result: Result<TidingsV1.User, CKError>
  ) -> Result<TidingsV1.User, CKError> {
    guard let name = info.userRecordID?.recordName, result.failure?.code == .unknownItem,
      !usedContainer.link.settings.hasAccounts
    else { return result }
    return .success(.init(userRecordName: name))
  }
}
