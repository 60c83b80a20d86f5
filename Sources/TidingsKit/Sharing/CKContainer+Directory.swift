internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// What the user publishes in the container's directory; beyond CloudKit, which takes it from the system's settings.
extension CKContainer {
  /// What others find a user by, and what they see.
  public struct PublishedIdentity: Hashable, Sendable {
    /// What others see; empty: the display name of the account.
    public var displayName: String
    /// An e-mail address by which others find the user; `nil`: none.
    ///
    /// The server does not check whose it is.
    public var emailAddress: String?
    /// A phone number by which others find the user, with `+` and the country code; `nil`: none.
    public var phoneNumber: String?

    /// An identity from its parts.
    public init(displayName: String = "", emailAddress: String? = nil, phoneNumber: String? = nil) {
      self.displayName = displayName
      self.emailAddress = emailAddress
      self.phoneNumber = phoneNumber
    }
  }

  /// Puts the user into the container's directory, or replaces what is published there.
  ///
  /// - Throws: `CKError` `invalidArguments`; `serverRejectedRequest` when another user published the address or the
  ///   number.
  public func publishIdentity(_ identity: PublishedIdentity) async throws {
    try await publish(
      .init(
        displayName: identity.displayName,
        emailAddress: identity.emailAddress ?? "",
        phoneNumber: identity.phoneNumber ?? ""
      )
    )
  }

  /// Removes the user from the container's directory: others no longer find the user there.
  public func withdrawIdentity() async throws { try await publish(nil) }

  /// What the user published; `nil`: the user is not in the container's directory.
  public func publishedIdentity() async throws -> PublishedIdentity? {
    let request = TidingsV1.FetchDirectoryEntryRequest(
      container: link.settings.container,
      environment: environment
    )
    let answer = try await callAccounts { try await $0.fetchDirectoryEntry(request) }
    return answer.entry.map {
      PublishedIdentity(
        displayName: $0.displayName,
        emailAddress: $0.emailAddress.isEmpty ? nil : $0.emailAddress,
        phoneNumber: $0.phoneNumber.isEmpty ? nil : $0.phoneNumber
      )
    }
  }

  func publish(_ entry: TidingsV1.DirectoryEntry?) async throws {
    let request = TidingsV1.UpdateDirectoryEntryRequest(
      container: link.settings.container,
      environment: environment,
      entry: entry
    )
    _ = try await callAccounts { try await $0.updateDirectoryEntry(request) }
  }

  private var environment: TidingsV1.Environment {
    link.settings.isProduction ? .production : .development
  }

  private func callAccounts<Response: Sendable>(
    _ body: (TidingsV1.AccountService.Client) async throws -> Response
  ) async throws -> Response {
    try await link.learning { try await body(TidingsV1.AccountService.Client($0.transport)) }
  }
}
