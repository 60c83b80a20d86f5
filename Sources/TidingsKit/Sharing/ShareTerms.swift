internal import TidingsProto

/// What a share says besides its fields.
struct ShareTerms: Sendable {
  /// The record that is shared with all below it; empty: the zone.
  var rootName = ""
  var publicPermission = CKShare.ParticipantPermission.none
  /// Objects that the program may hold and change.
  var participants: [CKShare.Participant] = []
  var url = ""
  var allowsAccessRequests = false
  var requesters: [CKShare.AccessRequester] = []
  var blockedIdentities: [CKShare.BlockedIdentity] = []
  /// Who asked; empty: not known.
  var currentUser = ""

  /// The current user, as the owner of a share that was not saved yet.
  static func selfAsOwner() -> CKShare.Participant {
    CKShare.Participant(
      .init(
        userRecordName: CKCurrentUserDefaultName,
        role: .owner,
        permission: .readWrite,
        acceptanceStatus: .accepted
      )
    )
  }

  /// Gives the participants objects of their own.
  mutating func separate() { participants = participants.map { CKShare.Participant($0.wire) } }

  /// Takes in what the server has, into the objects that are known.
  mutating func acknowledge(_ stored: ShareTerms, as user: String) {
    // The owner of a share that was not saved has no name yet.
    var known: [String: CKShare.Participant] = [:]
    for participant in participants {
      let isOwner = participant.role == .owner
      known[isOwner ? stored.ownerName : participant.participantID] = participant
    }
    let answered = stored.participants.map { answer in
      guard let participant = known[answer.participantID] else { return answer }
      participant.take(answer.wire)
      return participant
    }
    self = stored
    participants = answered
    currentUser = user
  }

  var ownerName: String { participants.first { $0.role == .owner }?.name ?? "" }
}

extension ShareTerms {
  init(_ share: TidingsV1.Share) {
    rootName = share.rootRecordName
    publicPermission = .init(share.publicPermission)
    participants = share.participants.map { CKShare.Participant($0) }
    url = share.url
    allowsAccessRequests = share.allowsAccessRequests
    requesters = share.requesters.map { CKShare.AccessRequester($0) }
    blockedIdentities = share.blockedUserRecordNames.map { CKShare.BlockedIdentity($0) }
  }

  /// As it is saved: the owner is set by the server.
  var wire: TidingsV1.Share {
    .init(
      rootRecordName: rootName,
      publicPermission: publicPermission.wire,
      participants: participants.map(\.wire).filter {
        $0.userRecordName != CKCurrentUserDefaultName
      },
      url: url,
      allowsAccessRequests: allowsAccessRequests,
      requesters: requesters.map(\.wire),
      blockedUserRecordNames: blockedIdentities.map(\.name)
    )
  }
}
