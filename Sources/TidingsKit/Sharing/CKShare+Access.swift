public import Foundation
internal import Synchronization
internal import TidingsProto

extension CKShare {
  // MARK: One-time URLs

  /// The URL with which one user takes the place of a participant made by
  /// `Participant.oneTimeURLParticipant()`.
  ///
  /// - Parameter participantID: The participant's.
  /// - Returns: The URL; `nil` before the share was saved, and once somebody has accepted.
  public func oneTimeURL(for participantID: String) -> URL? {
    let url = participants.first { $0.participantID == participantID }?.wire.oneTimeURL ?? ""
    return url.isEmpty ? nil : URL(string: url)
  }

  // MARK: Access requests

  /// Whether those may ask for access who have the URL and may not join.
  public var allowsAccessRequests: Bool {
    get { terms.allowsAccessRequests }
    set { contents.withLock { $0.shareTerms?.allowsAccessRequests = newValue } }
  }

  /// Who asked, oldest first; the owner and administrators see them.
  ///
  /// To let one in, add the participant whom `CKContainer.shareParticipant(forUserRecordID:)` finds, and save
  /// the share.
  public var requesters: [AccessRequester] { terms.requesters }

  /// Who cannot ask, nor join with the URL; the owner and administrators see them.
  public var blockedIdentities: [BlockedIdentity] { terms.blockedIdentities }

  /// Says no to users who asked, with the next save; they may ask again later.
  public func denyRequesters(_ requesters: [AccessRequester]) {
    let names = Set(requesters.map(\.name))
    contents.withLock { $0.shareTerms?.requesters.removeAll { names.contains($0.name) } }
  }

  /// Says no to users who asked, with the next save, and keeps them from asking again.
  public func blockRequesters(_ requesters: [AccessRequester]) {
    denyRequesters(requesters)
    contents.withLock { contents in
      var known = Set(contents.shareTerms?.blockedIdentities.map(\.name) ?? [])
      for requester in requesters where known.insert(requester.name).inserted {
        contents.shareTerms?.blockedIdentities.append(BlockedIdentity(requester.name))
      }
    }
  }

  /// Lets users ask again who were blocked, with the next save.
  public func unblockIdentities(_ blockedIdentities: [BlockedIdentity]) {
    let names = Set(blockedIdentities.map(\.name))
    contents.withLock { $0.shareTerms?.blockedIdentities.removeAll { names.contains($0.name) } }
  }
}
