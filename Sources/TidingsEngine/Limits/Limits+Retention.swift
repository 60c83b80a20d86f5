extension Limits {
  /// How long a deleted record or zone stays in the change feeds.
  public var tombstoneRetention: Duration {
    get { retention.current.tombstones }
    set { set(\.tombstones, newValue) }
  }

  /// How long notifications are kept, in days.
  public var notificationRetentionDays: Int {
    get { retention.current.notificationDays }
    set { set(\.notificationDays, newValue) }
  }

  /// Notifications that are kept, in all channels; older ones go first.
  public var notificationsMax: Int {
    get { retention.current.notificationsMax }
    set { set(\.notificationsMax, newValue) }
  }

  /// Has a retention of its own.
  mutating func restore(_ retention: Retention) { self.retention = SharedRetention(retention) }

  private mutating func set<Value>(_ member: WritableKeyPath<Retention, Value>, _ value: Value) {
    var changed = retention.current
    changed[keyPath: member] = value
    retention = SharedRetention(changed)
  }

  /// How long a deleted record or zone stays in the change feeds, in whole days.
  public var tombstoneRetentionDays: Int {
    get { Int(tombstoneRetention.components.seconds / 86_400) }
    set { tombstoneRetention = .seconds(newValue * 86_400) }
  }
}
