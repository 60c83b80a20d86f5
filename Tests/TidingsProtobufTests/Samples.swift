import GeneratedFixture
import TidingsProto

/// A message of each fixture type with all fields set, to values that differ from the defaults.
enum Samples {
  static let scalars = FixtureV1.Scalars(
    doubleValue: 1.5,
    floatValue: -0.25,
    int32Value: -1,
    int64Value: .min,
    uint32Value: .max,
    uint64Value: .max,
    sint32Value: -2,
    sint64Value: -3,
    fixed32Value: 7,
    fixed64Value: 8,
    sfixed32Value: -9,
    sfixed64Value: -10,
    boolValue: true,
    stringValue: "a\0ä",
    bytesValue: [0, 0xff],
    color: .infrared,
    timestamp: GoogleProtobuf.Timestamp(seconds: 5, nanos: 6)
  )

  static let optionals = FixtureV1.Optionals(
    doubleValue: 0,
    floatValue: 0,
    int32Value: 0,
    int64Value: 0,
    uint32Value: 0,
    uint64Value: 0,
    sint32Value: 0,
    sint64Value: 0,
    fixed32Value: 0,
    fixed64Value: 0,
    sfixed32Value: 0,
    sfixed64Value: 0,
    boolValue: false,
    stringValue: "",
    bytesValue: [],
    color: .unspecified,
    timestamp: GoogleProtobuf.Timestamp()
  )

  static let lists = FixtureV1.Lists(
    doubles: [0, 1.5, .infinity],
    floats: [2.5, 0],
    int32s: [0, -1, .max],
    int64s: [0, .min],
    uint32s: [0, .max],
    uint64s: [0, .max],
    sint32s: [.min, 0],
    sint64s: [.max, 0],
    fixed32s: [0, 1],
    fixed64s: [0, 2],
    sfixed32s: [0, -3],
    sfixed64s: [-4, 0],
    bools: [true, false, true],
    strings: ["", "a\0b", "ö", String(repeating: "long", count: 100)],
    bytes: [[], [0], [1, 2, 3]],
    colors: [.unspecified, .infrared, .darkBlue],
    messages: [FixtureV1.Scalars(), scalars],
    unpackedInt32s: [0, 1, 2],
    imported: [
      TidingsV1.FieldValue(), TidingsV1.FieldValue(value: .stringValue("x")),
      TidingsV1.FieldValue(value: .locationValue(.init(latitude: 1, altitude: 0))),
    ]
  )

  static let maps = FixtureV1.Maps(
    byString: ["": "empty", "a": "1", "b": "", "ä": "x"],
    byInt32: [-1: FixtureV1.Scalars(int32Value: 3)],
    byInt64: [5: [1]],
    byUint32: [1: .red],
    byUint64: [2: 0.5],
    bySint32: [-3: true],
    bySint64: [-4: 1],
    byFixed32: [5: -5],
    byFixed64: [6: 66],
    bySfixed32: [-7: .init(seconds: 1)],
    bySfixed64: [-8: -88],
    byBool: [false: "no", true: "yes"]
  )

  static let keywords = FixtureV1.Keywords(
    class: "1",
    default: "2",
    self_: "3",
    init_: "4",
    func: "5",
    operator: "6",
    in: "7",
    description: "8",
    hashValue_: "9",
    type: "10",
    int: "11",
    id: "12",
    zoneID: "13",
    zoneIDsToDelete: ["14"],
    baseURL: "15",
    camelCase: "16",
    static: "17",
    encoded_: "18",
    optionalURL: "19",
    where: .switch("20"),
    c: "24",
    arena: "25",
    pointer: "26",
    index: ["27"],
    entry: ["28": "x"],
    double: ["29"],
    goto: "30",
    new: ["31": .init(where: .not("not"))]
  )

  static let choices: [FixtureV1.Choices.PickedOneOf] = [
    .number(0), .number(-5), .text(""), .text("a\0"), .data([]), .data([9]), .flag(false),
    .color(.red), .nested(.init()), .nested(.init(deep: .init(text: "d"), mode: .fast)),
    .large(scalars),
  ]

  static let tree = FixtureV1.Tree(
    label: "root",
    children: [.init(label: "1"), .init(label: "2", children: [.init()])],
    next: .init(label: "next", branch: .left(.init(label: "left"))),
    branch: .leaf(.init(tree: .init(label: "in leaf"))),
    named: ["n": .init(label: "named")]
  )
}
