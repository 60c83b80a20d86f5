/// One difference between two schemas.
public enum SchemaChange: Hashable, Sendable {
  /// A role is there or not.
  case role(String, isAdded: Bool)
  /// A record type is there or not; what it holds has changes of its own.
  case recordType(String, isAdded: Bool)
  /// A field is there, not there, or declared in another way.
  case field(String, of: String, before: Schema.Field?, after: Schema.Field?)
  /// A role has other rights.
  case grant(to: String, on: String, before: Schema.Rights, after: Schema.Rights)

  /// What is different.
  ///
  /// The numbers are the wire's.
  public enum Kind: Int32, Hashable, Sendable {
    case added = 1
    case removed = 2
    case changed = 3
  }

  /// What is different about it.
  public var kind: Kind {
    switch self {
    case .role(_, let isAdded), .recordType(_, let isAdded): isAdded ? .added : .removed
    case .field(_, _, let before, let after):
      before == nil ? .added : after == nil ? .removed : .changed
    case .grant(_, _, let before, let after):
      before.isEmpty ? .added : after.isEmpty ? .removed : .changed
    }
  }

  /// What it is, for people: `House.price`, `House`, `ROLE editor`, `House GRANT TO "_world"`.
  public var subject: String {
    switch self {
    case .role(let name, _): "ROLE \(name)"
    case .recordType(let name, _): name
    case .field(let name, let type, _, _): "\(type).\(name)"
    case .grant(let role, let type, _, _): "\(type) GRANT TO \"\(role)\""
    }
  }

  /// How it was, in the schema language; empty for what is new.
  public var before: String {
    switch self {
    case .role(let name, let isAdded): isAdded ? "" : Self.text(ofRole: name)
    case .recordType(let name, let isAdded): isAdded ? "" : Self.text(ofType: name)
    case .field(_, _, let before, _): before?.text ?? ""
    case .grant(let role, _, let before, _): Self.text(of: before, to: role)
    }
  }

  /// How it is, in the schema language; empty for what is no longer there.
  public var after: String {
    switch self {
    case .role(let name, let isAdded): isAdded ? Self.text(ofRole: name) : ""
    case .recordType(let name, let isAdded): isAdded ? Self.text(ofType: name) : ""
    case .field(_, _, _, let after): after?.text ?? ""
    case .grant(let role, _, _, let after): Self.text(of: after, to: role)
    }
  }

  private static func text(ofRole name: String) -> String { "CREATE ROLE \(quoted(name))" }
  private static func text(ofType name: String) -> String { "RECORD TYPE \(quoted(name))" }
  private static func text(of rights: Schema.Rights, to role: String) -> String {
    rights.isEmpty ? "" : "GRANT \(rights.text) TO \"\(role)\""
  }
}

extension Schema {
  /// Returns this schema with changes made to it.
  public func applying(_ changes: [SchemaChange]) -> Schema {
    var schema = self
    for change in changes {
      switch change {
      case .role(let name, true): schema.roles.insert(name)
      case .role(let name, false): schema.roles.remove(name)
      case .recordType(let name, true): schema.recordTypes[name] = RecordType()
      case .recordType(let name, false): schema.recordTypes[name] = nil
      case .field(let name, let type, _, let after):
        schema.recordTypes[type]?.fields[name] = after
      case .grant(let role, let type, _, let after):
        schema.recordTypes[type]?.grants[role] = after.isEmpty ? nil : after
      }
    }
    return schema
  }
}
