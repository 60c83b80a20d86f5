package import TidingsJSON
package import TidingsProto

/// What clients learn of an asset's content.
package enum WebAssets {
  /// The answer to an upload, which a field's value repeats.
  package static func answer(_ asset: TidingsV1.Asset) -> JSONObject {
    AssetDictionary.members(asset)
  }
}
