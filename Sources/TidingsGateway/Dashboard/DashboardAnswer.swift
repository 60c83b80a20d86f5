internal import TidingsHTTP
internal import TidingsJSON
internal import TidingsRPC

/// Makes answers to the dashboard's requests, which pages of other origins cannot read.
enum DashboardAnswer {
  /// What protects the page: it loads from this origin alone, cannot be framed, and cannot make HTML of text.
  static let pageHeaders: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; "
        + "require-trusted-types-for 'script'; trusted-types 'none'; report-uri \(reportPath)"
    ),
    ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ("X-Content-Type-Options", "nosniff"),
  ]
  /// Where browsers report what the policy forbade.
  static let reportPath = "/dashboard/csp-report"

  static func json(
    _ status: Int,
    _ value: JSONValue,
    adding headers: [(name: String, value: String)] = []
  ) -> HTTPResponse {
    HTTPResponse(
      status,
      headers: [
        ("Content-Type", "application/json; charset=UTF-8"), ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
      ] + headers,
      .bytes(value.text())
    )
  }

  /// A request that the gateway refused.
  static func refusal(_ status: Int, _ code: StatusCode, _ message: String) -> HTTPResponse {
    json(status, ["status": .string("\(code)"), "message": .string(message)])
  }

  /// The HTTP status of a call that failed.
  static func status(of code: StatusCode) -> Int {
    switch code {
    case .invalidArgument, .outOfRange, .failedPrecondition: 400
    case .unauthenticated: 401
    case .permissionDenied: 403
    case .notFound: 404
    case .alreadyExists, .aborted: 409
    case .resourceExhausted: 429
    case .unimplemented: 501
    case .unavailable, .cancelled: 503
    case .deadlineExceeded: 504
    default: 500
    }
  }
}
