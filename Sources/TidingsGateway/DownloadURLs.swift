internal import Synchronization
internal import TidingsProto

/// The download URLs of one answer: each asset has one, however often the answer names it.
final class DownloadURLs: Sendable {
  private let make: @Sendable (TidingsV1.Asset) -> String
  private let known = Mutex<[TidingsV1.Asset: String]>([:])

  init(_ make: @escaping @Sendable (TidingsV1.Asset) -> String) { self.make = make }

  func url(of asset: TidingsV1.Asset) -> String {
    known.withLock { known in
      if let url = known[asset] { return url }
      let url = make(asset)
      known[asset] = url
      return url
    }
  }
}
