public import Foundation
internal import TidingsProto
internal import TidingsProtobuf

/// A user who asked for access to a share.
public final class CKShareAccessRequester: NSObject, NSSecureCoding, NSCopying, Sendable {
  let wire: TidingsV1.AccessRequester

  init(_ wire: TidingsV1.AccessRequester) { self.wire = wire }

  var name: String { wire.userRecordName }

  /// Who it is.
  public var userIdentity: CKUserIdentity { CKUserIdentity(name: name) }
  /// By what the user is looked up, to be added as a participant.
  public var participantLookupInfo: CKUserIdentity.LookupInfo {
    CKUserIdentity.LookupInfo(userRecordID: CKRecord.ID(recordName: name))
  }

  /// Requesters are equal when all that is known of them is.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKShareAccessRequester)?.wire == wire
  }

  /// Of the user.
  public override var hash: Int { name.hashValue }

  /// Itself: it does not change.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Requesters can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes all of it.
  public func encode(with coder: NSCoder) {
    coder.encode(Data(wire.encoded()) as NSData, forKey: "requester")
  }

  /// Reads what `encode(with:)` wrote.
  public convenience init?(coder: NSCoder) {
    guard let data = coder.object(of: NSData.self, forKey: "requester"),
      let wire = try? TidingsV1.AccessRequester(decoding: Array(Data(referencing: data)))
    else { return nil }
    self.init(wire)
  }
}

/// A user who cannot ask for access to a share.
public final class CKShareBlockedIdentity: NSObject, NSSecureCoding, NSCopying, Sendable {
  let name: String

  init(_ name: String) { self.name = name }

  /// Who it is.
  public var userIdentity: CKUserIdentity { CKUserIdentity(name: name) }

  /// Blocked identities are equal when the users are.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKShareBlockedIdentity)?.name == name
  }

  /// Of the user.
  public override var hash: Int { name.hashValue }

  /// Itself: it does not change.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Blocked identities can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes who it is.
  public func encode(with coder: NSCoder) { coder.encode(NSString(string: name), forKey: "user") }

  /// Reads what `encode(with:)` wrote.
  public convenience init?(coder: NSCoder) {
    guard let name = coder.object(of: NSString.self, forKey: "user") else { return nil }
    self.init(String(describing: name))
  }
}

extension CKShare {
  /// A user who asked for access to a share.
  public typealias AccessRequester = CKShareAccessRequester
  /// A user who cannot ask for access to a share.
  public typealias BlockedIdentity = CKShareBlockedIdentity
}
