internal import TidingsHTTP
internal import TidingsJSON
internal import TidingsWeb

/// Makes answers of CloudKit Web Services' contract.
enum WebAnswer {
  /// The header with the ID of a request, which every answer has.
  static let requestID = "X-Apple-Request-UUID"

  static func success(_ object: JSONObject, uuid: String) -> HTTPResponse {
    HTTPResponse(200, headers: headers(uuid), .bytes(JSONValue.object(object).text()))
  }

  static func failure(_ failure: WebFailure, uuid: String) -> HTTPResponse {
    var headers = headers(uuid)
    if let seconds = failure.retryAfter { headers.append(("Retry-After", "\(seconds)")) }
    return HTTPResponse(
      failure.code.status,
      headers: headers,
      .bytes(JSONValue.object(failure.json(uuid: uuid)).text())
    )
  }

  private static func headers(_ uuid: String) -> [(name: String, value: String)] {
    [
      ("Content-Type", "application/json; charset=UTF-8"),
      (requestID, uuid),
      ("x-apple-cloudkit-version", "1.0"),
      ("Cache-Control", "no-store"),
      ("X-Content-Type-Options", "nosniff"),
    ]
  }
}

/// Which pages may read answers.
enum CrossOrigin {
  /// Adds what lets a page of an allowed origin read the answer.
  static func allow(_ origin: String?, _ response: HTTPResponse) -> HTTPResponse {
    guard let origin else { return response }
    var response = response
    response.headers += [
      ("Access-Control-Allow-Origin", origin),
      (
        "Access-Control-Expose-Headers",
        "\(WebAnswer.requestID), X-Apple-CloudKit-Web-Auth-Token, Retry-After"
      ),
      ("Vary", "Origin"),
    ]
    return response
  }

  /// Answers the question that browsers ask before a request.
  static func preflight(_ head: HTTPHead) -> HTTPResponse {
    let asked = head.header("access-control-request-headers") ?? ""
    let allowed = asked.lowercased().split(separator: ",")
      .map { $0.filter { $0 != " " } }
      .filter { $0 == "content-type" || $0 == "last-event-id" || $0.hasPrefix("x-apple-cloudkit-") }
    return HTTPResponse(
      204,
      headers: [
        ("Access-Control-Allow-Methods", "GET, POST, PUT, OPTIONS"),
        (
          "Access-Control-Allow-Headers",
          allowed.isEmpty ? "content-type" : allowed.joined(separator: ", ")
        ),
        ("Access-Control-Max-Age", "600"),
      ]
    )
  }
}
