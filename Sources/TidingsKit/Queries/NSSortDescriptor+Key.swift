public import Foundation

/// Stands in for the key paths by name that Foundation does not have here.
struct FieldNames {
  subscript(name: String) -> String { name }
}

extension NSSortDescriptor {
  /// Sorts by a field of records.
  public convenience init(key: String?, ascending: Bool) {
    self.init(keyPath: \FieldNames[key ?? ""], ascending: ascending)
  }

  /// The field by which it sorts; `nil` for one that sorts by a property.
  public var key: String? {
    (keyPath as? KeyPath<FieldNames, String>).map { FieldNames()[keyPath: $0] }
  }
}
