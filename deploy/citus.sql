-- Lays the tables of Quarry out over a cluster of Citus, by the collections of their rows: see "Past one server" in
-- docs/scaling.md, which also says that this was not run by those who wrote it, and what is weaker on a cluster. A test
-- compares this file with the tables of PostgreSQL.
--
-- It runs once, with psql and as the owner of the tables, on the coordinator, after `quarry migrate` and while no process
-- of Quarry runs. Before, the coordinator has been named to the workers (citus_set_coordinator_host), and the workers have
-- been added (citus_add_node).

-- The rows of a collection are on one worker: these tables are distributed by the same column and kept side by side. All
-- other tables stay what they are, on the coordinator.
begin;
select create_distributed_table('indexes', 'collection_id', colocate_with => 'none');
select create_distributed_table('index_forms', 'collection_id', colocate_with => 'indexes');
select create_distributed_table('entities', 'collection_id', colocate_with => 'indexes');
select create_distributed_table('chunks', 'collection_id', colocate_with => 'indexes');
select create_distributed_table('chunk_bodies', 'collection_id', colocate_with => 'indexes');
select create_distributed_table('gone', 'collection_id', colocate_with => 'indexes');
commit;

-- The rows that were in these tables before are still on the disk of the coordinator, where nobody sees them.
select truncate_local_data_after_distributing_table('indexes');
select truncate_local_data_after_distributing_table('index_forms');
select truncate_local_data_after_distributing_table('entities');
select truncate_local_data_after_distributing_table('chunks');
select truncate_local_data_after_distributing_table('chunk_bodies');
select truncate_local_data_after_distributing_table('gone');
