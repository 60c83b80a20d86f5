extension VectorArea {
  /// What stands before each request and response.
  static func headers() throws -> Self {
    let make = try VectorMaker()
    let request = "tidings.rpc.v1.RequestHeader"
    let response = "tidings.rpc.v1.ResponseHeader"
    return Self(
      name: "headers",
      about: "Headers of requests and responses, and the details of errors.",
      vectors: [
        try make.message(
          "call",
          "A call with everything that one can say.",
          request,
          """
          {"callId": "18446744073709551615", "kind": "REQUEST_KIND_CALL",
           "method": "tidings.v1.RecordService/ModifyRecords", "timeoutMs": 10000,
           "metadata": {"tidings-device": "tablet", "tidings-user": "ada", "x-empty": ""},
           "idempotencyKey": "6f1c1a52", "credit": 16}
          """
        ),
        try make.message(
          "shortest_call",
          "Only what is needed.",
          request,
          """
          {"callId": "1", "method": "tidings.rpc.v1.HealthService/Check"}
          """
        ),
        try make.message(
          "cancel",
          "Gives a call up.",
          request,
          """
          {"callId": "7", "kind": "REQUEST_KIND_CANCEL"}
          """
        ),
        try make.message(
          "credit",
          "Lets a stream go on.",
          request,
          """
          {"callId": "7", "kind": "REQUEST_KIND_CREDIT", "credit": 8}
          """
        ),
        try make.message(
          "kind_of_a_newer_version",
          "An enum keeps a number that has no name.",
          request,
          """
          {"callId": "7", "kind": 99}
          """
        ),
        try make.message(
          "answer",
          "The final response of a call that succeeded.",
          response,
          """
          {"callId": "1", "endOfStream": true, "hasMessage": true}
          """
        ),
        try make.message(
          "stream_message",
          "One message of a stream; more follow.",
          response,
          """
          {"callId": "1", "hasMessage": true}
          """
        ),
        try make.message(
          "end_of_stream",
          "The end of a stream, without a message, with metadata.",
          response,
          """
          {"callId": "1", "metadata": {"x-took": "3ms"}, "endOfStream": true}
          """
        ),
        try make.message(
          "failure_with_details",
          "A status with a message that is not ASCII, and two details.",
          response,
          """
          {"callId": "300", "status": 8, "message": "zu viel \\u2014 \\ud83d\\ude08",
           "details": [
             {"@type": "type.googleapis.com/tidings.rpc.v1.ErrorInfo", "reason": "QUOTA",
              "domain": "tidings", "metadata": {"limit": "5"}},
             {"@type": "type.googleapis.com/tidings.rpc.v1.RetryInfo", "retryDelay": "2.500s"}],
           "endOfStream": true}
          """
        ),
        try make.message(
          "error_info",
          "The reason of a failure, for programs.",
          "tidings.rpc.v1.ErrorInfo",
          """
          {"reason": "METHOD_NOT_FOUND", "domain": "tidings", "metadata": {"method": "a/b"}}
          """
        ),
        try make.message(
          "bad_request",
          "Which fields are wrong.",
          "tidings.rpc.v1.BadRequest",
          """
          {"fieldViolations": [{"field": "records_to_save[0]", "description": "has no type"}]}
          """
        ),
        try make.message(
          "retry_info",
          "A negative length of time has its sign in both parts.",
          "tidings.rpc.v1.RetryInfo",
          """
          {"retryDelay": "-1.000000001s"}
          """
        ),
        try make.unknown(
          "call_with_unknown_fields",
          "Fields that a newer version added: a number, a text, 4 and 8 bytes.",
          request,
          """
          {"callId": "1", "method": "a/b"}
          """,
          adding: [0xf8, 0x3f, 0x2a, 0x82, 0x40, 0x02, 0x68, 0x69]
            + [0x8d, 0x40, 1, 2, 3, 4, 0x91, 0x40, 1, 2, 3, 4, 5, 6, 7, 8]
        ),
        try make.unknown(
          "record_with_unknown_fields",
          "An unknown field of a record, and one of a message within it.",
          "tidings.v1.Record",
          """
          {"recordId": {"recordName": "r"}, "recordType": "Note"}
          """,
          adding: [0xfa, 0x07, 0x03, 0x6e, 0x65, 0x77]
        ),
        Vector(
          name: "unknown_field_in_inner_message",
          about: "An unknown field of a message within the message.",
          content: .unknownFields(
            type: "tidings.v1.Record",
            binary: [0x0a, 0x06, 0x0a, 0x01, 0x72, 0xf8, 0x07, 0x05, 0x12, 0x01, 0x54],
            json: try make.json(
              """
              {"recordId": {"recordName": "r"}, "recordType": "T"}
              """
            )
          )
        ),
        Vector(
          name: "value_of_a_newer_version",
          about:
            "A field whose value has a type that only a newer version knows: here it has none.",
          content: .unknownFields(
            type: "tidings.v1.FieldValue",
            binary: [0xfa, 0x06, 0x02, 0x08, 0x01],
            json: try make.json("{}")
          )
        ),
      ]
    )
  }
}
