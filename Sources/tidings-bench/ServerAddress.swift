/// Where a server is called, and the processor time that it uses.
struct ServerAddress {
  let endpoint: String
  /// Where it publishes; empty when it does not.
  var pushEndpoint = ""
  let clock: ProcessClock
}
