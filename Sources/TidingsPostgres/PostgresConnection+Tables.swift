#if PostgreSQL
public import TidingsSQL

extension PostgresConnection {
  /// The tables of the schema in which tables are made, by name.
  ///
  /// - Throws: `SQLError`.
  public func tables() throws(SQLError) -> [SQLTable] {
    let catalog = try prepare(
      """
      SELECT t.relname, c.attname, c.atttypid::regtype::text,
        coalesce(array_position(k.indkey::int2[], c.attnum), -1)
      FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid
      LEFT JOIN pg_index k ON k.indrelid = t.oid AND k.indisprimary
      WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p')
        AND c.attnum > 0 AND NOT c.attisdropped
      ORDER BY t.relname COLLATE "C", c.attnum
      """
    )
    return try SQLTable.tables(in: catalog) { type in
      switch type {
      case "bigint": .integer
      case "text": .text
      case "bytea": .bytes
      default: nil
      }
    }
  }

  /// Lets the sequences of identity columns continue behind the rows of their tables, whose numbers were not taken
  /// from the sequences.
  ///
  /// - Throws: `SQLError`.
  public func advanceIdentities() throws(SQLError) {
    let catalog = try prepare(
      """
      SELECT quote_ident(t.relname), quote_ident(c.attname), quote_literal(quote_ident(t.relname)),
        quote_literal(c.attname)
      FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid
      WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p')
        AND c.attnum > 0 AND NOT c.attisdropped AND c.attidentity <> ''
      """
    )
    defer { catalog.reset() }
    while try catalog.step() {
      let (table, column) = (catalog.string(0), catalog.string(1))
      let sequence = "pg_get_serial_sequence(\(catalog.string(2)), \(catalog.string(3)))"
      try execute(
        "SELECT setval(\(sequence), greatest(max(\(column)), 1), count(*) > 0) FROM \(table)"
      )
    }
  }
}
#endif
