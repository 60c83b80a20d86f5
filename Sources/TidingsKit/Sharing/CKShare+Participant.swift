public import Foundation
internal import Synchronization
internal import TidingsProto
internal import TidingsProtobuf

/// A user to whom something is shared.
///
/// What the current user may change is `permission`, and as the owner `role`; the rest is the server's.
public final class CKShareParticipant: NSObject, NSSecureCoding, NSCopying, Sendable {
  private let state: Mutex<State>

  private struct State {
    var wire: TidingsV1.Participant
    var displayName: String
  }

  init(_ wire: TidingsV1.Participant, displayName: String = "") {
    state = Mutex(State(wire: wire, displayName: displayName))
    super.init()
  }

  var wire: TidingsV1.Participant { state.withLock { $0.wire } }
  /// The record name of the user.
  var name: String { wire.userRecordName }

  /// Takes in what the server says.
  func take(_ wire: TidingsV1.Participant) { state.withLock { $0.wire = wire } }

  /// Who it is.
  public var userIdentity: CKUserIdentity {
    let state = state.withLock { $0 }
    return CKUserIdentity(name: state.wire.userRecordName, displayName: state.displayName)
  }
  /// How they come to the share.
  ///
  /// The owner makes administrators, who need the permission `readWrite`, and makes them `privateUser`
  /// again.
  public var role: CKShare.ParticipantRole {
    get { .init(wire.role) }
    set { state.withLock { $0.wire.role = newValue.wire } }
  }
  /// What they may do; whom anyone may read for has at least the share's `publicPermission`.
  public var permission: CKShare.ParticipantPermission {
    get { .init(wire.permission) }
    set { state.withLock { $0.wire.permission = newValue.wire } }
  }
  /// Whether they joined.
  public var acceptanceStatus: CKShare.ParticipantAcceptanceStatus { .init(wire.acceptanceStatus) }
  /// Stable within the share: the user's record name, or a name of its own for one who is invited with a
  /// one-time URL.
  public var participantID: String {
    let wire = wire
    return wire.participantID.isEmpty ? wire.userRecordName : wire.participantID
  }

  /// Somebody to invite who is not known: whoever opens the URL first that the saved share has for the
  /// `participantID`.
  public static func oneTimeURLParticipant() -> CKShareParticipant {
    CKShareParticipant(
      .init(permission: .readOnly, participantID: UUID().uuidString)
    )
  }

  /// Participants are equal when all that is known of them is.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKShareParticipant)?.wire == wire
  }

  /// Of the user.
  public override var hash: Int { name.hashValue }

  /// The user, and what they may do.
  public override var description: String {
    "<CKShareParticipant: \(name); \(role), \(permission), \(acceptanceStatus)>"
  }

  /// Another participant with the same values.
  public func copy(with zone: NSZone? = nil) -> Any {
    let state = state.withLock { $0 }
    return CKShareParticipant(state.wire, displayName: state.displayName)
  }

  /// Participants can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes all values.
  public func encode(with coder: NSCoder) {
    let state = state.withLock { $0 }
    coder.encode(Data(state.wire.encoded()) as NSData, forKey: "participant")
    coder.encode(NSString(string: state.displayName), forKey: "displayName")
  }

  /// Reads what `encode(with:)` wrote.
  public convenience init?(coder: NSCoder) {
    guard let data = coder.object(of: NSData.self, forKey: "participant"),
      let wire = try? TidingsV1.Participant(decoding: Array(Data(referencing: data))),
      let name = coder.object(of: NSString.self, forKey: "displayName")
    else { return nil }
    self.init(wire, displayName: String(describing: name))
  }
}

extension CKShare {
  /// A user to whom something is shared.
  public typealias Participant = CKShareParticipant
}
