package import TidingsModel
package import TidingsProto
internal import TidingsRPC

extension TidingsV1.DatabaseID? {
  /// The database that a caller means.
  ///
  /// - Throws: `invalidArguments`, `badContainer`, `badDatabase`, or `notAuthenticated` for a private
  ///   or shared database without a user.
  package func model(for caller: Caller) throws -> DatabaseID {
    let scope = try self?.scope.model ?? .private
    guard scope == .public || !caller.user.isEmpty else { throw ItemError.noUser }
    return DatabaseID(
      container: try containerName(self?.container ?? ""),
      environment: try self?.environment.model ?? .development,
      scope: scope,
      owner: caller.user
    )
  }
}

/// The container that is meant: `default` when none is named.
package func containerName(_ name: String) throws(ItemError) -> String {
  let database = DatabaseID(
    container: name.isEmpty ? "default" : name,
    environment: .development,
    scope: .public,
    owner: ""
  )
  try database.validate()
  return database.container
}

extension ItemError {
  /// The call needs a user.
  package static let noUser = ItemError(
    .notAuthenticated,
    "the call needs a user: connect with a key that an administrator admitted for one; in development "
      + "mode, name the user in the metadata 'tidings-user' (rpcctl --as USER)"
  )
}

extension TidingsV1.Environment {
  package var model: Environment {
    get throws(ItemError) {
      if rawValue == 0 { return .development }
      guard let environment = Environment(rawValue: rawValue) else {
        throw ItemError(.invalidArguments, "environment \(rawValue) is not known")
      }
      return environment
    }
  }

  package init(_ environment: Environment) { self.init(rawValue: environment.rawValue) }
}

extension TidingsV1.DatabaseScope {
  package var model: DatabaseScope {
    get throws(ItemError) {
      if rawValue == 0 { return .private }
      guard let scope = DatabaseScope(rawValue: rawValue) else {
        throw ItemError(.invalidArguments, "database scope \(rawValue) is not known")
      }
      return scope
    }
  }

  package init(_ scope: DatabaseScope) { self.init(rawValue: scope.rawValue) }
}

extension TidingsV1.DatabaseID {
  package init(_ id: DatabaseID) {
    self.init(
      container: id.container,
      environment: .init(id.environment),
      scope: .init(id.scope)
    )
  }
}

extension TidingsV1.ZoneID? {
  /// The zone, with its owner; the default zone if absent.
  package var model: ZoneID {
    guard let self else { return .default }
    return ZoneID(
      zoneName: self.zoneName.isEmpty ? ZoneID.default.zoneName : self.zoneName,
      ownerName: self.ownerName
    )
  }

  /// The location of the zone for a call to a database.
  ///
  /// - Throws: `invalidArguments` for an invalid owner.
  package func location(
    in database: DatabaseID,
    for caller: Caller
  ) throws(ItemError) -> DatabaseID.ZoneLocation {
    try database.location(of: model, for: caller.user)
  }
}

extension TidingsV1.ZoneID? {
  /// The zone that is meant in a database, in a shared one with its owner.
  ///
  /// - Throws: `invalidArguments` for an owner who cannot be.
  package func named(in database: DatabaseID, for caller: Caller) throws(ItemError) -> ZoneID {
    var zone = try location(in: database, for: caller).zone
    if database.scope == .shared { zone.ownerName = model.ownerName }
    return zone
  }
}

extension TidingsV1.ZoneID {
  package init(_ id: ZoneID) { self.init(zoneName: id.zoneName, ownerName: id.ownerName) }
}

extension TidingsV1.RecordID {
  package init(_ id: RecordID) {
    self.init(
      recordName: id.recordName,
      zoneID: id.zoneID == .default ? nil : .init(id.zoneID)
    )
  }
}

extension GoogleProtobuf.Timestamp {
  package init(_ time: Timestamp) {
    self.init(seconds: time.seconds, nanos: time.nanoseconds)
  }
}

extension GoogleProtobuf.Timestamp {
  /// The time.
  ///
  /// - Throws: `ItemError` `invalidArguments` outside the years 1 to 9999.
  package var model: Timestamp {
    get throws(ItemError) {
      let range = Timestamp.validRange
      guard (range.lowerBound.seconds...range.upperBound.seconds).contains(seconds) else {
        throw ItemError(.invalidArguments, "a time is not within the years 1 to 9999")
      }
      guard (0..<1_000_000_000).contains(nanos) else {
        throw ItemError(.invalidArguments, "a time has not 0 to 999,999,999 nanoseconds")
      }
      return Timestamp(seconds: seconds, nanoseconds: nanos)
    }
  }
}
