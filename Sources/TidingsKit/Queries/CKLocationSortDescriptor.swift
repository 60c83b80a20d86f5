public import Foundation
internal import TidingsProto

/// Sorts records by the distance of a field's place from another, nearest first.
open class CKLocationSortDescriptor: NSSortDescriptor {
  /// From where distances are measured.
  public let relativeLocation: CLLocation

  /// Sorts by a field that holds a location.
  public init(key: String, relativeLocation: CLLocation) {
    self.relativeLocation = relativeLocation
    super.init(keyPath: \FieldNames[key], ascending: true)
  }

  /// Not supported: archive the query.
  public required init?(coder: NSCoder) { nil }
}

extension NSSortDescriptor {
  /// The order as it is sent.
  ///
  /// - Throws: `CKError.invalidArguments` for one that sorts by a property, which no server can.
  func wire() throws -> TidingsV1.SortDescriptor {
    guard let key, !key.isEmpty else {
      throw CKError(
        .invalidArguments,
        "a sort descriptor names no field: make it with NSSortDescriptor(key:ascending:)"
      )
    }
    return TidingsV1.SortDescriptor(
      fieldName: key == "recordID" ? CKRecord.SystemFieldKey.recordID : key,
      descending: !ascending,
      relativeLocation: (self as? CKLocationSortDescriptor)?.relativeLocation.wire
    )
  }

  /// The order that was sent.
  static func from(_ descriptor: TidingsV1.SortDescriptor) -> NSSortDescriptor {
    guard let location = descriptor.relativeLocation else {
      return NSSortDescriptor(key: descriptor.fieldName, ascending: !descriptor.descending)
    }
    return CKLocationSortDescriptor(
      key: descriptor.fieldName,
      relativeLocation: CLLocation(location)
    )
  }
}
