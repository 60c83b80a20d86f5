internal import Testing

@testable internal import TidingsPostgres

@Suite struct AddressTests {
  @Test(
    "an address is shown without its password and options",
    arguments: [
      (
        "postgresql://rpcd:secret@db.example:5432/tidings?sslmode=verify-full",
        "postgresql://rpcd@db.example:5432/tidings"
      ),
      ("postgres://db/t", "postgresql://db/t"),
      ("postgresql:///t?host=/run/postgresql&password=secret", "postgresql:///t"),
      ("postgresql://u:p%40s%3Aecret@[::1]:5433,other:1/t", "postgresql://u@[::1]:5433,other:1/t"),
      ("postgresql://u@/t", "postgresql://u@/t"),
    ]
  )
  func description(uri: String, expected: String) throws {
    let address = try PostgresAddress(uri)
    #expect(address.description == expected)
    #expect("\(address)" == expected)
    #expect(address.parameters.contains { $0 == ("dbname", uri) })
  }

  @Test(
    "what libpq might quote a password from is refused, without quoting it",
    arguments: [
      "postgresql://u:sec@ret@host/t", "postgresql://u:sec/ret@host/t",
      "postgresql://u:sec?ret@host/t",
      "postgresql://sec:ret", "postgresql://u:p@host:secret/t", "postgresql://u:sec%zzret@h/t",
      "postgresql://u:sec%00ret@h/t", "postgresql://u:sec%2", "postgresql://u:sec ret@h/t",
      "postgresql://u:secret@h/t\n", "mysql://u:secret@h", "host=h password=secret", "secret", "",
    ]
  )
  func refused(uri: String) {
    do throws(PostgresAddress.Invalid) {
      let address = try PostgresAddress(uri)
      Issue.record("accepted as \(address)")
    } catch {
      #expect(!"\(error)".contains("sec") && !"\(error)".contains("ret"))
    }
  }

  private func setting(
    _ variable: String?,
    _ content: String? = nil,
    isReadableByOthers: Bool = false
  ) throws(DatabaseSetting.Invalid) -> String {
    let file = content.map {
      DatabaseSetting.File(name: "db.conf", content: $0, isReadableByOthers: isReadableByOthers)
    }
    let setting = try DatabaseSetting(
      environment: variable.map { ["RPCD_DATABASE": $0] } ?? [:],
      file: file
    )
    switch setting {
    case .embedded: return "embedded"
    case .postgres(let address): return "\(address)"
    }
  }

  @Test("the setting comes from the variable or from a file")
  func settings() throws {
    #expect(try setting(nil) == "embedded")
    #expect(try setting("") == "embedded")
    #expect(try setting("postgresql://a:b@c/d") == "postgresql://a@c/d")
    #expect(
      try setting(nil, "# the database\n\n  postgresql://a:b@c/d  \n") == "postgresql://a@c/d"
    )
  }

  @Test("settings that cannot be used are refused with what to do, and without the address")
  func invalidSettings() {
    for (variable, content, isReadable, words) in [
      ("postgresql://u:secret@c/d", "postgresql://u:secret@c/d", false, "cannot be combined"),
      ("secret", nil, false, "RPCD_DATABASE"),
      (nil, "", false, "not 0"),
      (nil, "postgresql://u:secret@c\npostgresql://u:secret@d", false, "not 2"),
      (nil, "postgresql://u:secret@c/d", true, "chmod 640"),
      (nil, "postgresql://u:sec@ret@c/d", false, "'db.conf'"),
    ] as [(String?, String?, Bool, String)] {
      do throws(DatabaseSetting.Invalid) {
        _ = try setting(variable, content, isReadableByOthers: isReadable)
        Issue.record("accepted")
      } catch {
        #expect("\(error)".contains(words) && !"\(error)".contains("secret"), "\(error)")
      }
    }
  }
}
