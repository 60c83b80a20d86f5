internal import TidingsHTTP
internal import TidingsJSON
internal import TidingsWeb

extension HTTPRequest {
  /// The object that was sent; without a body, an empty one.
  func input() throws(WebFailure) -> WebInput {
    guard case .bytes(let bytes) = body, !bytes.isEmpty else { return WebInput(JSONObject()) }
    let value: JSONValue
    do {
      value = try JSONValue(parsing: bytes, valuesMax: WebLimits.valuesMax)
    } catch {
      throw .badRequest("the body is not JSON: \(error)")
    }
    guard let object = value.object else {
      throw .badRequest("the body is \(value.kindDescription), not an object")
    }
    return WebInput(object)
  }
}
