public import TidingsEncryption
public import TidingsProto
public import TidingsRPC

extension Client {
  /// What seals the fields of this client's records and opens them.
  ///
  /// Values are bound to the user in whose private database they are: when the configuration names
  /// nobody, the server is asked who this is.
  ///
  /// - Parameters:
  ///   - keyRing: The keys.
  ///   - database: The database; `nil`: the private one of the client's container.
  /// - Returns: The sealer.
  /// - Throws: `RPCError` of the call, if one is needed.
  public func fieldSealer(
    _ keyRing: KeyRing,
    in database: TidingsV1.DatabaseID? = nil
  ) async throws(RPCError) -> FieldSealer {
    FieldSealer(keyRing, database: database ?? privateDatabase, user: try await sealingUser())
  }

  /// What seals the fields of this client's records and opens them, with the key ring of a user who names
  /// none.
  ///
  /// - Parameters:
  ///   - keyRing: The ring, mostly `.standard()`.
  ///   - database: The database; `nil`: the private one of the client's container.
  /// - Returns: The sealer; the first value that it seals makes the ring, if it is not there.
  /// - Throws: `RPCError` of the call, if one is needed.
  public func fieldSealer(
    _ keyRing: DefaultKeyRing,
    in database: TidingsV1.DatabaseID? = nil
  ) async throws(RPCError) -> FieldSealer {
    FieldSealer(keyRing, database: database ?? privateDatabase, user: try await sealingUser())
  }

  private func sealingUser() async throws(RPCError) -> String {
    guard configuration.user.isEmpty else { return configuration.user }
    return try await TidingsV1.AccountService.Client(transport)
      .fetchUserRecordID(.init(container: configuration.container)).userRecordName
  }
}
