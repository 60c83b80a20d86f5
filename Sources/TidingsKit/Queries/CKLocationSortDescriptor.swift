public import Foundation
internal import TidingsProto

/// Sorts records by the distance of a field's place from another, nearest first.
open class CKLocationSortDescriptor: NSSortDescriptor, NSSecureCoding {
  /// From where distances are measured.
  public let relativeLocation: CLLocation

  /// Sorts by a field that holds a location.
  public init(key: String, relativeLocation: CLLocation) {
    self.relativeLocation = relativeLocation
    super.init(keyPath: \FieldNames[key], ascending: true)
  }

  /// Sort descriptors by distance can be archived securely; Foundation's others are archived with a query.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the field and the place.
  open func encode(with coder: NSCoder) {
    coder.encode(key.map { NSString(string: $0) }, forKey: "key")
    coder.encode(relativeLocation, forKey: "relativeLocation")
  }

  /// Reads what `encode(with:)` wrote.
  public required init?(coder: NSCoder) {
    guard let key = coder.object(of: NSString.self, forKey: "key"),
      let location = coder.object(of: CLLocation.self, forKey: "relativeLocation")
    else { return nil }
    relativeLocation = location
    super.init(keyPath: \FieldNames[String(describing: key)], ascending: true)
  }
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
