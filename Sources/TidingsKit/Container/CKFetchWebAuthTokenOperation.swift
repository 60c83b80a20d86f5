internal import Foundation
internal import TidingsClient
internal import TidingsProto

/// Begins a session of the user on the web, and fetches its token, with which web pages and requests act for the user.
///
/// The token lasts 30 minutes, unless it is renewed there.
open class CKFetchWebAuthTokenOperation: CKDatabaseOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// The API token of the container, 64 hexadecimal digits.
  open var apiToken: String?

  /// Called at the end.
  open var fetchWebAuthTokenCompletionBlock: ((String?, (any Error)?) -> Void)?
  /// Called at the end.
  open var fetchWebAuthTokenResultBlock: ((Result<String, any Error>) -> Void)?

  /// An operation to be set up.
  public override init() { super.init() }

  /// An operation that fetches a token for use with an API token.
  public convenience init(apiToken: String) {
    self.init()
    self.apiToken = apiToken
  }

  override func perform() async {
    let request = TidingsV1.IssueWebAuthTokenRequest(apiToken: apiToken ?? "")
    await finish {
      try await call { (client, options) in
        try await TidingsV1.AccountService.Client(client.transport)
          .issueWebAuthToken(request, options: options)
      }
      .webAuthToken
    } _: { [self] result in
      switch result {
      case .success(let token): fetchWebAuthTokenCompletionBlock?(token, nil)
      case .failure(let error): fetchWebAuthTokenCompletionBlock?(nil, error)
      }
      fetchWebAuthTokenResultBlock?(result)
    }
  }
}
