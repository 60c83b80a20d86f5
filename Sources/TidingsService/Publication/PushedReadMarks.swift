/// Notifications that a device marked read, as published to the user's other devices.
struct PushedReadMarks: Hashable {
  /// The user's control topic.
  let topic: [UInt8]
  /// Identifies the device on this topic; 0 if the call named none.
  let originTag: UInt64
  /// The number of the user's newest mark before these.
  let previous: Int64
  /// The number of the newest of these.
  let last: Int64
  /// Which ones.
  let notificationIDs: [String]
}
