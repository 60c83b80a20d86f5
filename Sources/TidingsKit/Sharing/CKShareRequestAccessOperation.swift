public import Foundation
internal import TidingsClient
internal import TidingsProto

/// Asks the owners of shares for access, for those who may not join.
open class CKShareRequestAccessOperation: CKOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// The URLs of the shares.
  open var shareURLs: [URL]?

  /// Called for each URL.
  open var perShareAccessRequestCompletionBlock: ((URL, (any Error)?) -> Void)?
  /// Called for each URL.
  open var perShareAccessRequestResultBlock: ((URL, Result<Void, any Error>) -> Void)?
  /// Called at the end.
  open var shareRequestAccessCompletionBlock: (((any Error)?) -> Void)?
  /// Called at the end.
  open var shareAccessRequestResultBlock: ((Result<Void, any Error>) -> Void)?

  /// An operation to be set up.
  public override init() { super.init() }

  /// An operation that asks for access to shares.
  public convenience init(shareURLs: [URL]) {
    self.init()
    self.shareURLs = shareURLs
  }

  override func perform() async {
    await finishItems {
      try await request()
    } _: { [self] error in
      shareRequestAccessCompletionBlock?(error)
      shareAccessRequestResultBlock?(error.map { .failure($0) } ?? .success(()))
    }
  }

  private func request() async throws -> CKError? {
    let urls = shareURLs ?? []
    var failed: [CKError.PartialError] = []
    for start in stride(from: 0, to: urls.count, by: RecordModification.itemsPerCallMax) {
      let part = urls[start..<min(start + RecordModification.itemsPerCallMax, urls.count)]
      let request = TidingsV1.RequestShareAccessRequest(urls: part.map(\.absoluteString))
      let answer = try await callContainer { (client, options) in
        try await TidingsV1.ShareService.Client(client.transport)
          .requestShareAccess(request, options: options)
      }
      for (index, url) in part.enumerated() {
        let error: CKError? =
          index < answer.results.count
          ? answer.results[index].error.map { CKError($0) }
          : CKError(.internalError, "the server's answer does not have the share")
        if let error { failed.append(.init(id: .url(url), error: error)) }
        deliver { [self] in
          perShareAccessRequestCompletionBlock?(url, error)
          perShareAccessRequestResultBlock?(url, error.map { .failure($0) } ?? .success(()))
        }
      }
    }
    return .partial(failed)
  }
}
