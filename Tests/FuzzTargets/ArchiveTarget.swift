#if DEBUG
internal import Foundation
internal import Synchronization
internal import TidingsCodec
internal import TidingsProto
internal import TidingsProtobuf

@testable internal import TidingsKit

extension FuzzTarget {
  /// What applications keep of TidingsKit's objects in archives, and send when they have read it back.
  ///
  /// Inputs are the values of an archive, which is made here: Foundation's reader ends the process for an archive with
  /// another class than is expected, before any of our code sees it.
  static let kitArchive = FuzzTarget("kit-archive") { bytes in
    var values = ArchivedValues(bytes)
    switch values.kind % 6 {
    case 0: try checkQuery(isSorted: values.flag != 0, values.rest)
    case 1: try checkSubscription(values.flag, values.rest)
    case 2: try checkRecord(&values)
    case 3: try checkNotification(&values)
    case 4: try checkParticipant(&values)
    default: try checkNotificationInfo(values.rest)
    }
  }

  /// Reads an object of an archive.
  ///
  /// - Parameters:
  ///   - make: The object's initializer.
  ///   - write: Writes the values.
  /// - Returns: The object; `nil`: it refuses the values.
  /// - Throws: Why Foundation does not take the archive.
  private static func unarchived<Object>(
    _ make: (NSCoder) -> Object?,
    of write: (NSCoder) -> Void
  ) throws -> Object? {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    write(archiver)
    archiver.finishEncoding()
    let coder = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    coder.requiresSecureCoding = true
    // As `unarchivedObject(ofClass:from:)` does it.
    coder.decodingFailurePolicy = .setErrorAndReturn
    return make(coder)
  }

  /// Reads an object that can be sent once more.
  private static func unarchivedAgain<Object>(
    _ make: (NSCoder) -> Object?,
    of write: (NSCoder) -> Void
  ) throws -> Object {
    guard let object = try unarchived(make, of: write) else {
      throw FuzzFinding(description: "its own archive cannot be read")
    }
    return object
  }

  // MARK: Queries and subscriptions

  private static func checkQuery(isSorted: Bool, _ message: [UInt8]) throws {
    let query = try unarchived(CKQuery.init(coder:)) { coder in
      coder.encode(Data(message) as NSData, forKey: "query")
      coder.encode(isSorted, forKey: "isSorted")
    }
    guard let query, let sent = try? wire(of: query) else { return }
    _ = try? sent.predicate?.model("predicate", isStored: false)
    let again = try unarchivedAgain(CKQuery.init(coder:), of: query.encode(with:))
    // A NaN is not equal to itself: bytes tell.
    try require(try wire(of: again).encoded() == sent.encoded(), "archived it is another query")
  }

  private static func wire(of query: CKQuery) throws -> TidingsV1.QueryRecordsRequest {
    let predicate = try query.predicate.wire()
    let descriptors = try (query.sortDescriptors ?? []).map { try $0.wire() }
    return TidingsV1.QueryRecordsRequest(
      recordType: query.recordType,
      predicate: predicate,
      sortDescriptors: descriptors
    )
  }

  private static func checkSubscription(_ kind: UInt8, _ message: [UInt8]) throws {
    func make(_ coder: NSCoder) -> CKSubscription? {
      switch kind % 3 {
      case 0: CKQuerySubscription(coder: coder)
      case 1: CKRecordZoneSubscription(coder: coder)
      default: CKDatabaseSubscription(coder: coder)
      }
    }
    let subscription = try unarchived(make) { coder in
      coder.encode(Data(message) as NSData, forKey: "subscription")
    }
    guard let subscription, let sent = try? subscription.wire() else { return }
    _ = try? sent.predicate?.model("predicate", isStored: false)
    let again = try unarchivedAgain(make, of: subscription.encode(with:))
    try require(try again.wire().encoded() == sent.encoded(), "archived it is another subscription")
  }

  // MARK: Records

  private static func checkRecord(_ values: inout ArchivedValues) throws {
    let (flag, changed, encrypted) = (values.flag, values.next(), values.next())
    let (files, user) = (values.next(), values.text())
    let message = values.rest
    let record = try unarchived(CKRecord.init(coder:)) { coder in
      coder.encode(Data(message) as NSData, forKey: "record")
      coder.encode(Data(changed) as NSData, forKey: "changedKeys")
      coder.encode(Data(encrypted) as NSData, forKey: "encryptedKeys")
      coder.encode(flag != 0, forKey: "parentChanged")
      coder.encode(Data(files) as NSData, forKey: "files")
      coder.encode(NSString(string: user), forKey: "user")
    }
    guard let record else { return }
    for key in record.allKeys() { _ = record.value(forKey: key) }
    _ = (record.allTokens(), record.description, record.creatorUserRecordID)
    let saved = record.contents.withLock { $0.saved(sendsAll: true) }
    try require(saved.recordType == record.recordType, "it is saved as another type")
    let again = try unarchivedAgain(CKRecord.init(coder:), of: record.encode(with:))
    try require(again.recordID == record.recordID, "archived it has another name")
    try require(again.changedKeys() == record.changedKeys(), "archived it has other changes")
    // A path may be read as another one.
    guard files.isEmpty else { return }
    try require(sentFields(again) == sentFields(record), "archived it is another record")
  }

  /// The fields as they are sent, each in bytes: a NaN is not equal to itself.
  private static func sentFields(_ record: CKRecord) -> [String: [UInt8]] {
    let sent = record.contents.withLock { $0.wire(values: $0.values) }
    return sent.fields.mapValues { $0.encoded() }
  }

  // MARK: Notifications and participants

  private static func checkNotification(_ values: inout ArchivedValues) throws {
    let (badge, user) = (Int(values.flag), values.text())
    let message = values.rest
    let notification = try unarchived(CKNotification.init(coder:)) { coder in
      coder.encode(Data(message) as NSData, forKey: "notification")
      coder.encode(NSString(string: user), forKey: "user")
      coder.encode(NSNumber(value: badge), forKey: "badge")
      coder.encode(badge != 0, forKey: "isContainerKnown")
    }
    guard let notification else { return }
    _ = (notification.description, CKNotification.from(notification.content).description)
    let again = try unarchivedAgain(CKNotification.init(coder:), of: notification.encode(with:))
    try require(
      again.content.user == notification.content.user
        && again.content.badge == notification.content.badge
        && again.notificationID == notification.notificationID,
      "archived it is another notification"
    )
  }

  private static func checkParticipant(_ values: inout ArchivedValues) throws {
    let name = values.text()
    let message = values.rest
    let participant = try unarchived(CKShare.Participant.init(coder:)) { coder in
      coder.encode(Data(message) as NSData, forKey: "participant")
      coder.encode(NSString(string: name), forKey: "displayName")
    }
    guard let participant else { return }
    _ = (participant.description, participant.userIdentity.description)
    let again = try unarchivedAgain(
      CKShare.Participant.init(coder:),
      of: participant.encode(with:)
    )
    try require(again.wire == participant.wire, "archived it is another participant")
  }

  private static func checkNotificationInfo(_ message: [UInt8]) throws {
    let info = try unarchived(CKSubscription.NotificationInfo.init(coder:)) { coder in
      coder.encode(Data(message) as NSData, forKey: "info")
    }
    guard let info else { return }
    let again = try unarchivedAgain(
      CKSubscription.NotificationInfo.init(coder:),
      of: info.encode(with:)
    )
    try require(again.wire == info.wire, "archived it says something else")
  }
}

/// The values of an archive: a byte that says whose, one for numbers, and texts and messages behind their lengths, the
/// last one without.
private struct ArchivedValues {
  let kind: UInt8
  let flag: UInt8
  private(set) var rest: [UInt8]

  init(_ bytes: UnsafeRawBufferPointer) {
    kind = bytes.first ?? 0
    flag = bytes.dropFirst().first ?? 0
    rest = Array(bytes.dropFirst(2))
  }

  mutating func next() -> [UInt8] {
    let count = rest.prefix(2).reversed().reduce(0) { $0 << 8 | Int($1) }
    let value = Array(rest.dropFirst(2).prefix(count))
    rest = Array(rest.dropFirst(2 + count))
    return value
  }

  mutating func text() -> String { String(decoding: next(), as: UTF8.self) }
}
#endif
