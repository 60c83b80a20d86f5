internal import CCurl

/// Times as HTTP has them.
enum HTTPDate {
  /// Seconds since 1970; `nil`: it is no time.
  static func seconds(_ text: String) -> Int? {
    let seconds = curl_getdate(text, nil)
    return seconds < 0 ? nil : seconds
  }
}
