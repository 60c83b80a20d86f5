internal import TidingsHTTP
internal import TidingsProto
internal import TidingsWeb

/// What a path asks for.
enum RequestPath: Hashable, Sendable {
  /// `/database/1/CONTAINER/ENVIRONMENT/SCOPE/ENTITY/ACTION`.
  case database(WebDatabase, endpoint: String)
  /// `/device/1/CONTAINER/ENVIRONMENT/tokens/create`, or `register`.
  case deviceToken(WebDatabase, register: Bool)
  /// `/assets/SEALED` or `/assets/SEALED/NAME`.
  case asset(sealed: String)
  /// `/courier/SEALED`.
  case courier(sealed: String)
  /// `/events/CONTAINER/ENVIRONMENT`.
  case events(WebDatabase)
  /// `/sign-in`, `/sign-in.js`, `/sign-in/begin` and `/sign-in/complete`.
  case signIn(String)
  /// `/` and the files below `/dashboard`.
  case dashboardFile(String)
  /// The requests of the dashboard, below `/dashboard`.
  case dashboard(DashboardRequests.Step)
  /// A file for pages, for example `/tidings.js`.
  case file(StaticFiles.File)
  case unknown

  /// Reads a path as it was sent.
  init(_ path: String) {
    let parts = Self.parts(of: path)
    switch parts.first {
    case "database"? where parts.count >= 7 && parts[1] == "1": self = Self.database(parts)
    case "device"? where parts.count == 6 && parts[1] == "1" && parts[4] == "tokens":
      self = Self.deviceToken(parts[2], parts[3], parts[5])
    case "assets"? where parts.count == 2 || parts.count == 3:
      self = .asset(sealed: String(parts[1]))
    case "courier"? where parts.count == 2: self = .courier(sealed: String(parts[1]))
    case "events"? where parts.count == 3:
      self = Self.database(parts[1], parts[2]).map { .events($0) } ?? .unknown
    case "sign-in"? where parts.count <= 2:
      self = .signIn(parts.count == 2 ? String(parts[1]) : "")
    case "sign-in.js"? where parts.count == 1: self = .signIn("script")
    case nil: self = path == "/" ? .dashboardFile(DashboardFiles.page) : .unknown
    case "dashboard"?:
      let rest = parts.dropFirst()
      if let step = DashboardRequests.Step(rest) {
        self = .dashboard(step)
      } else {
        self = rest.count == 1 ? .dashboardFile(String(parts[1])) : .unknown
      }
    case let name? where parts.count == 1:
      self = StaticFiles.File(rawValue: String(name)).map { .file($0) } ?? .unknown
    default: self = .unknown
    }
  }

  private static func database(_ parts: [Substring]) -> Self {
    guard let scope = TidingsV1.DatabaseScope(webName: parts[4]),
      var database = database(parts[2], parts[3])
    else { return .unknown }
    // The archive has device tokens here.
    if parts.count == 7, parts[5] == "tokens" {
      return deviceToken(parts[2], parts[3], parts[6])
    }
    database.scope = scope
    return .database(database, endpoint: endpoint(of: parts))
  }

  private static func endpoint(of parts: [Substring]) -> String {
    if parts.count == 7 { return "\(parts[5])/\(parts[6])" }
    return parts[5...].joined(separator: "/")
  }

  /// What is between slashes, without what is empty.
  ///
  /// By bytes, and in one array: every request comes by.
  private static func parts(of path: String) -> [Substring] {
    var parts: [Substring] = []
    parts.reserveCapacity(8)
    var rest = path.utf8[...]
    while let start = rest.firstIndex(where: { $0 != UInt8(ascii: "/") }) {
      rest = rest[start...]
      let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      parts.append(path[start..<end])
      rest = rest[end...]
    }
    return parts
  }

  private static func deviceToken(
    _ container: Substring,
    _ environment: Substring,
    _ action: Substring
  ) -> Self {
    guard action == "create" || action == "register",
      let database = database(container, environment)
    else { return .unknown }
    return .deviceToken(database, register: action == "register")
  }

  private static func database(_ container: Substring, _ environment: Substring) -> WebDatabase? {
    guard let environment = TidingsV1.Environment(webName: environment),
      let container = PercentCoding.decode(container)
    else { return nil }
    return WebDatabase(container: container, environment: environment, scope: .private)
  }
}
