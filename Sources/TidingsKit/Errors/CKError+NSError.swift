public import Foundation

// As on Apple's systems, an NSError of the domain and a CKError are the same error in two forms: each can
// be cast to the other.
extension CKError: _ObjectiveCBridgeable {
  /// An error with a code, and what else is known of it.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    let message = userInfo[NSLocalizedDescriptionKey] as? String
    let items = userInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: Any] ?? [:]
    var more = userInfo
    for key in Self.ownKeys { more[key] = nil }
    self.init(
      code,
      message ?? "",
      retryAfterSeconds: userInfo[CKErrorRetryAfterKey] as? Double,
      partialErrors: items.compactMap { (id, error) in
        (error as? CKError).map { .init(id: ItemID(id), error: $0) }
      },
      serverRecord: userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord,
      clientRecord: userInfo[CKRecordChangedErrorClientRecordKey] as? CKRecord,
      ancestorRecord: userInfo[CKRecordChangedErrorAncestorRecordKey] as? CKRecord,
      more: MoreUserInfo(more)
    )
  }

  /// The error in an NSError; `internalError` for one of another domain.
  public init(_nsError error: NSError) {
    let code = error.domain == CKErrorDomain ? Code(rawValue: error.code) : nil
    self.init(code ?? .internalError, userInfo: error.userInfo)
  }

  /// The same as an NSError.
  public var _nsError: NSError { _bridgeToObjectiveC() }

  private static let ownKeys = [
    NSLocalizedDescriptionKey, CKErrorRetryAfterKey, CKPartialErrorsByItemIDKey,
    CKRecordChangedErrorServerRecordKey, CKRecordChangedErrorClientRecordKey,
    CKRecordChangedErrorAncestorRecordKey,
  ]

  /// For casts.
  public func _bridgeToObjectiveC() -> NSError {
    NSError(domain: CKErrorDomain, code: errorCode, userInfo: errorUserInfo)
  }

  /// For casts.
  public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout CKError?) {
    result = CKError(_nsError: source)
  }

  /// For casts.
  public static func _conditionallyBridgeFromObjectiveC(
    _ source: NSError,
    result: inout CKError?
  ) -> Bool {
    guard source.domain == CKErrorDomain, Code(rawValue: source.code) != nil else { return false }
    result = CKError(_nsError: source)
    return true
  }

  /// For casts.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> CKError {
    source.map { CKError(_nsError: $0) } ?? CKError(.internalError)
  }
}

extension CKError.ItemID {
  fileprivate init(_ id: AnyHashable) {
    switch id.base {
    case let id as CKRecord.ID: self = .record(id)
    case let id as CKRecordZone.ID: self = .zone(id)
    case let url as URL: self = .url(url)
    case let info as CKUserIdentity.LookupInfo: self = .lookUp(info)
    default: self = .name("\(id)")
    }
  }
}

/// Values of an error's `userInfo` that this library does not know.
final class MoreUserInfo: Hashable, @unchecked Sendable {
  // Nobody changes the values any more.

  let values: [String: Any]

  init(_ values: [String: Any]) { self.values = values }

  static func == (one: MoreUserInfo, other: MoreUserInfo) -> Bool {
    one.values.isEmpty && other.values.isEmpty
      || NSDictionary(dictionary: one.values).isEqual(to: other.values)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(values.count) }
}
