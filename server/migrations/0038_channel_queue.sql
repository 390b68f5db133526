-- When a claim has to look at a channel next: never later than the moment from which something of it can be claimed. So a
-- claim reads the channels that are due and not what waits behind them, nor channels that are held, disabled or busy.
create table channel_queue (
  workspace_id uuid        not null,
  channel_id   uuid        not null,
  look_at      timestamptz not null default 'infinity',
  primary key (workspace_id, channel_id),
  foreign key (workspace_id, channel_id) references channel on delete cascade
) with (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.05);
create index channel_queue_time on channel_queue (look_at);
create index channel_queue_workspace on channel_queue (workspace_id, look_at);

-- Has channels looked at when their first destination is due, if that is sooner than planned. Only a claim puts `look_at`
-- off. It locks the row of the channel for that and then looks again, so that it sees whatever has come this way, and
-- whatever comes this way later waits for it. Rows are locked in one order.
create function queue_channels(workspace_ids uuid[], channel_ids uuid[]) returns void language plpgsql as $$
begin
  perform
  from   unnest(workspace_ids, channel_ids) as t (workspace_id, channel_id)
  join   channel c on c.workspace_id = t.workspace_id and c.id = t.channel_id
  order  by c.workspace_id, c.id
  for    key share of c;

  update channel_queue q
  set    look_at = sooner.due_at
  from   (
    select q.workspace_id, q.channel_id, head.due_at
    from   unnest(workspace_ids, channel_ids) as t (workspace_id, channel_id)
    join   channel_queue q on q.workspace_id = t.workspace_id and q.channel_id = t.channel_id
    cross  join lateral (
      select d.due_at
      from   destination d
      where  d.workspace_id = t.workspace_id and d.channel_id = t.channel_id
      and    d.status in ('scheduled', 'delayed', 'partially_published')
      order  by d.due_at, d.id
      limit  1
    ) head
    where  q.look_at > head.due_at
    order  by q.workspace_id, q.channel_id
    for    no key update of q) sooner
  where  q.workspace_id = sooner.workspace_id and q.channel_id = sooner.channel_id and q.look_at > sooner.due_at;
end $$;

-- A destination becomes claimable, is due sooner, or ends its publication and leaves the channel to the next one. As
-- triggers, no writer can forget it, those of the release before included.
create function queue_written_destinations() returns trigger language plpgsql as $$
begin
  perform queue_channels(array_agg(workspace_id), array_agg(channel_id))
  from   (select distinct workspace_id, channel_id from written where status not in ('draft', 'publishing')) touched
  having count(*) > 0;
  return null;
end $$;
create trigger destination_inserted_queues after insert on destination referencing new table as written
for each statement execute function queue_written_destinations();
create trigger destination_updated_queues after update on destination referencing new table as written
for each statement execute function queue_written_destinations();

create function queue_changed_channel() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into channel_queue (workspace_id, channel_id) values (new.workspace_id, new.id);
  else
    perform queue_channels(array[new.workspace_id], array[new.id]);
  end if;
  return null;
end $$;
create trigger channel_inserted_queues after insert on channel
for each row execute function queue_changed_channel();
create trigger channel_updated_queues after update of enabled, connection_status, paused_until, provider_origin on channel
for each row when ((old.enabled, old.connection_status, old.paused_until, old.provider_origin)
                   is distinct from (new.enabled, new.connection_status, new.paused_until, new.provider_origin))
execute function queue_changed_channel();

create function queue_channels_of_network() returns trigger language plpgsql as $$
begin
  perform queue_channels(array_agg(c.workspace_id), array_agg(c.id))
  from   ended
  join   channel c on c.provider_origin = ended.origin and (ended.workspace_id is null or c.workspace_id = ended.workspace_id)
  having count(*) > 0;
  return null;
end $$;
create trigger network_outage_ended_queues after delete on network_outage referencing old table as ended
for each statement execute function queue_channels_of_network();

-- The first claim finds out when to look at them next.
insert into channel_queue (workspace_id, channel_id, look_at) select workspace_id, id, '-infinity' from channel;
