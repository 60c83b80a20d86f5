import TidingsProto
import TidingsRPC

/// A kind of calls of a soak.
enum SoakKind: String, CaseIterable, Sendable {
  /// One existing record, which fires a subscription.
  case save
  /// From the begin of such a save until the notification is there.
  case push
  /// New records, and as many older ones deleted.
  case batch
  /// Some records by their names.
  case lookup
  /// Records by an index.
  case query
  /// The changes of a zone.
  case feed
  /// The log of notifications.
  case log
  /// A file, and the record that names it.
  case asset
  /// A subscription saved and deleted.
  case subscription
  /// A connection opened, used and closed.
  case connection

  /// How many a second there are to be, at the usual rate.
  var expectedPerSecond: Double { self == .push ? Self.save.perSecond : perSecond }

  /// How many a second are made, at the usual rate; pushes follow from saves.
  var perSecond: Double {
    switch self {
    case .save, .lookup: 80
    case .query: 40
    case .feed: 30
    case .log, .batch: 10
    case .asset, .subscription: 5
    case .connection: 4
    case .push: 0
    }
  }

  /// What it calls.
  var methods: [String] {
    switch self {
    case .save, .push, .batch: [Records.modifyRecords.fullName]
    case .lookup, .connection: [Records.fetchRecords.fullName]
    case .query: [Records.queryRecords.fullName]
    case .feed: [Records.fetchRecordZoneChanges.fullName]
    case .log: [TidingsV1.NotificationService.Methods.fetchNotificationChanges.fullName]
    case .asset:
      [
        TidingsV1.AssetService.Methods.uploadAsset.fullName, Records.modifyRecords.fullName,
      ]
    case .subscription:
      [TidingsV1.SubscriptionService.Methods.modifySubscriptions.fullName]
    }
  }

  private typealias Records = TidingsV1.RecordService.Methods

  /// The methods of all kinds.
  static let methods = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0.rawValue, $0.methods) }
  )
}
