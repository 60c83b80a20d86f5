/// One way to an endpoint: the family of addresses that its name is resolved to.
///
/// libzmq connects to one address of a name, so a name is two routes, of which the second one is tried when the first
/// one fails. Where a name has no address of IPv6, libzmq takes that of IPv4 for the second one, too.
struct Route: Equatable {
  let endpoint: String
  let usesIPv6: Bool
  /// The host is not an address.
  let hasName: Bool

  /// The ways to an endpoint, in the order in which they are tried.
  static func all(to text: String) -> [Self] {
    let endpoint = Endpoint(text)
    guard endpoint.hasName else {
      return [Self(endpoint: text, usesIPv6: endpoint.isIPv6, hasName: false)]
    }
    return [false, true].map { Self(endpoint: text, usesIPv6: $0, hasName: true) }
  }
}
