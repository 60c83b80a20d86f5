internal import TidingsModel

/// Computes whether a user may access records of a type in the public database, and why.
///
/// The same computation as the server's: docs/authorization.md.
struct GrantCheck: Hashable, Sendable {
  /// The operation.
  enum Operation: String, CaseIterable, Sendable {
    case read
    case create
    case write
    case delete
    case subscribe

    /// The required permissions; a subscription requires reading.
    fileprivate var rights: Schema.Rights {
      switch self {
      case .read, .subscribe: .read
      case .create: .create
      case .write, .delete: [.read, .write]
      }
    }
  }

  /// The records to which access is granted.
  enum Verdict: String, Sendable {
    case all
    case own
    case none
  }

  let verdict: Verdict
  /// The reasons, one sentence each.
  let reasons: [String]

  /// Computes what a type grants.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - type: The record type.
  ///   - text: The schema, in the schema language.
  ///   - roles: The user's roles; `nil`: a guest, who has no account.
  ///   - container: The container's name, for roles of one container.
  /// - Throws: `LocalFailure` for an invalid schema.
  init(
    _ operation: Operation,
    on type: String,
    schema text: String,
    roles: [String]?,
    container: String
  ) throws(LocalFailure) {
    let schema: Schema
    do {
      schema = try Schema(text: text)
    } catch {
      throw LocalFailure("invalid schema from the server, \(error)")
    }
    let known = schema.recordTypes[type]
    let grants = Schema.effectiveGrants(known?.grants, of: type)
    var held: [(role: String, why: String)] = [("_world", "anyone")]
    if let roles {
      held.append(("_icloud", "every user"))
      for role in schema.roles.sorted() {
        if roles.contains(role) { held.append((role, "assigned in all containers")) }
        if roles.contains("\(container)/\(role)") {
          held.append((role, "assigned as \(container)/\(role)"))
        }
      }
    }
    var reasons: [String] = []
    if type == UserRecord.recordType {
      reasons.append("users may create and write only their own record of this type")
    } else if known == nil {
      reasons.append("the schema does not have '\(type)' yet: these are the grants of a new type")
    }
    if roles == nil, operation != .read {
      (verdict, self.reasons) = (.none, reasons + ["guests may only read"])
      return
    }
    if type == UserRecord.recordType, operation == .delete || operation == .subscribe {
      let what = operation == .delete ? "deleted" : "watched"
      (verdict, self.reasons) = (.none, ["user records cannot be \(what)"])
      return
    }
    let needed = operation.rights
    var sum: Schema.Rights = []
    for (role, why) in held {
      guard let rights = grants[role], !rights.isDisjoint(with: needed) else { continue }
      sum.formUnion(rights)
      reasons.append("\"\(role)\" (\(why)) is granted \(rights.text)")
    }
    if sum.isSuperset(of: needed) {
      (verdict, self.reasons) = (.all, reasons)
      return
    }
    let own = sum.union(roles == nil ? [] : grants["_creator"] ?? [])
    if own.isSuperset(of: needed), operation != .create {
      reasons.append(
        "\"_creator\" (of records that the user created) is granted \((grants["_creator"] ?? []).text)"
      )
      (verdict, self.reasons) = (.own, reasons)
      return
    }
    reasons.append(
      "\(needed.subtracting(operation == .create ? sum : own).text) is not granted to the user"
    )
    let others = grants.filter { role, rights in
      !held.contains { $0.role == role } && !rights.isDisjoint(with: needed) && role != "_creator"
    }
    for (role, rights) in others.sorted(by: { $0.key < $1.key }) {
      reasons.append("\"\(role)\", which is not assigned to the user, is granted \(rights.text)")
    }
    (verdict, self.reasons) = (.none, reasons)
  }
}

/// The grants and roles of a schema.
enum SchemaGrants {
  /// One grant.
  struct Grant: Hashable, Sendable {
    let type: String
    let role: String
    let rights: String
  }

  /// Parses the grants of a schema, by type and role, and the roles that it creates.
  static func read(_ text: String) throws(LocalFailure) -> (grants: [Grant], roles: [String]) {
    do {
      let schema = try Schema(text: text)
      let grants = schema.recordTypes.sorted { $0.key < $1.key }.flatMap { name, type in
        type.grants.sorted { $0.key < $1.key }.map {
          Grant(type: name, role: $0.key, rights: $0.value.text)
        }
      }
      return (grants, schema.roles.sorted())
    } catch {
      throw LocalFailure("invalid schema from the server, \(error)")
    }
  }
}
