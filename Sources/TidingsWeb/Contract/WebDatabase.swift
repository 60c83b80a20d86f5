package import TidingsProto

/// Where a request goes: `/database/1/CONTAINER/ENVIRONMENT/SCOPE`.
package struct WebDatabase: Hashable, Sendable {
  package var container: String
  package var environment: TidingsV1.Environment
  package var scope: TidingsV1.DatabaseScope
  /// The caller, whose zones in the private database are named so; `nil`: nobody has signed in.
  package var user: String?

  package init(
    container: String,
    environment: TidingsV1.Environment,
    scope: TidingsV1.DatabaseScope,
    user: String? = nil
  ) {
    (self.container, self.environment, self.scope) = (container, environment, scope)
    self.user = user
  }

  /// The same, for a caller.
  package func named(by user: String?) -> Self {
    var database = self
    database.user = user
    return database
  }

  /// The database for the server.
  package var id: TidingsV1.DatabaseID {
    .init(container: container, environment: environment, scope: scope)
  }
}

extension TidingsV1.Environment {
  /// From a path.
  package init?(webName: Substring) {
    switch webName.lowercased() {
    case "development": self = .development
    case "production": self = .production
    default: return nil
    }
  }

  package var webName: String { self == .production ? "production" : "development" }
}

extension TidingsV1.DatabaseScope {
  /// From a path.
  package init?(webName: Substring) {
    switch webName {
    case "public": self = .public
    case "private": self = .private
    case "shared": self = .shared
    default: return nil
    }
  }

  package var webName: String {
    switch self {
    case .public: "public"
    case .shared: "shared"
    default: "private"
    }
  }
}
