internal import TidingsSQL

extension Migration {
  /// Idempotency keys as bytes: not every engine stores U+0000 in text.
  static let answerKeys = Migration(
    number: 17,
    name: "idempotency keys as bytes",
    sql: """
      CREATE TABLE answers_by_bytes (
        owner TEXT NOT NULL,
        idempotency_key BLOB NOT NULL,
        request_hash BLOB NOT NULL,
        response BLOB NOT NULL,
        expires BIGINT NOT NULL,
        PRIMARY KEY (owner, idempotency_key)
      ) WITHOUT ROWID;
      INSERT INTO answers_by_bytes (owner, idempotency_key, request_hash, response, expires)
        SELECT owner, CAST(idempotency_key AS BLOB), request_hash, response, expires FROM answers;
      DROP TABLE answers;
      ALTER TABLE answers_by_bytes RENAME TO answers;
      CREATE INDEX answers_by_expiry ON answers (expires);
      """
  )
}
