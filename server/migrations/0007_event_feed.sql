-- What all processes that work on this database share: one row.
create table installation (
  only_row   boolean primary key default true check (only_row),
  -- Authenticates cursors. It is stored in the clear, so that cursors outlive every rotation of the secret keys:
  -- a cursor reaches nothing that its reader may not read.
  cursor_key bytea   not null check (octet_length(cursor_key) = 32)
);
insert into installation (cursor_key) values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- The feed of events is read in the order of `seq`. That alone would lose events: `seq` is assigned before the commit,
-- so a lower one may become visible after a higher one was read. Each writer therefore holds, until its transaction has
-- ended, a shared advisory lock named after the last `seq` that was assigned before its own, and readers go no further
-- than the lowest of these. Nothing ever waits for such a lock. A trigger, so that no writer can forget it; it runs before
-- the statement assigns its first `seq`, for which the sequence must not cache values. Transaction ids would not do
-- instead: they begin anew in a restored database, and some are used again after a crash.
create function mark_event_writer() returns trigger language plpgsql as $$
declare
  assigned bigint;
begin
  select case when is_called then last_value else 0 end into assigned from outbox_event_seq_seq;
  perform pg_advisory_xact_lock_shared(720575940, (assigned & 2147483647)::int);
  return null;
end
$$;

create trigger outbox_event_marks_writer
before insert on outbox_event
for each statement execute function mark_event_writer();

-- The highest `seq` up to which every writer has ended: what a later statement does not see up to here was rolled back.
-- A lock's name is its `seq` modulo 2^31; one that seems to lie far behind belongs to a writer that began just now.
create function event_horizon() returns bigint language plpgsql as $$
declare
  assigned bigint;
begin
  select case when is_called then last_value else 0 end into assigned from outbox_event_seq_seq;
  return (
    select coalesce(min(assigned - behind) filter (where behind < 1073741824), assigned)
    from (
      select (assigned - objid::bigint) & 2147483647 as behind
      from   pg_locks
      where  locktype = 'advisory' and classid = 720575940 and objsubid = 2
      and    database = (select oid from pg_database where datname = current_database())
    ) writers);
end
$$;

-- The last event of each workspace that its retention has removed. The feed begins after it.
create table event_feed_start (
  workspace_id uuid   primary key references workspace,
  seq          bigint not null,
  event_id     uuid   not null
);

alter table outbox_event drop column recorded_by;  -- and the index on it
