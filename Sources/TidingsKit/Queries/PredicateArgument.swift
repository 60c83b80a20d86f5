internal import Foundation
internal import TidingsProto

/// A value that a predicate compares with.
struct PredicateArgument {
  let wire: TidingsV1.FieldValue

  /// A value of a field, a record or its id, or a list.
  ///
  /// - Parameters:
  ///   - argument: What the program gave.
  ///   - context: Which argument it is, for errors.
  /// - Throws: `CKError.invalidArguments` for what fields cannot be compared with.
  init(_ argument: Any, _ context: String) throws {
    if let value = argument as? TidingsV1.FieldValue {
      wire = value
      return
    }
    switch try Self.content(argument, context).kind {
    case .value(let value): wire = .init(value: value.withZones.withinYears)
    case .asset, .assets:
      throw CKError(.invalidArguments, "\(context) is an asset, and assets cannot be compared")
    case .unusable(let reason): throw CKError(.invalidArguments, "\(context): \(reason)")
    }
  }

  private static func content(_ argument: Any, _ context: String) throws -> CKRecordContent {
    switch argument {
    case let record as CKRecord: return reference(record.recordID)
    case let id as CKRecord.ID: return reference(id)
    case let text as Substring: return String(text).recordContent
    case let value as any CKRecordValueProtocol where !(value is NSArray):
      return value.recordContent
    case let list as [Any]: return .init(list: try list.map { try content($0, context) })
    case let set as Set<AnyHashable>:
      return .init(list: try set.map { try content($0.base, context) })
    case let optional as any OptionalValue:
      if let value = optional.wrapped { return try content(value, context) }
      throw absence(context)
    case is NSNull: throw absence(context)
    default:
      throw CKError(
        .invalidArguments,
        "\(context) is of type \(type(of: argument)), and no field holds that: use text, a number, a "
          + "date, data, a location, a record, its id, a reference, or a list of them"
      )
    }
  }

  private static func reference(_ id: CKRecord.ID) -> CKRecordContent {
    CKRecord.Reference(recordID: id, action: .none).recordContent
  }

  private static func absence(_ context: String) -> CKError {
    CKError(
      .invalidArguments,
      "\(context) is nil, and a comparison with an absent field is false: save a value that "
        + "represents it, and compare with that"
    )
  }
}

extension TidingsV1.FieldValue.Value {
  /// References that name the default zone: one that names none would mean the zone of the query.
  fileprivate var withZones: Self {
    switch self {
    case .referenceValue(let reference): .referenceValue(reference.withZone)
    case .referenceListValue(let list):
      .referenceListValue(.init(values: list.values.map(\.withZone)))
    default: self
    }
  }
}

extension TidingsV1.FieldValue.Value {
  /// Times within the years 1 to 9999, between which all times of records are: what is later than `Date.distantPast` is later
  /// than the year 1.
  fileprivate var withinYears: Self {
    switch self {
    case .timestampValue(let time): .timestampValue(time.withinYears)
    case .timestampListValue(let list):
      .timestampListValue(.init(values: list.values.map(\.withinYears)))
    default: self
    }
  }
}

extension GoogleProtobuf.Timestamp {
  fileprivate var withinYears: Self {
    if seconds < -62_135_596_800 { return .init(seconds: -62_135_596_800) }
    if seconds > 253_402_300_799 { return .init(seconds: 253_402_300_799, nanos: 999_999_999) }
    return self
  }
}

extension TidingsV1.Reference {
  fileprivate var withZone: Self {
    var reference = self
    let zone = recordID?.zoneID ?? .init()
    guard zone.zoneName.isEmpty else { return reference }
    reference.recordID?.zoneID = .init(
      zoneName: CKRecordZone.ID.defaultZoneName,
      ownerName: zone.ownerName
    )
    return reference
  }
}

/// Optionals within `Any`.
private protocol OptionalValue {
  var wrapped: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var wrapped: Any? { self }
}
