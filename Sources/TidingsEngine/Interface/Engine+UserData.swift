internal import TidingsModel

extension Engine {
  /// Some of what is stored for a user, in all containers and both environments.
  ///
  /// - Parameters:
  ///   - user: Whose.
  ///   - continuation: What the page before had; empty: from the beginning.
  /// - Returns: The page.
  /// - Throws: `ItemError` `invalidArguments`; `SQLError`.
  public func userData(of user: String, after continuation: [UInt8]) throws -> UserDataPage {
    var position = try UserDataPosition(continuation)
    var page = UserDataPage()
    var hasMore = false
    switch position.kind {
    case .account: try addAccount(of: user, to: &page)
    case .devices: hasMore = try addDevices(of: user, &position, to: &page)
    case .webTokens: hasMore = try addWebTokens(of: user, &position, to: &page)
    case .deliveryTargets: hasMore = try addDeliveryTargets(of: user, &position, to: &page)
    default:
      hasMore = try userDataReader.add(
        &position,
        of: user,
        to: &page,
        share: { try shareInfo(of: $0, for: user) },
        shares: sharing.reader
      )
    }
    page.continuation = (hasMore ? position : position.nextKind)?.encoded ?? []
    return page
  }

  private func addAccount(of user: String, to page: inout UserDataPage) throws {
    let account = try access.accounts.user(user) == nil ? nil : account(user)
    page.items.append(.init(database: nil, content: .account(name: user, account)))
    for usage in try usage(of: user) {
      page.items.append(.init(database: nil, content: .usage(usage)))
    }
  }

  private func addDevices(
    of user: String,
    _ position: inout UserDataPosition,
    to page: inout UserDataPage
  ) throws -> Bool {
    let limit = UserDataReader.rowsPerPage
    let found = try deviceNames(of: user, after: position.name, limit: limit)
    for device in found {
      page.items.append(
        .init(database: nil, content: .device(name: device.name, lastWrite: device.lastWrite))
      )
    }
    position.name = found.last?.name ?? ""
    return found.count == limit
  }

  private func addWebTokens(
    of user: String,
    _ position: inout UserDataPosition,
    to page: inout UserDataPage
  ) throws -> Bool {
    let found = try webTokens(
      after: position.number,
      kind: nil,
      user: user,
      limit: UserDataReader.rowsPerPage
    )
    for token in found.tokens {
      page.items.append(.init(database: nil, content: .webToken(token)))
      position.number = token.id
    }
    return found.moreComing
  }

  private func addDeliveryTargets(
    of user: String,
    _ position: inout UserDataPosition,
    to page: inout UserDataPage
  ) throws -> Bool {
    let found = try deliveries.changes.targets(
      of: user,
      after: position.number,
      limit: UserDataReader.rowsPerPage
    )
    for target in found.targets {
      let database = DatabaseID(
        container: target.inbox.container,
        environment: target.inbox.environment,
        scope: .private,
        owner: user
      )
      page.items.append(.init(database: database, content: .deliveryTarget(target)))
      position.number = target.id
    }
    return found.moreComing
  }
}
