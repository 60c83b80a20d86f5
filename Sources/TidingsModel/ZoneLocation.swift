extension DatabaseID {
  /// The database and the name of a zone.
  ///
  /// A shared database stores nothing: its zones are in the private databases of their owners.
  public struct ZoneLocation: Hashable, Sendable {
    /// The database that contains the zone: for a shared database, the private one of the owner.
    public var database: DatabaseID
    /// The zone, without an owner.
    public var zone: ZoneID
  }

  /// Returns the location of a zone that a call to this database names.
  ///
  /// - Parameters:
  ///   - zone: The zone, with an owner in the shared database.
  ///   - user: The caller.
  /// - Returns: The zone's location; the zone need not exist.
  /// - Throws: `invalidArguments` for an invalid owner.
  public func location(of zone: ZoneID, for user: String) throws(ItemError) -> ZoneLocation {
    guard scope == .shared else {
      return ZoneLocation(database: self, zone: try own(zone, of: user))
    }
    let name = Identifier.shown(zone.zoneName)
    guard !zone.ownerName.isEmpty else {
      throw ItemError(
        .invalidArguments,
        "zone \(name) names no owner: in the shared database name whose zone it is (owner_name)"
      )
    }
    guard zone.ownerName != user, zone.ownerName != CurrentUser.name else {
      throw ItemError(
        .invalidArguments,
        "zone \(name) is your own: use the private database; the shared one has the zones of others"
      )
    }
    if let problem = Identifier.problem(inUserName: zone.ownerName) {
      throw ItemError(.invalidArguments, "zone \(name), its owner: \(problem)")
    }
    let owners = DatabaseID(
      container: container,
      environment: environment,
      scope: .private,
      owner: zone.ownerName
    )
    return ZoneLocation(database: owners, zone: ZoneID(zoneName: zone.zoneName))
  }

  /// The zone without the owner; the caller's own name is the same as none.
  private func own(_ zone: ZoneID, of user: String) throws(ItemError) -> ZoneID {
    if zone.ownerName.isEmpty { return zone }
    guard !user.isEmpty, zone.ownerName == user || zone.ownerName == CurrentUser.name else {
      throw ItemError(
        .invalidArguments,
        "zone \(Identifier.shown(zone.zoneName)) names the owner "
          + "\(Identifier.shown(zone.ownerName)): zones of others are in the shared database; leave "
          + "the owner out in this one"
      )
    }
    return ZoneID(zoneName: zone.zoneName)
  }
}

extension Record {
  /// The record as it is stored in the database of its zone, without owner names.
  ///
  /// - Parameters:
  ///   - location: The location of its zone.
  ///   - user: The caller.
  /// - Returns: The record. References without an owner, or with the owner of the record's zone, are
  ///   references within the record's database. What refers to whoever calls refers to the caller's record.
  /// - Throws: `invalidArguments` for a reference to another database; `notAuthenticated` for one to the caller in a
  ///   call without a user.
  public func settled(
    at location: DatabaseID.ZoneLocation,
    for user: String
  ) throws(ItemError) -> Record {
    guard isUnsettled else { return self }
    let owner = location.database.scope == .public ? user : location.database.owner
    var settled = self
    settled.recordID.zoneID = location.zone
    if let parent { settled.parent = try self.settled(parent, owner, user) }
    for field in fields.compound {
      switch field.value {
      case .reference(let reference) where reference.isUnsettled:
        settled.fields[field.name] = .reference(try self.settled(reference, owner, user))
      case .referenceList(let references) where references.contains(where: \.isUnsettled):
        settled.fields[field.name] = .referenceList(
          try references.map { (reference) throws(ItemError) in
            try self.settled(reference, owner, user)
          }
        )
      default: break
      }
    }
    return settled
  }

  private var isUnsettled: Bool {
    !recordID.zoneID.ownerName.isEmpty || parent?.isUnsettled == true
      || fields.compound.contains { field in
        switch field.value {
        case .reference(let reference): reference.isUnsettled
        case .referenceList(let references): references.contains(where: \.isUnsettled)
        default: false
        }
      }
  }

  private func settled(
    _ reference: Reference,
    _ owner: String,
    _ user: String
  ) throws(ItemError) -> Reference {
    let reference = try reference.resolved(for: user)
    let target = reference.recordID
    guard !target.zoneID.ownerName.isEmpty else { return reference }
    guard target.zoneID.ownerName == owner else {
      throw ItemError(
        .invalidArguments,
        "record \(Identifier.shown(recordID.recordName)): the reference to "
          + "\(Identifier.shown(target.recordName)) names another owner "
          + "(\(Identifier.shown(target.zoneID.ownerName))): a reference stays in its database"
      )
    }
    return reference.withoutOwner
  }
}

extension Reference {
  /// Whether it names the owner of its target's zone, or whoever calls.
  fileprivate var isUnsettled: Bool { !recordID.zoneID.ownerName.isEmpty || namesCurrentUser }

  /// Whether its target is the record of whoever calls.
  var namesCurrentUser: Bool { recordID.recordName == CurrentUser.name }

  /// The same, with the caller's name where whoever calls is named.
  fileprivate func resolved(for user: String) throws(ItemError) -> Reference {
    var resolved = self
    if recordID.zoneID.ownerName == CurrentUser.name { resolved.recordID.zoneID.ownerName = user }
    guard namesCurrentUser else { return resolved }
    guard !user.isEmpty else { throw ItemError(.notAuthenticated, CurrentUser.absence) }
    resolved.recordID.recordName = user
    return resolved
  }

  /// The reference within the target's database.
  var withoutOwner: Reference {
    var reference = self
    reference.recordID.zoneID.ownerName = ""
    return reference
  }
}

extension FieldValue {
  /// The value within its database, with references without owners.
  package var withoutOwners: FieldValue {
    switch self {
    case .reference(let reference): .reference(reference.withoutOwner)
    case .referenceList(let references): .referenceList(references.map(\.withoutOwner))
    default: self
    }
  }
}
