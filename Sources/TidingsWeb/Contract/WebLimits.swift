/// Bounds of CloudKit Web Services' contract.
package enum WebLimits {
  /// Operations of a request, records of an answer, upload tokens.
  package static let itemsMax = 200
  /// Bytes of a request that is not the content of an asset.
  package static let bodyBytesMax = 8 << 20
  /// Values of JSON in a request, each member and element one: they take more memory than their text.
  package static let valuesMax = 500_000
  /// Bytes of an asset.
  package static let assetBytesMax = 50 << 20
  /// How long an upload URL is valid, in seconds.
  package static let uploadSeconds = 15 * 60
  /// How long a download URL is valid, in seconds.
  package static let downloadSeconds = 60 * 60
}
