internal import TidingsClient
internal import TidingsProto

extension CKOperation {
  /// Looks up users, each with its result, in order.
  func lookUp(
    _ infos: [CKUserIdentity.LookupInfo]
  ) async throws -> [(CKUserIdentity.LookupInfo, Result<TidingsV1.User, CKError>)] {
    var found: [(CKUserIdentity.LookupInfo, Result<TidingsV1.User, CKError>)] = []
    let settings = usedContainer.link.settings
    for start in stride(from: 0, to: infos.count, by: RecordModification.itemsPerCallMax) {
      let part = infos[start..<min(start + RecordModification.itemsPerCallMax, infos.count)]
      let request = TidingsV1.FetchUsersRequest(
        container: settings.container,
        environment: settings.isProduction ? .production : .development,
        lookups: part.map(\.wire)
      )
      let answer = try await callContainer { (client, options) in
        try await TidingsV1.AccountService.Client(client.transport)
          .fetchUsers(request, options: options)
      }
      for (index, info) in part.enumerated() {
        let result = index < answer.results.count ? answer.results[index] : nil
        switch result?.outcome {
        case .user(let user)?: found.append((info, .success(user)))
        case .error(let error)?: found.append((info, .failure(CKError(error))))
        case nil:
          let missing = CKError(.internalError, "the server's answer does not include this user")
          found.append((info, .failure(missing)))
        }
      }
    }
    return found
  }
}

extension CKUserIdentityLookupInfo {
  fileprivate var wire: TidingsV1.UserLookup {
    if let name = userRecordID?.recordName { return .init(key: .userRecordName(name)) }
    if let emailAddress { return .init(key: .emailAddress(emailAddress)) }
    return .init(key: .phoneNumber(phoneNumber ?? ""))
  }
}
