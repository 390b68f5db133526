-- A connection plans what a function does once, by the tables as they are then. Planned while they were small, or before
-- their first statistics, it read whole tables, or all of a workspace, with every write. So these plans may not hang on it.
alter function owe_deliveries() set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off;
alter function queue_channels(uuid[], uuid[]) set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off;
alter function queue_channels_of_network() set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off;
alter function claim_idempotency_key(uuid, text, text) set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off;
alter function close_approval() set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off;

-- As before, but with subqueries that the planner has to run for each row, by its keys.
create or replace function write_post_search() returns trigger language plpgsql
set enable_seqscan = off as $$
begin
  insert into post_search as s (workspace_id, post_id, folded)
  select touched.workspace_id, touched.post_id, array(
           select distinct parts.folded collate "C" as folded
           from   destination d
           cross  join lateral (
             select p.folded from part p where p.workspace_id = d.workspace_id and p.destination_id = d.id offset 0) parts
           where  d.workspace_id = touched.workspace_id and d.post_id = touched.post_id
           order  by folded)
  from   (
    select distinct w.workspace_id, (
             select d.post_id from destination d where d.workspace_id = w.workspace_id and d.id = w.destination_id) as post_id
    from   written w) touched
  on     conflict (workspace_id, post_id) do update
  set    folded = excluded.folded
  where  s.folded <> excluded.folded;
  return null;
end $$;
