import RandomSupport
import Testing

@testable import TidingsModel

/// The schema language: what is read, what is refused, how it is printed.
@Suite struct SchemaTextTests {
  private let golden = """
    DEFINE SCHEMA

        CREATE ROLE editor;

        CREATE ROLE "grant";

        RECORD TYPE Empty (
        );

        RECORD TYPE House (
            "___createTime" TIMESTAMP    QUERYABLE SORTABLE,
            area            NUMBER PREFERRED AS DOUBLE,
            city            STRING       QUERYABLE SORTABLE SEARCHABLE,
            "grant"         LIST<REFERENCE>,
            key             ENCRYPTED BYTES,
            names           LIST<ENCRYPTED STRING>,
            place           LOCATION     QUERYABLE,
            price           INT64        SORTABLE,
            rooms           NUMBER,
            tags            LIST<STRING> QUERYABLE SEARCHABLE,
            GRANT WRITE TO "_creator",
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world",
            GRANT READ, CREATE, WRITE TO "editor"
        );

    """

  private let house = Schema(
    recordTypes: [
      "Empty": Schema.RecordType(),
      "House": Schema.RecordType(
        fields: [
          "___createTime": Schema.Field(.values(.timestamp), indexes: [.queryable, .sortable]),
          "area": Schema.Field(.number(preferred: .double)),
          "city": Schema.Field(.values(.string), indexes: [.queryable, .sortable, .searchable]),
          "grant": Schema.Field(.values(.referenceList)),
          "key": Schema.Field(.values(.bytes), isEncrypted: true),
          "names": Schema.Field(.values(.stringList), isEncrypted: true),
          "place": Schema.Field(.values(.location), indexes: .queryable),
          "price": Schema.Field(.values(.int64), indexes: .sortable),
          "rooms": Schema.Field(.number(preferred: nil)),
          "tags": Schema.Field(.values(.stringList), indexes: [.queryable, .searchable]),
        ],
        grants: [
          "_creator": .write, "_icloud": .create, "_world": .read,
          "editor": [.read, .create, .write],
        ]
      ),
    ],
    roles: ["editor", "grant"]
  )

  @Test("the text is sorted and aligned, and reads back")
  func goldenText() throws {
    #expect(house.text == golden)
    #expect(try Schema(text: golden) == house)
    #expect(Schema().text == "DEFINE SCHEMA\n")
    #expect(try Schema(text: "DEFINE SCHEMA") == Schema())
  }

  @Test("comments, case, white space, quotes and system fields without an index make no difference")
  func freedom() throws {
    let text = """
      // What there is.
      define schema
      create role Editor; -- mine
      record type "T"(a string queryable,b list < int64 >,// more
      "Sortable" number preferred as int64,
      ___etag STRING, "___recordID" REFERENCE, ___modTime TIMESTAMP SORTABLE,
      grant read, write to "Editor", grant create to _world, grant read to Editor);
      """
    #expect(
      try Schema(text: text)
        == Schema(
          recordTypes: [
            "T": Schema.RecordType(
              fields: [
                "a": Schema.Field(.values(.string), indexes: .queryable),
                "b": Schema.Field(.values(.int64List)),
                "Sortable": Schema.Field(.number(preferred: .int64)),
                "___modTime": Schema.Field(.values(.timestamp), indexes: .sortable),
              ],
              grants: ["Editor": [.read, .write], "_world": .create]
            )
          ],
          roles: ["Editor"]
        )
    )
  }

  @Test(
    "refuses with a place, what was found and what is expected",
    arguments: [
      ("", 1, 1, "expected DEFINE, found the end of the text"),
      ("SCHEMA", 1, 1, "expected DEFINE, found 'SCHEMA'"),
      (
        "DEFINE SCHEMA TYPE", 1, 15,
        "expected RECORD TYPE, CREATE ROLE or the end of the text, found 'TYPE'"
      ),
      ("DEFINE SCHEMA\nCREATE ROLE a", 2, 14, "expected ';', found the end of the text"),
      ("DEFINE SCHEMA\nCREATE ROLE a;\nCREATE ROLE a;", 3, 13, "the role 'a' is created twice"),
      (
        "DEFINE SCHEMA CREATE ROLE _world;", 1, 27,
        "the role _world is there already: remove this line"
      ),
      (
        "DEFINE SCHEMA CREATE ROLE 1;", 1, 27,
        "the role '1' must begin with a letter A-Z or a-z and go on with letters, digits and '_'"
      ),
      ("DEFINE SCHEMA RECORD T", 1, 22, "expected TYPE, found 'T'"),
      ("DEFINE SCHEMA RECORD TYPE ;", 1, 27, "expected the name of a record type, found ';'"),
      ("DEFINE SCHEMA RECORD TYPE T;", 1, 28, "expected '(', found ';'"),
      ("DEFINE SCHEMA RECORD TYPE \"T ();", 1, 27, "the name has no closing \""),
      (
        "DEFINE SCHEMA RECORD TYPE T (); RECORD TYPE T ();", 1, 45,
        "the record type 'T' is defined twice: put all its fields into one"
      ),
      ("DEFINE SCHEMA RECORD TYPE T (a INT64,);", 1, 38, "expected a field or GRANT, found ')'"),
      (
        "DEFINE SCHEMA RECORD TYPE T (a INT64 b INT64);", 1, 38,
        "expected QUERYABLE, SORTABLE, SEARCHABLE, ',' or ')', found 'b'"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (a INT63);", 1, 32,
        "expected a type (STRING, INT64, DOUBLE, NUMBER, BYTES, TIMESTAMP, LOCATION, REFERENCE, "
          + "ASSET, LIST<…> or ENCRYPTED …), found 'INT63'"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (sortable INT64);", 1, 30,
        "SORTABLE is a keyword: to use it as a name, quote it, \"sortable\""
      ),
      ("DEFINE SCHEMA RECORD TYPE T (a LIST INT64);", 1, 37, "expected '<', found 'INT64'"),
      ("DEFINE SCHEMA RECORD TYPE T (a LIST<INT64);", 1, 42, "expected '>', found ')'"),
      (
        "DEFINE SCHEMA RECORD TYPE T (a LIST<LIST<INT64>>);", 1, 37,
        "a list has no lists as members: use several fields"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (a LIST<NUMBER>);", 1, 37,
        "a list has members of one type: write LIST<INT64> or LIST<DOUBLE>"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (a ENCRYPTED LIST<STRING>);", 1, 42,
        "write LIST<ENCRYPTED …>"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (a NUMBER PREFERRED AS STRING);", 1, 52,
        "expected INT64 or DOUBLE, found 'STRING'"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (a INT64, a STRING);", 1, 39,
        "the field 'a' appears twice in the record type: remove one"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (___etag STRING, ___etag STRING);", 1, 46,
        "the field '___etag' appears twice in the record type: remove one"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (\"a b\" INT64);", 1, 30,
        "the field name 'a b' must begin with a letter A-Z or a-z and go on with letters, digits "
          + "and '_'"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (recordName STRING);", 1, 30,
        "the field name 'recordName' is kept for the server's own field; choose another; an index of "
          + "that is declared with \"___recordID\""
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (___time TIMESTAMP);", 1, 30,
        "there is no system field '___time': the names are ___createTime, ___createdBy, ___etag, "
          + "___modTime, ___modifiedBy, ___parent, ___recordID"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (___etag INT64);", 1, 38,
        "the system field ___etag is STRING"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (___etag STRING SEARCHABLE);", 1, 45,
        "a system field is not SEARCHABLE"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (a INT64 SEARCHABLE);", 1, 32,
        "INT64 is not SEARCHABLE: only STRING and LIST<STRING> have words"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (a NUMBER SEARCHABLE);", 1, 32,
        "only STRING and LIST<STRING> are SEARCHABLE"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (a LIST<INT64> SORTABLE);", 1, 32,
        "LIST<INT64> is not SORTABLE: lists have no order"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (a ASSET QUERYABLE);", 1, 32,
        "assets cannot be found by their values: remove QUERYABLE"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (a ENCRYPTED STRING SORTABLE QUERYABLE);", 1, 32,
        "an ENCRYPTED field has no index: remove QUERYABLE SORTABLE"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (a ENCRYPTED ASSET);", 1, 32,
        "ASSET cannot be ENCRYPTED: STRING, INT64, DOUBLE, BYTES, TIMESTAMP and LOCATION can"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (GRANT DELETE TO _world);", 1, 36,
        "expected READ, CREATE or WRITE, found 'DELETE'"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (GRANT READ WRITE TO _world);", 1, 41,
        "expected ',' or TO and a role, found 'WRITE'"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (GRANT READ TO \"b\", GRANT READ TO a);", 1, 44,
        "there is no role 'b': create it with CREATE ROLE, or use \"_world\" (anyone), \"_icloud\" "
          + "(users) or \"_creator\""
      ),
      (
        "DEFINE SCHEMA €", 1, 15,
        "expected RECORD TYPE, CREATE ROLE or the end of the text, found '€'"
      ),
    ]
  )
  func refused(text: String, line: Int, column: Int, message: String) throws {
    let error = try #require(throws: SchemaError.self) { try Schema(text: text) }
    #expect(error.message == message)
    #expect(error.line == line && error.column == column, "\(error)")
  }

  @Test("shows the place under the line")
  func caret() throws {
    let error = try #require(throws: SchemaError.self) {
      try Schema(text: "DEFINE SCHEMA\n  RECORD TYPE T (\n\ta INT64 b\n  );")
    }
    #expect(
      error.description
        == "line 3, column 10: expected QUERYABLE, SORTABLE, SEARCHABLE, ',' or ')', found 'b'\n"
        + "  \ta INT64 b\n  \t        ^"
    )
  }

  @Test("no text is too much: nothing crashes, and what is read prints to the same")
  func hostileText() throws {
    let pieces = [
      "DEFINE SCHEMA", "RECORD TYPE", "CREATE ROLE", "(", ")", ",", ";", "<", ">", "LIST", "T", "a",
      "INT64", "STRING", "ENCRYPTED", "NUMBER", "PREFERRED AS", "QUERYABLE", "GRANT READ TO",
      "\"_world\"", "\"", "//", "--", "\n", " ", "é", "\u{0}", "___etag",
    ]
    var random = SplitMix64(seed: 17)
    for _ in 0..<20_000 {
      var text = random.oneIn(4) ? "" : "DEFINE SCHEMA RECORD TYPE T ("
      for _ in 0..<random.below(24) { text += random.pick(pieces) + (random.oneIn(3) ? "" : " ") }
      guard let schema = try? Schema(text: text) else { continue }
      #expect(try Schema(text: schema.text) == schema, "\(text)")
    }
    let deep = "DEFINE SCHEMA RECORD TYPE T (a " + String(repeating: "LIST<", count: 200_000)
    #expect(throws: SchemaError.self) { try Schema(text: deep) }
    let long = "DEFINE SCHEMA RECORD TYPE " + String(repeating: "T", count: 1_000_000)
    #expect(throws: SchemaError.self) { try Schema(text: long) }
  }
}
