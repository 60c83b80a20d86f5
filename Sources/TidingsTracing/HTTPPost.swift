internal import CCurl

/// Posts spans with libcurl; used on one thread.
struct HTTPPost: ~Copyable {
  enum Outcome {
    case taken
    /// It makes no sense to send it again.
    case refused(String)
    /// The collector may take it later.
    case tryAgain(String, after: Duration)
  }

  /// The other statuses say that the request will not be taken later, either.
  private static let retryable: Set<Int> = [429, 502, 503, 504]

  private let handle: UnsafeMutableRawPointer?
  private let headers: UnsafeMutablePointer<curl_slist>?

  init(_ settings: TraceSettings) {
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    handle = curl_easy_init()
    var headers = curl_slist_append(nil, "Content-Type: application/x-protobuf")
    // No pause before a body of more than a kilobyte.
    headers = curl_slist_append(headers, "Expect:")
    for (name, value) in settings.headers {
      headers = curl_slist_append(headers, "\(name): \(value)")
    }
    self.headers = headers
    let milliseconds = Int(settings.timeout / .milliseconds(1))
    _ = tidings_curl_set_text(handle, CURLOPT_URL, settings.endpoint)
    _ = tidings_curl_set_pointer(handle, CURLOPT_HTTPHEADER, headers)
    _ = tidings_curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
    _ = tidings_curl_set_number(handle, CURLOPT_TIMEOUT_MS, milliseconds)
    _ = tidings_curl_set_number(handle, CURLOPT_FOLLOWLOCATION, 0)
    _ = tidings_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
    _ = tidings_curl_set_receive(handle, CURLOPT_WRITEFUNCTION) { _, size, count, _ in
      size * count
    }
  }

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(headers)
  }

  /// Posts a body and waits for the answer, whose body is ignored.
  func send(_ body: [UInt8]) -> Outcome {
    let code = body.withUnsafeBytes { body in
      _ = tidings_curl_set_number(handle, CURLOPT_POSTFIELDSIZE, body.count)
      _ = tidings_curl_set_pointer(
        handle,
        CURLOPT_POSTFIELDS,
        UnsafeMutableRawPointer(mutating: body.baseAddress)
      )
      return curl_easy_perform(handle)
    }
    guard code == CURLE_OK else {
      return .tryAgain(String(cString: curl_easy_strerror(code)), after: .zero)
    }
    let status = tidings_curl_status(handle)
    if 200..<300 ~= status { return .taken }
    let reason = "the collector answered with the HTTP status \(status)"
    guard Self.retryable.contains(status) else { return .refused(reason) }
    return .tryAgain(reason, after: .seconds(min(tidings_curl_retry_after(handle), 3_600)))
  }
}
