internal import TidingsModel

/// A reference that means something when its target is deleted; the target is in the source's zone.
struct BindingReference: Hashable {
  /// How it binds.
  ///
  /// The numbers are the store's.
  enum Kind: Int64 {
    /// The source is deleted with the target.
    case deleteSelf = 1
    /// The target stays while the source does.
    case validate = 2
    /// The same, for the record's parent.
    case parent = 3
  }

  var kind: Kind
  /// The target's record name.
  var target: String
}

/// A record that refers to another one in its zone.
struct ReferenceSource: Hashable {
  var kind: BindingReference.Kind
  /// The source's record name.
  var name: String
}

extension Record {
  /// The references that bind, each once, in the order of the fields, the parent last.
  var bindingReferences: [BindingReference] {
    var found: [BindingReference] = []
    for field in fields.compound {
      switch field.value {
      case .reference(let reference): reference.binding.map { found.append($0) }
      case .referenceList(let references): found += references.lazy.compactMap(\.binding)
      default: break
      }
    }
    if let parent {
      found.append(BindingReference(kind: .parent, target: parent.recordID.recordName))
    }
    // A share goes with the record that it shares.
    if let share, !share.isZoneWide {
      found.append(BindingReference(kind: .deleteSelf, target: share.rootRecordName))
    }
    guard found.count > 1 else { return found }
    var seen = Set<BindingReference>(minimumCapacity: found.count)
    return found.filter { seen.insert($0).inserted }
  }
}

extension Reference {
  fileprivate var binding: BindingReference? {
    let kind: BindingReference.Kind? =
      switch action {
      case .none: nil
      case .deleteSelf: .deleteSelf
      case .validate: .validate
      }
    return kind.map { BindingReference(kind: $0, target: recordID.recordName) }
  }
}
