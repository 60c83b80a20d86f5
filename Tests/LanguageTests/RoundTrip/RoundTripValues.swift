internal import RandomSupport
internal import TestSupport
internal import TidingsProto

/// Values of every type, at their edges.
enum RoundTripValues {
  typealias Value = TidingsV1.FieldValue

  /// A field of each type.
  static func all(
    _ random: inout SplitMix64,
    zone: String,
    asset: TidingsV1.Asset
  ) -> [String: Value] {
    let texts = (0..<3).map { _ in random.pick(Self.texts) }
    let integers = (0..<3).map { _ in random.pick(Self.integers) }
    let doubles = (0..<3).map { _ in random.pick(Self.doubles) }
    let times = (0..<3).map { _ in random.pick(Self.times) }
    let locations = (0..<2).map { _ in location(&random) }
    let references = [reference("root", in: zone, &random), reference("a", in: zone, &random)]
    let (one, many) = (random.bytes(random.below(20)), (0..<2).map { random.bytes($0 * 7) })
    return [
      "string": .init(.stringValue(texts[0])),
      "strings": .init(.stringListValue(.init(values: texts))),
      "int64": .init(.int64Value(integers[0])),
      "int64s": .init(.int64ListValue(.init(values: integers))),
      "double": .init(.doubleValue(doubles[0])),
      "doubles": .init(.doubleListValue(.init(values: doubles))),
      "bytes": .init(.bytesValue(one)), "byteses": .init(.bytesListValue(.init(values: many))),
      "time": .init(.timestampValue(times[0])),
      "times": .init(.timestampListValue(.init(values: times))),
      "location": .init(.locationValue(locations[0])),
      "locations": .init(.locationListValue(.init(values: locations))),
      "reference": .init(.referenceValue(references[0])),
      "references": .init(.referenceListValue(.init(values: references))),
      "asset": .init(.assetValue(asset)),
      "assets": .init(.assetListValue(.init(values: [asset, asset]))),
      "nothing": .init(.unknownListValue(.init())),
      "sealed": .init(
        .encryptedValue(.init(type: .string, keyID: random.bytes(8), sealed: random.bytes(60)))
      ),
    ]
  }

  private static let texts = ["", "a", "é", "e\u{301}", "\u{0}\n\"\\'", "😀", "\u{2028}</script>"]
  private static let integers: [Int64] = [0, -1, 9_007_199_254_740_993, .min, .max]
  private static let doubles = [0, -0.0, 2, 0.1, 1e300, -0x1p63, .leastNonzeroMagnitude]
  /// To the microsecond, as a number of JavaScript and a `datetime` of Python have them.
  private static let times: [GoogleProtobuf.Timestamp] = [
    .init(), .init(seconds: 1_767_323_045, nanos: 123_456_000),
    .init(seconds: 1_767_323_045, nanos: 123_000_000), .init(seconds: -1, nanos: 999_999_000),
    .init(seconds: -1_000_000_000, nanos: 250_000), .init(seconds: -1, nanos: 999_000_000),
  ]

  private static func location(_ random: inout SplitMix64) -> TidingsV1.Location {
    var location = TidingsV1.Location(latitude: random.pick([52.5, -90]), longitude: 13.25)
    if random.oneIn(2) { location.altitude = 34.5 }
    if random.oneIn(2) { (location.speed, location.course) = (-1, 359.5) }
    if random.oneIn(2) { (location.horizontalAccuracy, location.verticalAccuracy) = (5, 0) }
    if random.oneIn(2) { location.timestamp = random.pick(times) }
    return location
  }

  private static func reference(
    _ name: String,
    in zone: String,
    _ random: inout SplitMix64
  ) -> TidingsV1.Reference {
    // Only others may lead nowhere, or to another zone.
    if random.oneIn(3) { return .init(recordID: .init("other", zone: "board"), action: .none) }
    let action: TidingsV1.ReferenceAction =
      name == "root" && !zone.isEmpty ? random.pick([.none, .deleteSelf, .validate]) : .none
    return .init(recordID: .init(name, zone: zone), action: action)
  }

  // MARK: Subscriptions

  static let predicates = [
    "TRUEPREDICATE", #"double > 100.5 AND string BEGINSWITH "a""#,
    #"string = "it's \"quoted\" \\" OR int64 IN {1, 2}"#,
    "NOT (time < @2026-01-02T03:04:05.123456Z)",
    #"ANY strings = "x" AND int64s CONTAINS 3"#,
    #"string CONTAINS[c] "É" OR self CONTAINS "house""#,
    #"creatorUserRecordID = "ada" AND creationDate > @2026-01-01T00:00:00Z"#,
    "distanceToLocation:fromLocation:(location, @location(52.5, 13.4)) < 1000",
  ]
  static let changes: [TidingsV1.Subscription.Changes] = [
    [.create], [.update, .delete], [.create, .enter], [.enter, .leave],
    [.create, .update, .delete, .enter, .leave],
  ]

  static func info(_ random: inout SplitMix64) -> TidingsV1.NotificationInfo {
    var info = TidingsV1.NotificationInfo()
    if random.oneIn(2) { (info.alertBody, info.title, info.subtitle) = ("b", "t", "s") }
    if random.oneIn(2) {
      (info.alertLocalizationKey, info.alertLocalizationArgs) = ("k", ["string", "int64"])
      (info.titleLocalizationKey, info.titleLocalizationArgs) = ("tk", ["string"])
      (info.subtitleLocalizationKey, info.subtitleLocalizationArgs) = ("sk", ["int64"])
    }
    if random.oneIn(2) { (info.alertActionLocalizationKey, info.alertLaunchImage) = ("a", "i") }
    if random.oneIn(2) { (info.soundName, info.category) = ("default", "c") }
    if random.oneIn(2) { info.desiredKeys = ["string", "time"] }
    if random.oneIn(2) { info.collapseIDKey = "string" }
    if random.oneIn(2) { info.shouldBadge = true }
    if random.oneIn(2) { info.shouldSendContentAvailable = true }
    if random.oneIn(2) { info.shouldSendMutableContent = true }
    return info
  }
}
