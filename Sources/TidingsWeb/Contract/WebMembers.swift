/// The members that an object of a request may have.
///
/// A member that nobody reads is a promise that nobody keeps, for example to encrypt a value. So a member that is not
/// listed here is refused, unless it is `null`.
package struct WebMembers: Sendable {
  /// Those that are read.
  let read: [String]
  /// Those that may be ignored: clients send back what an answer said, or repeat what holds in any case.
  let ignored: [String]

  private init(_ read: String..., ignored: [String] = []) {
    (self.read, self.ignored) = (read, ignored)
  }
}

// MARK: Requests

extension WebMembers {
  /// Answers without numbers have them as strings in any case.
  private static let ofAll = ["numbersAsStrings"]

  static let nothing = Self(ignored: ofAll)
  static let queryRecords = Self(
    "query",
    "zoneID",
    "zoneWide",
    "resultsLimit",
    "desiredKeys",
    "continuationMarker",
    "numbersAsStrings"
  )
  static let lookUpRecords = Self("records", "zoneID", "desiredKeys", "numbersAsStrings")
  static let modifyRecords = Self(
    "operations",
    "zoneID",
    "atomic",
    "desiredKeys",
    "numbersAsStrings"
  )
  static let recordChanges = Self(
    "zoneID",
    "syncToken",
    "resultsLimit",
    "desiredKeys",
    "desiredRecordTypes",
    "numbersAsStrings"
  )
  static let zoneChanges = Self(
    "zones",
    "resultsLimit",
    "desiredKeys",
    "desiredRecordTypes",
    "reverse",
    "numbersAsStrings"
  )
  static let zoneChangesOptions = Self(
    "zoneID",
    "syncToken",
    "resultsLimit",
    "desiredKeys",
    "desiredRecordTypes",
    "reverse",
    "numbersAsStrings"
  )
  static let databaseChanges = Self("syncToken", "resultsLimit", ignored: ofAll)
  /// CloudKit answers from the beginning here, whatever a token of the other name says.
  static let databaseChangesByMetaToken = Self(
    "metaSyncToken",
    "resultsLimit",
    ignored: ofAll + ["syncToken"]
  )
  static let zones = Self("zones", ignored: ofAll)
  static let operations = Self("operations", ignored: ofAll)
  static let subscriptions = Self("subscriptions", ignored: ofAll)
  static let shares = Self("shortGUIDs", "numbersAsStrings")
  static let shortGUID = Self("value", "shouldFetchRootRecord", "rootRecordDesiredKeys")
  static let lookupInfos = Self("lookupInfos", ignored: ofAll)
  static let users = Self("users", ignored: ofAll)
  static let uploads = Self("tokens", "zoneID", ignored: ofAll)
  static let upload = Self("recordName", "recordType", "fieldName")
  /// A content is stored once a database, so that it is in the target zone, too.
  static let rereferences = Self("assets", "zoneID", ignored: ofAll + ["targetZoneID"])
  static let rereference = Self("recordName", "fieldName", "zoneID", ignored: ["recordType"])
  package static let createToken = Self("apnsEnvironment", "clientId")
  /// A token keeps the environment and the client for which it was created.
  package static let registerToken = Self(
    "apnsToken",
    ignored: ["apnsEnvironment", "clientId", "webcourierURL"]
  )
}

// MARK: Operations

extension WebMembers {
  static let recordOperation = Self("operationType", "record", "desiredKeys")
  static let zoneOperation = Self("operationType", "zone")
  static let subscriptionOperation = Self("operationType", "subscription")
}

// MARK: Dictionaries

extension WebMembers {
  /// What the server says of a record.
  private static let saidOfRecord = ["created", "modified", "deleted", "pluginFields", "share"]

  static let record = Self(
    "recordName",
    "recordType",
    "recordChangeTag",
    "zoneID",
    "fields",
    "parent",
    "desiredKeys",
    ignored: saidOfRecord
  )
  /// A share has a short GUID whether one is asked for or not.
  static let share = Self(
    "recordName",
    "recordType",
    "recordChangeTag",
    "zoneID",
    "fields",
    "desiredKeys",
    "forRecord",
    "publicPermission",
    "participants",
    ignored: saidOfRecord + [
      "createShortGUID", "shortGUID", "stableUrl", "tidingsURL", "owner", "currentUserParticipant",
      "displayedHostname",
    ]
  )
  /// A share does not change the fields of its root, so that no change of them conflicts with it.
  static let shareRoot = Self("recordName", "zoneID", ignored: ["recordChangeTag", "recordType"])
  /// The server knows who has accepted.
  static let participant = Self(
    "userIdentity",
    "type",
    "permission",
    "participantId",
    ignored: ["acceptanceStatus"]
  )
  static let identity = Self("userRecordName", "lookupInfo", ignored: ["nameComponents"])
  /// A user who was found is looked up again by the name.
  static let lookupInfo = Self(
    "userRecordName",
    "emailAddress",
    "phoneNumber",
    ignored: ["nameComponents", "lookupInfo"]
  )
  static let field = Self("value", "type", "isEncrypted")
  static let reference = Self("recordName", "action", "zoneID")
  /// What an upload answered beside the checksum says nothing more.
  static let asset = Self(
    "fileChecksum",
    "size",
    ignored: ["receipt", "wrappingKey", "referenceChecksum", "downloadURL"]
  )
  static let location = Self(
    "latitude",
    "longitude",
    "altitude",
    "horizontalAccuracy",
    "verticalAccuracy",
    "course",
    "speed",
    "timestamp"
  )
  /// The name says the type.
  static let zoneID = Self("zoneName", "ownerRecordName", "ownerName", ignored: ["zoneType"])
  /// What the server says of a zone.
  static let zone = Self("zoneID", ignored: ["syncToken", "atomic", "deleted"])
  static let query = Self("recordType", "filterBy", "predicate", "sortBy")
  static let filter = Self("fieldName", "systemFieldName", "comparator", "fieldValue", "distance")
  static let sort = Self("fieldName", "systemFieldName", "ascending", "relativeLocation")
  static let subscription = Self(
    "subscriptionID",
    "subscriptionType",
    "zoneID",
    "zoneWide",
    "query",
    "firesOn",
    "firesOnce",
    "notificationInfo"
  )
  static let notificationInfo = Self(
    "alertBody",
    "alertLocalizationKey",
    "alertLocalizationArgs",
    "alertActionLocalizationKey",
    "alertLaunchImage",
    "soundName",
    "title",
    "titleLocalizationKey",
    "titleLocalizationArgs",
    "subtitle",
    "subtitleLocalizationKey",
    "subtitleLocalizationArgs",
    "category",
    "collapseIDKey",
    "desiredKeys",
    "additionalFields",
    "shouldBadge",
    "shouldSendContentAvailable",
    "shouldSendMutableContent"
  )
}
