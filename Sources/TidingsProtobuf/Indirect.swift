/// A value behind a reference: generated structs keep large messages, and messages that can contain
/// themselves, in one.
@frozen
public indirect enum Indirect<Value> {
  /// The value.
  case value(Value)

  /// A box of a value.
  @inlinable
  public init(_ value: Value) { self = .value(value) }

  /// The value in the box.
  @inlinable
  public var value: Value {
    switch self {
    case .value(let value): value
    }
  }
}

extension Indirect: Equatable where Value: Equatable {}
extension Indirect: Hashable where Value: Hashable {}
extension Indirect: Sendable where Value: Sendable {}
