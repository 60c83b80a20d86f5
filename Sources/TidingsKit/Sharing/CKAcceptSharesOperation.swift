internal import Foundation
internal import TidingsClient
internal import TidingsProto

/// Joins shares: what is shared appears in the user's shared database.
open class CKAcceptSharesOperation: CKOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// The shares, as `CKFetchShareMetadataOperation` found them.
  open var shareMetadatas: [CKShare.Metadata]?

  /// Called for each share.
  open var perShareCompletionBlock: ((CKShare.Metadata, CKShare?, (any Error)?) -> Void)?
  /// Called for each share.
  open var perShareResultBlock: ((CKShare.Metadata, Result<CKShare, any Error>) -> Void)?
  /// Called at the end.
  open var acceptSharesCompletionBlock: (((any Error)?) -> Void)?
  /// Called at the end.
  open var acceptSharesResultBlock: ((Result<Void, any Error>) -> Void)?

  /// An operation to be set up.
  public override init() { super.init() }

  /// An operation that joins shares.
  public convenience init(shareMetadatas: [CKShare.Metadata]) {
    self.init()
    self.shareMetadatas = shareMetadatas
  }

  override func perform() async {
    await finishItems {
      try await accept()
    } _: { [self] error in
      acceptSharesCompletionBlock?(error)
      acceptSharesResultBlock?(error.map { .failure($0) } ?? .success(()))
    }
  }

  private func accept() async throws -> CKError? {
    let (shares, container) = (shareMetadatas ?? [], usedContainer)
    var failed: [CKError.PartialError] = []
    for start in stride(from: 0, to: shares.count, by: RecordModification.itemsPerCallMax) {
      let part = shares[start..<min(start + RecordModification.itemsPerCallMax, shares.count)]
      let urls = part.map { $0.share.url?.absoluteString ?? "" }
      let answer = try await callContainer { (client, options) in
        try await TidingsV1.ShareService.Client(client.transport)
          .acceptShares(.init(urls: urls), options: options)
      }
      for (index, metadata) in part.enumerated() {
        let result = index < answer.results.count ? answer.results[index] : nil
        let outcome = await container.metadata(result).map(\.share)
        if let error = outcome.failure {
          let item = metadata.share.url.map { CKError.ItemID.url($0) }
          failed.append(.init(id: item ?? .record(metadata.share.recordID), error: error))
        }
        deliver { [self] in
          perShareCompletionBlock?(metadata, outcome.success, outcome.failure)
          perShareResultBlock?(metadata, outcome.mapError { $0 })
        }
      }
    }
    return .partial(failed)
  }
}
