public import Foundation
internal import TidingsClient
internal import TidingsProto

/// Fetches what is behind the URLs of shares, for those who may join.
open class CKFetchShareMetadataOperation: CKOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// The URLs.
  open var shareURLs: [URL]?
  /// Fetches the records that are shared too.
  open var shouldFetchRootRecord = false
  /// Which fields of these records; `nil`: all.
  open var rootRecordDesiredKeys: [CKRecord.FieldKey]?

  /// Called for each URL.
  open var perShareMetadataBlock: ((URL, CKShare.Metadata?, (any Error)?) -> Void)?
  /// Called for each URL.
  open var perShareMetadataResultBlock: ((URL, Result<CKShare.Metadata, any Error>) -> Void)?
  /// Called at the end.
  open var fetchShareMetadataCompletionBlock: (((any Error)?) -> Void)?
  /// Called at the end.
  open var fetchShareMetadataResultBlock: ((Result<Void, any Error>) -> Void)?

  /// An operation to be set up.
  public override init() { super.init() }

  /// An operation that looks up URLs.
  public convenience init(shareURLs: [URL]) {
    self.init()
    self.shareURLs = shareURLs
  }

  override func perform() async {
    await finishItems {
      try await fetch()
    } _: { [self] error in
      fetchShareMetadataCompletionBlock?(error)
      fetchShareMetadataResultBlock?(error.map { .failure($0) } ?? .success(()))
    }
  }

  private func fetch() async throws -> CKError? {
    let (urls, container) = (shareURLs ?? [], usedContainer)
    var failed: [CKError.PartialError] = []
    for start in stride(from: 0, to: urls.count, by: RecordModification.itemsPerCallMax) {
      let part = urls[start..<min(start + RecordModification.itemsPerCallMax, urls.count)]
      let request = TidingsV1.FetchShareMetadataRequest(
        urls: part.map(\.absoluteString),
        wantsRootRecord: shouldFetchRootRecord
      )
      let answer = try await callContainer { (client, options) in
        try await TidingsV1.ShareService.Client(client.transport)
          .fetchShareMetadata(request, options: options)
      }
      for (index, url) in part.enumerated() {
        let result = index < answer.results.count ? answer.results[index] : nil
        let outcome = await container.metadata(result, rootKeys: rootRecordDesiredKeys)
        if let error = outcome.failure {
          failed.append(.init(id: .url(url), error: error))
        }
        deliver { [self] in
          perShareMetadataBlock?(url, outcome.success, outcome.failure)
          perShareMetadataResultBlock?(url, outcome.mapError { $0 })
        }
      }
    }
    return .partial(failed)
  }
}

extension CKContainer {
  /// What became of one URL.
  func metadata(
    _ result: TidingsV1.ShareResult?,
    rootKeys: [CKRecord.FieldKey]? = nil
  ) async -> Result<CKShare.Metadata, CKError> {
    switch result?.outcome {
    case .metadata(let answer)?:
      do {
        return .success(try await metadata(answer, rootKeys: rootKeys))
      } catch {
        return .failure(CKError(wrapping: error))
      }
    case .error(let error)?: return .failure(CKError(error))
    case nil:
      return .failure(CKError(.internalError, "the server's answer does not include this share"))
    }
  }
}
