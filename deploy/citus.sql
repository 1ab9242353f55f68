-- Lays the tables of Quarry out over a cluster of Citus, by the collections of their rows: see "Past one server" in
-- docs/scaling.md, which also says that this was not run by those who wrote it. A test compares this file with the
-- tables of PostgreSQL.
--
-- It runs once, with psql and as the owner of the tables, on the coordinator, after `quarry migrate` and while no process
-- of Quarry runs. Before, the coordinator has been named to the workers (citus_set_coordinator_host), and the workers have
-- been added (citus_add_node).

begin;

-- All rows of a collection are on one server: these tables are distributed by the same column and kept side by side.
select create_distributed_table('indexes', 'collection_id', colocate_with => 'none');
select create_distributed_table('index_forms', 'collection_id', colocate_with => 'indexes');
select create_distributed_table('entities', 'collection_id', colocate_with => 'indexes');
select create_distributed_table('chunks', 'collection_id', colocate_with => 'indexes');
select create_distributed_table('chunk_bodies', 'collection_id', colocate_with => 'indexes');
select create_distributed_table('gone', 'collection_id', colocate_with => 'indexes');

-- All other tables stay on the coordinator. Citus has to know them: only a transaction that writes tables that it knows
-- ends on the coordinator and on the worker together (in two phases).
do $$
declare
  other regclass;
begin
  for other in
    select oid from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r'
      and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
  loop
    -- A table that refers to others takes them with it.
    if not exists (select from pg_dist_partition where logicalrelid = other) then
      perform citus_add_local_table_to_metadata(other, cascade_via_foreign_keys => true);
    end if;
  end loop;
end $$;

commit;

-- The rows that were in the distributed tables before are still on the disk of the coordinator.
select truncate_local_data_after_distributing_table('indexes');
select truncate_local_data_after_distributing_table('index_forms');
select truncate_local_data_after_distributing_table('entities');
select truncate_local_data_after_distributing_table('chunks');
select truncate_local_data_after_distributing_table('chunk_bodies');
select truncate_local_data_after_distributing_table('gone');
