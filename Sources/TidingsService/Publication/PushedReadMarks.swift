/// Notifications that a device marked read, as the user's other devices are told.
struct PushedReadMarks: Hashable {
  /// The user's control topic.
  let topic: [UInt8]
  /// Marks the device, on this topic; 0 when it gave no name.
  let originTag: UInt64
  /// The number of the user's newest mark before these.
  let previous: Int64
  /// The number of the newest of these.
  let last: Int64
  /// Which ones.
  let notificationIDs: [String]
}
