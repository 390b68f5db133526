-- Networks that are back: their channels are to be looked at again, in batches that commit, in the order of their keys.
create table network_recovery (
  origin             text not null,
  workspace_id       uuid,                                                                     -- null: those of all
  after_workspace_id uuid not null default '00000000-0000-0000-0000-000000000000',             -- the last channel that is done
  after_channel_id   uuid not null default '00000000-0000-0000-0000-000000000000',
  unique nulls not distinct (origin, workspace_id)
);

-- An outage that ends begins its recovery anew where there is one. The release before makes none: then all channels are
-- looked at again here. They are still held where a workspace's outage has become one of all.
create or replace function queue_channels_of_network() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  update network_recovery r
  set    after_workspace_id = default, after_channel_id = default
  from   ended
  where  r.origin = ended.origin and r.workspace_id is not distinct from ended.workspace_id;

  perform queue_channels(array_agg(c.workspace_id), array_agg(c.id))
  from   ended
  join   channel c on c.provider_origin = ended.origin and (ended.workspace_id is null or c.workspace_id = ended.workspace_id)
  where  not exists (
    select from network_recovery r
    where  r.origin = ended.origin and r.workspace_id is not distinct from ended.workspace_id)
  and    not exists (select from network_outage o where o.origin = ended.origin and o.workspace_id is null)
  having count(*) > 0;
  return null;
end $$;
