internal import TidingsSQL

extension Migration {
  /// Indexes of locations by cells of the globe, in which places near a point are found.
  static let locationIndexes = Migration(
    number: 16,
    name: "location indexes",
    sql: """
      -- Keys of locations begin with the number of a cell. What has the keys of before is removed, and
      -- built again under another number, in the background.
      UPDATE field_indexes SET state = 5 WHERE state IN (1, 2) AND EXISTS (
        SELECT 1 FROM field_types t
        WHERE t.container = field_indexes.container AND t.environment = field_indexes.environment
          AND t.record_type = field_indexes.record_type AND t.field = field_indexes.field
          AND t.kind IN ('LOCATION', 'LIST<LOCATION>')
      );
      INSERT INTO field_indexes
        (container, environment, record_type, field, kind, state, built_zone, built_name)
        SELECT container, environment, record_type, field, kind, 1, 0, '' FROM field_indexes
        WHERE state = 5;
      UPDATE field_indexes SET state = 3 WHERE state = 5;
      """
  )
}
