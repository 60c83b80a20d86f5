public import Foundation
internal import TidingsProto
internal import TidingsProtobuf

/// Asks for the records of a type that match a condition, in an order.
open class CKQuery: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  // `sortDescriptors` is set before the query is used; predicates and descriptors do not change.

  /// The kind of records.
  public let recordType: CKRecord.RecordType
  /// What they must match.
  public let predicate: NSPredicate
  /// Their order, first key first; `nil`: none in particular.
  open var sortDescriptors: [NSSortDescriptor]?

  /// A query.
  ///
  /// - Parameters:
  ///   - recordType: The kind of records.
  ///   - predicate: Made with `NSPredicate(format:)`, `NSPredicate(value:)` or `NSCompoundPredicate`; another one
  ///     fails with `CKError.invalidArguments` when the query is run.
  public init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
    self.recordType = recordType
    self.predicate = predicate
    super.init()
  }

  /// A query with the same conditions.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = CKQuery(recordType: recordType, predicate: predicate)
    copy.sortDescriptors = sortDescriptors
    return copy
  }

  /// The question as it is sent.
  ///
  /// - Throws: `CKError.invalidArguments` for what no server can evaluate.
  func wire(in database: CKDatabase) throws -> TidingsV1.QueryRecordsRequest {
    TidingsV1.QueryRecordsRequest(
      databaseID: database.databaseID,
      recordType: recordType,
      predicate: try predicate.wire(),
      sortDescriptors: try (sortDescriptors ?? []).map { try $0.wire() }
    )
  }

  /// Queries can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the conditions; of a predicate that cannot be sent nothing, so that reading fails.
  open func encode(with coder: NSCoder) {
    guard let predicate = try? predicate.wire(),
      let descriptors = try? sortDescriptors?.map({ try $0.wire() }) ?? []
    else { return }
    let request = TidingsV1.QueryRecordsRequest(
      recordType: recordType,
      predicate: predicate,
      sortDescriptors: descriptors
    )
    coder.encode(Data(request.encoded()) as NSData, forKey: "query")
    coder.encode(sortDescriptors != nil, forKey: "isSorted")
  }

  /// Reads what `encode(with:)` wrote.
  public required init?(coder: NSCoder) {
    guard let data = coder.object(of: NSData.self, forKey: "query"),
      let request = try? TidingsV1.QueryRecordsRequest(
        decoding: Array(Data(referencing: data))
      )
    else { return nil }
    recordType = request.recordType
    predicate = NSPredicate.from(request.predicate ?? .init(text: "TRUEPREDICATE"))
    if coder.decodeBool(forKey: "isSorted") {
      sortDescriptors = request.sortDescriptors.map { NSSortDescriptor.from($0) }
    }
    super.init()
  }
}

extension NSPredicate {
  /// The condition that was sent.
  static func from(_ predicate: TidingsV1.Predicate) -> NSPredicate {
    NSPredicate(format: predicate.text, argumentArray: predicate.arguments)
  }
}
