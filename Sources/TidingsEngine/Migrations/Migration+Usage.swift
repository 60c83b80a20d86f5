internal import TidingsSQL

extension Migration {
  /// What is counted for quotas.
  static let usage = Migration(
    number: 6,
    name: "usage",
    sql: """
      -- What the databases of a user take in a container, in both environments; the owner of the public
      -- one is empty. bytes: of records and of the assets that they name, each
      -- once for each record.
      CREATE TABLE usage (
        owner TEXT NOT NULL,
        container TEXT NOT NULL,
        records BIGINT NOT NULL,
        bytes BIGINT NOT NULL,
        PRIMARY KEY (owner, container)
      ) WITHOUT ROWID;
      INSERT INTO usage (owner, container, records, bytes)
        SELECT owner, container, sum(records), sum(bytes) FROM (
          SELECT d.owner, d.container, count(*) AS records, sum(length(r.body)) AS bytes
          FROM records r JOIN zones z ON z.id = r.zone_id JOIN databases d ON d.id = z.database_id
          WHERE r.body IS NOT NULL
          GROUP BY d.owner, d.container
          UNION ALL
          SELECT d.owner, d.container, 0, sum(a.size)
          FROM asset_references r
          JOIN assets a ON a.database_id = r.database_id AND a.checksum = r.checksum
          JOIN databases d ON d.id = r.database_id
          GROUP BY d.owner, d.container
        ) AS parts
        GROUP BY owner, container;
      """
  )
}
