/// A version of a record.
package struct Version: Hashable, Sendable, CustomStringConvertible {
  /// The record.
  package var name: String
  /// What it contains, another value with each save of a run; `nil`: there is no record.
  package var value: Int64?
  /// The change tag; empty: not known.
  package var tag: String

  package init(_ name: String, _ value: Int64? = nil, tag: String = "") {
    self.name = name
    self.value = value
    self.tag = tag
  }

  /// The number that the change tag stands for, which ascends in a zone; `nil`: there is no tag.
  package var tagNumber: Int64? { Int64(tag, radix: 36) }

  package var description: String {
    name + (value.map { "=\($0)" } ?? " absent") + (tag.isEmpty ? "" : "@\(tag)")
  }
}
