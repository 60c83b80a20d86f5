import Testing

@testable import ProtoGen

@Suite("Names")
struct NamesTests {
  @Test(
    "properties",
    arguments: [
      ("zone_id", "zoneID"), ("record_ids_to_delete", "recordIDsToDelete"), ("id", "id"),
      ("type_url", "typeURL"), ("url", "url"), ("camelCase", "camelCase"), ("Upper", "upper"),
      ("int64_value", "int64Value"), ("self", "self_"), ("_private", "private"),
    ]
  )
  func properties(field: String, expected: String) {
    #expect(SwiftNames.property(field) == expected)
  }

  @Test(
    "constants lose the enum's name",
    arguments: [
      ("DATABASE_SCOPE_PUBLIC", "DatabaseScope", "public"), ("SHADE_ID_GREY", "ShadeID", "grey"),
      ("SHADE_ID_3D", "ShadeID", "_3d"), ("UNRELATED", "ShadeID", "unrelated"),
      ("KIND", "Kind", "kind"), ("KINDNESS", "Kind", "kindness"),
      ("KIND_USER_ID", "Kind", "userID"), ("KIND_SELF", "Kind", "self_"),
    ]
  )
  func constants(value: String, enumName: String, expected: String) {
    #expect(SwiftNames.constant(value, of: enumName) == expected)
  }

  @Test("namespaces, methods and files")
  func others() {
    #expect(SwiftNames.namespace("tidings.rpc.v1") == "TidingsRpcV1")
    #expect(SwiftNames.namespace("google.protobuf") == "GoogleProtobuf")
    #expect(SwiftNames.namespace("") == nil)
    #expect(SwiftNames.method("FetchUserRecordID") == "fetchUserRecordID")
    #expect(SwiftNames.method("URLOf") == "urlOf")
    #expect(SwiftNames.fileDescriptor("tidings/v1/record.proto") == "tidingsV1RecordProto")
    #expect(SwiftNames.escaped("default") == "`default`")
  }

  @Test("files of one name get their whole path as name")
  func paths() {
    #expect(
      FilePrinter.paths(["a/v1/x.proto", "a/v2/x.proto", "a/v1/y.proto"]) == [
        "a/v1/x.proto": "a/v1/a_v1_x.pb.swift", "a/v2/x.proto": "a/v2/a_v2_x.pb.swift",
        "a/v1/y.proto": "a/v1/y.pb.swift",
      ]
    )
  }

  @Test("C names are protoc-gen-c's")
  func cNames() {
    #expect(
      CNames.functionPrefix("tidings.v1.FetchUserRecordIDRequest")
        == "tidings__v1__fetch_user_record_idrequest"
    )
  }
}
