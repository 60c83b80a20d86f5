#if PostgreSQL
public import TidingsSQL

extension PostgresConnection {
  /// Reads what rpcd depends on.
  ///
  /// - Returns: The facts; `problems` judges them.
  /// - Throws: `SQLError`.
  public func facts() throws(SQLError) -> PostgresFacts {
    var facts = PostgresFacts()
    let select = try prepare(
      """
      SELECT current_setting('server_version_num')::bigint, current_setting('server_encoding'),
        current_setting('fsync') = 'on', current_setting('full_page_writes') = 'on',
        current_setting('synchronous_commit') <> 'off', pg_is_in_recovery(),
        coalesce(current_schema(), ''), coalesce(has_schema_privilege(current_schema(), 'CREATE'), false),
        coalesce((
          SELECT min(relname) FROM pg_class
          WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
            AND NOT (
              has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
              AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')
            )
        ), ''),
        coalesce((
          SELECT min(c.relname || '.' || a.attname) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
          WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
            AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid = 'text'::regtype
            AND a.attcollation <> 'pg_catalog."C"'::regcollation
        ), '')
      """
    )
    defer { select.reset() }
    guard try select.step() else { return facts }
    facts.version = select.int64(0)
    facts.encoding = select.string(1)
    facts.isDurable = select.int64(2) == 1
    facts.isCrashSafe = select.int64(3) == 1
    facts.commitsWait = select.int64(4) == 1
    facts.isStandby = select.int64(5) == 1
    facts.schema = select.string(6)
    facts.canCreate = select.int64(7) == 1
    facts.deniedTable = select.string(8)
    facts.unorderedColumn = select.string(9)
    return facts
  }
}
#endif
