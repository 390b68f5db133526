-- A connection keeps the plans of its statements, and in a new database makes them while the tables are small and were never
-- analyzed. The planner then takes `workspace_id` to tell rows apart as well as a whole key does, and reads all rows of a
-- workspace, or of a channel, with each statement, until the first autoanalyze. So a new database begins with statistics:
-- those of sample rows, in which ids of posts and destinations tell rows apart, and workspaces and channels do not. With a
-- target of one, no value of the samples becomes a "most common" one. A truncated table counts as never analyzed, with
-- the statistics of its columns. Databases in use have their own.
do $$
declare
  workspaces uuid[] := array[gen_random_uuid(), gen_random_uuid()];
begin
  if exists (select from workspace) then
    return;
  end if;
  -- A process of the release before may be at its first start.
  lock table workspace in share row exclusive mode;
  if exists (select from workspace) then
    return;
  end if;

  insert into workspace (id, name) select w, 'sample' from unnest(workspaces) w;
  insert into channel (workspace_id, id, provider, remote_account_id, display_name, handle, grant_sealed)
  select w, gen_random_uuid(), 'sample', n::text, 'sample', 'sample', '' from unnest(workspaces) w, generate_series(1, 2) n;

  insert into post (workspace_id, id, edit_token, created_by_type, created_by_name)
  select w, gen_random_uuid(), n, 'agent_key', 'sample' from unnest(workspaces) w, generate_series(1, 150) n;
  insert into destination (workspace_id, id, post_id, channel_id, provider, status, control_token, publish_at, due_at,
                           expires_at, published_at)
  select p.workspace_id, gen_random_uuid(), p.id, c.id, 'sample', s.status, gen_random_uuid(), s.at, s.at, s.at,
         case when s.status = 'published' then s.at end
  from   post p
  join   channel c on c.workspace_id = p.workspace_id
  cross  join lateral (
    select (array['draft', 'scheduled', 'published', 'failed'])[1 + p.edit_token::int % 4], now() + p.edit_token::int * interval '1 second') s (status, at);
  insert into part (workspace_id, destination_id, index, text, folded) select workspace_id, id, 0, id, id from destination;
  insert into attempt (workspace_id, id, destination_id, part_index, fence, verdict, settled_at)
  select workspace_id, gen_random_uuid(), id, 0, 0, 'rejected', now() from destination;
  insert into outbox_event (workspace_id, id, type, post_id, destination_id, body, created_at)
  select workspace_id, gen_random_uuid(), 'post.failed', post_id, id, '', now() from destination;
  insert into approval (workspace_id, id, post_id, content_digest, status, expires_at)
  select workspace_id, gen_random_uuid(), id, '', 'superseded', now() from post;
  insert into idempotency_record (workspace_id, operation, key, fingerprint, http_status, body)
  select workspace_id, 'sample', id, '', 200, '' from post;

  set local default_statistics_target = 1;
  analyze post, destination, part, attempt, outbox_event, approval, post_search, idempotency_record;
  reset default_statistics_target;

  truncate post, destination, part, attempt, outbox_event, approval, post_search, idempotency_record restart identity;
  delete from channel;
  delete from workspace;
end $$;
