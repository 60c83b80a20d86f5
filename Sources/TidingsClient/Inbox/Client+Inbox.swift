extension Client {
  /// The user's notifications, from where a file says, each until its work is committed.
  ///
  /// The file is written by `commit` only; without one the inbox begins with the oldest notification
  /// that is kept. Give each user, and each consumer of a user's notifications, a file of its own.
  ///
  /// - Parameters:
  ///   - path: The file; its folder must be there. A file beside it, `PATH.lock`, keeps others out.
  ///   - options: What is handed out.
  /// - Returns: The inbox; it begins when it is iterated, and has the file until it is closed or dropped.
  /// - Throws: `positionInUse`, `positionDamaged`, `positionOwnerMismatch`, `positionFileError`.
  public func notificationInbox(
    at path: String,
    options: NotificationInbox.Options = .init()
  ) throws(InboxError) -> NotificationInbox {
    let file = try PositionFile(path: path)
    let position = try file.read()
    try position?.check(.init(configuration), "the position file '\(path)'")
    return NotificationInbox(self, from: position, in: file, options: options)
  }

  /// The user's notifications, from a position that the application keeps itself.
  ///
  /// For a consumer that stores each `InboxNotification.position` in the transaction of its work: it
  /// works on each notification exactly once.
  ///
  ///     let inbox = try client.notificationInbox(from: try database.inboxPosition())
  ///     for try await item in inbox {
  ///       try database.transaction {
  ///         try $0.apply(item.notification)
  ///         try $0.store(item.position.bytes)
  ///       }
  ///     }
  ///
  /// - Parameters:
  ///   - position: Where to begin; `nil`: with the oldest notification that is kept.
  ///   - options: What is handed out.
  /// - Returns: The inbox; it begins when it is iterated. Iterating again begins here, or at what was
  ///   committed since.
  /// - Throws: `positionOwnerMismatch`.
  public func notificationInbox(
    from position: InboxPosition?,
    options: NotificationInbox.Options = .init()
  ) throws(InboxError) -> NotificationInbox {
    try position?.check(.init(configuration), "the position")
    return NotificationInbox(self, from: position, in: nil, options: options)
  }
}
