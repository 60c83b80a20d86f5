internal import TidingsJSON
internal import TidingsProto

/// `{latitude, longitude, altitude, horizontalAccuracy, verticalAccuracy, course, speed, timestamp}`.
enum LocationDictionary {
  static func read(_ input: WebInput) throws(WebFailure) -> TidingsV1.Location {
    try input.check(.location)
    func number(_ name: String) throws(WebFailure) -> Double? {
      guard let value = input[name] else { return nil }
      guard let double = value.number?.double else {
        throw input.wrong(name, value, "a number that a DOUBLE can be")
      }
      return double
    }
    func required(_ name: String) throws(WebFailure) -> Double {
      guard let double = try number(name) else { throw input.missing(name) }
      return double
    }
    var time: GoogleProtobuf.Timestamp?
    if let value = input["timestamp"] {
      time = try FieldDictionary.timestamp(value, input.path(to: "timestamp"))
    }
    return .init(
      latitude: try required("latitude"),
      longitude: try required("longitude"),
      horizontalAccuracy: try number("horizontalAccuracy"),
      verticalAccuracy: try number("verticalAccuracy"),
      altitude: try number("altitude"),
      speed: try number("speed"),
      course: try number("course"),
      timestamp: time
    )
  }

  static func json(
    _ location: TidingsV1.Location,
    _ style: FieldDictionary.Style
  ) -> JSONValue {
    .omittingNil([
      "latitude": .double(location.latitude),
      "longitude": .double(location.longitude),
      "altitude": location.altitude.map { .double($0) },
      "horizontalAccuracy": location.horizontalAccuracy.map { .double($0) },
      "verticalAccuracy": location.verticalAccuracy.map { .double($0) },
      "course": location.course.map { .double($0) },
      "speed": location.speed.map { .double($0) },
      "timestamp": location.timestamp.map { style.json($0) },
    ])
  }
}
