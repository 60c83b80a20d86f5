public import TidingsKeys

/// Connections that were refused, counted together.
public struct RefusedHandshake: Hashable, Sendable {
  /// The key that was refused; `nil`: several, or none that could be read.
  public var publicKey: PublicKey?
  /// The address, as reported by libzmq: a host for TCP; empty: several places.
  public var address: String
  /// How many.
  public var count: Int
}

/// Refused handshakes until somebody takes note: bounded, whoever refuses to give up.
struct RefusalLog {
  private struct Source: Hashable {
    let publicKey: PublicKey?
    let address: String
  }

  /// Most different rejections that are distinguished between two reports.
  static let sourcesMax = 256
  /// Most addresses that are distinguished beyond that.
  static let addressesMax = 256
  /// Shortest time between two reports.
  static let pause = Duration.seconds(1)

  private var counts: [Source: Int] = [:]
  /// Those beyond, without their keys: many keys from one address must not hide another address.
  private var addresses: [String: Int] = [:]
  private var others = 0
  private var earliest: ContinuousClock.Instant?

  /// Counts refusals.
  mutating func note(_ refusal: RefusedHandshake) {
    let source = Source(publicKey: refusal.publicKey, address: refusal.address)
    if counts[source] != nil || counts.count < Self.sourcesMax {
      counts[source, default: 0] += refusal.count
    } else if addresses[refusal.address] != nil || addresses.count < Self.addressesMax {
      addresses[refusal.address, default: 0] += refusal.count
    } else {
      others += refusal.count
    }
  }

  /// When to take the next report; `nil`: there is nothing to report.
  func due(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    counts.isEmpty && others == 0 ? nil : max(now, earliest ?? now)
  }

  /// Takes what was noted.
  mutating func take(_ now: ContinuousClock.Instant) -> [RefusedHandshake] {
    var refusals = counts.map { source, count in
      RefusedHandshake(publicKey: source.publicKey, address: source.address, count: count)
    }
    for (address, count) in addresses {
      refusals.append(RefusedHandshake(publicKey: nil, address: address, count: count))
    }
    if others > 0 {
      refusals.append(RefusedHandshake(publicKey: nil, address: "", count: others))
    }
    counts = [:]
    addresses = [:]
    others = 0
    earliest = now.advanced(by: Self.pause)
    return refusals
  }
}
