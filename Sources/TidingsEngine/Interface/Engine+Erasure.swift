internal import TidingsModel

extension Engine {
  /// Begins to remove what is stored for a user; `doMaintenance` goes on with it.
  ///
  /// - Parameters:
  ///   - user: Whom.
  ///   - administrator: Who wants it.
  ///   - publicRecords: What becomes of records in public databases.
  /// - Returns: The erasure; one that runs already stays as it is.
  /// - Throws: `ItemError` `serverRejectedRequest` for the last administrator, `limitExceeded`,
  ///   `invalidArguments`; `SQLError`.
  public func eraseUser(
    _ user: String,
    by administrator: String,
    publicRecords: UserErasure.PublicRecords
  ) throws -> UserErasure {
    try Self.check(erasing: user)
    guard !erasure.users.users.contains(user) else {
      return try erasure.users.begin(user, by: administrator, publicRecords, at: now)
    }
    if try access.accounts.user(user) != nil {
      try modifications.accounts.checkRemoval(of: user, at: now)
      // From here on the user cannot call, and gets no pushes.
      _ = try modifications.accounts.update(user, AccountChange(isRestricted: true), at: now)
    }
    return try erasure.users.begin(user, by: administrator, publicRecords, at: now)
  }

  private static func check(erasing user: String) throws(ItemError) {
    if let problem = Identifier.problem(inUserName: user) {
      throw ItemError(.invalidArguments, problem)
    }
    guard user != UserErasure.erasedName else {
      throw ItemError(
        .invalidArguments,
        "'\(user)' is the name of erased users: name a user"
      )
    }
  }

  /// The newest erasure of a user; `nil`: there is none.
  public func erasure(of user: String) throws -> UserErasure? {
    try erasure.users.erasure(of: user)
  }

  /// An erasure by its ID, 32 hexadecimal digits; `nil`: there is none.
  public func erasure(id: String) throws -> UserErasure? {
    guard let bytes = [UInt8](hexadecimal: id) else { return nil }
    return try erasure.users.erasure(bytes)
  }

  /// Whether what is stored for a user is being removed: the user cannot call.
  public func isBeingErased(_ user: String) -> Bool { erasure.users.users.contains(user) }

  /// There are users whose data is being removed.
  public var isErasing: Bool { !erasure.users.users.isEmpty }
}
