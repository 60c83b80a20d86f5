public import Foundation

/// A record that says with whom a hierarchy of records, or a whole zone, is shared.
open class CKShare: CKRecord, @unchecked Sendable {
  override init(_ contents: Contents) { super.init(contents) }

  /// Reads what `encode(with:)` wrote.
  public required init?(coder: NSCoder) { super.init(coder: coder) }
}
