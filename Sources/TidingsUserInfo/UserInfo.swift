public import TidingsJSON
public import TidingsProto

/// Makes the dictionary that CloudKit delivers with a push, from a notification.
///
/// CloudKit does not document it; this is what its pushes have:
///
/// ```
/// {
///   "aps": {"alert": …, "badge": 3, "sound": "default", "category": …,
///           "content-available": 1, "mutable-content": 1},
///   "ck": {
///     "ce": 2, "cid": container, "ckuserid": user, "nid": notification, "p": 1,
///     "qry": {"dbs": 1, "fo": 1, "rid": record, "sid": subscription, "zid": zone, "zoid": owner,
///             "af": {field: value}}
///   }
/// }
/// ```
///
/// A zone subscription has `fet` and a database subscription `met` in the place of `qry`, with `dbs`,
/// `sid`, `zid` and `zoid`. `dbs` is 1 for the private database, 2 for the public one
/// and 3 for the shared one, in which `zoid` is the owner of the zone. `fo` is 1, 2
/// or 3 for created, updated and deleted; CloudKit knows no record that enters or leaves, so these are
/// 2, and `tid`, which CloudKit does not have, shows which. `p` is there when parts are missing.
public struct UserInfo {
  private let notification: TidingsV1.Notification
  private let user: String
  private let badge: UInt32?

  /// The dictionary of a notification.
  ///
  /// - Parameters:
  ///   - notification: The notification.
  ///   - user: Whose subscription fired.
  ///   - badge: The badge of the application; `nil`: it is not known.
  public init(_ notification: TidingsV1.Notification, for user: String, badge: UInt32? = nil) {
    self.notification = notification
    self.user = user
    self.badge = badge
  }

  /// The dictionary: `aps`, if anything is to be shown or done, `ck`, and `tid` if there is more to show.
  public var json: JSONValue {
    var object = JSONObject()
    let alert = AlertDictionary(notification, badge: badge).json
    if !alert.members.isEmpty { object.append("aps", .object(alert)) }
    object.append("ck", .object(cloudKit))
    if !own.members.isEmpty { object.append("tid", .object(own)) }
    return .object(object)
  }

  /// The dictionary as JSON on one line.
  public var text: String { json.description }

  private var cloudKit: JSONObject {
    var object: JSONObject = ["ce": .integer(2)]
    let container = notification.databaseID?.container ?? ""
    object.append("cid", .string(container.isEmpty ? "default" : container))
    object.append("ckuserid", .string(user))
    object.append("nid", .string(notification.notificationID))
    if notification.isPruned { object.append("p", .integer(1)) }
    switch notification.type {
    case .query: object.append("qry", .object(query))
    case .recordZone: object.append("fet", .object(zone))
    case .database: object.append("met", .object(zone))
    default: break
    }
    return object
  }

  private var query: JSONObject {
    var object = zone
    if let reason = firingReason { object.append("fo", .integer(reason)) }
    if let name = notification.recordID?.recordName, !name.isEmpty {
      object.append("rid", .string(name))
    }
    if !notification.recordFields.isEmpty {
      object.append("af", .object(.fields(notification.recordFields)))
    }
    return object
  }

  private var zone: JSONObject {
    let zone = notification.recordID?.zoneID?.zoneName ?? ""
    let owner = notification.recordID?.zoneID?.ownerName ?? ""
    let (database, whose) =
      switch notification.databaseID?.scope {
      case .public?: (2, "_defaultOwner")
      case .shared?: (3, owner)
      default: (1, user)
      }
    var object: JSONObject = ["dbs": .integer(database)]
    object.append("sid", .string(notification.subscriptionID))
    object.append("zid", .string(zone.isEmpty ? "_defaultZone" : zone))
    object.append("zoid", .string(whose))
    return object
  }

  private var firingReason: Int? {
    switch notification.reason {
    case .recordCreated: 1
    case .recordUpdated, .recordEntered, .recordLeft: 2
    case .recordDeleted: 3
    default: nil
    }
  }

  /// What CloudKit has no words for.
  private var own: JSONObject {
    var object = JSONObject()
    switch notification.reason {
    case .recordEntered: object.append("reason", .string("entered"))
    case .recordLeft: object.append("reason", .string("left"))
    default: break
    }
    if !notification.omittedKeys.isEmpty {
      object.append("omittedKeys", .array(notification.omittedKeys.map { .string($0) }))
    }
    return object
  }
}
