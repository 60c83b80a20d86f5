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
    var user = configuration.user
    if user.isEmpty {
      user = try await TidingsV1.AccountService.Client(transport)
        .fetchUserRecordID(.init(container: configuration.container)).userRecordName
    }
    return FieldSealer(keyRing, database: database ?? privateDatabase, user: user)
  }
}
