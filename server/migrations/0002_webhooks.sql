-- Where a workspace wants its events sent. The check lists are compared with the tables in server/src/webhooks by a test.
create table endpoint (
  workspace_id    uuid        not null references workspace,
  id              uuid        not null unique,
  url             text        not null check (url <> ''),   -- in the normal form of the URL parser
  description     text        not null default '',
  event_types     text[]      not null check (cardinality(event_types) > 0 and event_types <@ array[
    'post.scheduled', 'post.published', 'post.partial', 'post.failed', 'post.delayed', 'post.reconnect_required',
    'post.recovery_required', 'post.cancelled', 'post.expired']),
  status          text        not null default 'active' check (status in ('active', 'disabled')),
  status_since    timestamptz not null default now(),
  disabled_reason text        check (disabled_reason in ('by_hand', 'failing')),
  failing_since   timestamptz,                       -- of the first failed attempt after the last success
  lost_since      integer     not null default 0,    -- deliveries that were given up since then
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint disabled_has_reason check ((status = 'disabled') = (disabled_reason is not null)),
  constraint lost_only_while_failing check (failing_since is not null or lost_since = 0)
);
create index endpoint_active on endpoint (workspace_id) where status = 'active';

-- A signing secret. The newest has no end; older ones sign beside it until theirs.
create table endpoint_secret (
  workspace_id uuid        not null,
  endpoint_id  uuid        not null,
  id           uuid        not null,
  sealed       bytea       not null,
  retires_at   timestamptz,
  created_at   timestamptz not null default now(),
  primary key (workspace_id, endpoint_id, id),
  foreign key (workspace_id, endpoint_id) references endpoint
);
create unique index endpoint_secret_newest on endpoint_secret (endpoint_id) where retires_at is null;

-- One event owed to one endpoint. Its row is the queue entry, too.
-- No foreign key to the endpoint: every insert would lock the endpoint's row, which a busy endpoint shares among
-- all writers; endpoints are never deleted. None to the event: a test event is recorded nowhere else.
create table delivery (
  workspace_id uuid        not null,
  endpoint_id  uuid        not null,
  event_id     uuid        not null,
  event_type   text        not null,
  test_body    bytea,                                -- the body of a test event; all others are in outbox_event
  status       text        not null default 'pending' check (status in ('pending', 'sending', 'delivered', 'failed')),
  round        integer     not null default 1,       -- raised by every resend
  attempts     integer     not null default 0 check (attempts between 0 and 5),  -- of this round, counted before sending
  next_at      timestamptz not null default now(),   -- when it is due
  fence        integer     not null default 0,       -- raised by every claim: proves who may write
  lease_until  timestamptz,
  http_status  smallint,                             -- of the last attempt that was answered
  error        text,                                 -- of the last attempt, when it failed
  settled_at   timestamptz,
  created_at   timestamptz not null default now(),
  primary key (workspace_id, endpoint_id, event_id),
  constraint leased_only_while_sending check ((status = 'sending') = (lease_until is not null)),
  constraint settled_has_time check ((status in ('delivered', 'failed')) = (settled_at is not null))
) with (fillfactor = 85);
-- A claim hops from endpoint to endpoint in this index and looks at each one's first entries only.
create index delivery_pending on delivery (endpoint_id, next_at, event_id) where status = 'pending';
create index delivery_sending on delivery (endpoint_id, lease_until) where status = 'sending';
-- Every further index is written three times in a delivery's life; pruning is content with a rough one.
create index delivery_age on delivery using brin (created_at) with (autosummarize = on);

-- One try at one delivery, and what came of it.
create table delivery_attempt (
  workspace_id uuid        not null,
  endpoint_id  uuid        not null,
  event_id     uuid        not null,
  round        integer     not null,
  number       integer     not null check (number between 1 and 5),
  ended_at     timestamptz not null default now(),
  duration_ms  real,                                 -- null when the dispatcher was lost in the middle
  http_status  smallint,                             -- null when nothing came back
  error        text,                                 -- null when it was delivered
  primary key (workspace_id, endpoint_id, event_id, round, number)
);
create index delivery_attempt_age on delivery_attempt using brin (ended_at) with (autosummarize = on);

-- Whoever records an event owes it to the endpoints that want it, in the same transaction: as a trigger, no writer can
-- forget it, and the outbox need not know that webhooks exist. It runs once per statement, however many events
-- a settlement of many destinations records.
create function owe_deliveries() returns trigger language plpgsql as $$
begin
  insert into delivery (workspace_id, endpoint_id, event_id, event_type)
  select e.workspace_id, e.id, recorded.id, recorded.type
  from   recorded
  join   endpoint e on e.workspace_id = recorded.workspace_id and e.status = 'active' and recorded.type = any (e.event_types);
  if found then
    perform pg_notify('postrider_webhooks', '');
  end if;
  return null;
end
$$;

create trigger outbox_event_owes_deliveries
after insert on outbox_event
referencing new table as recorded
for each statement execute function owe_deliveries();

-- For readers that follow the events in the order of the transactions that recorded them.
create index outbox_event_recorded on outbox_event (workspace_id, recorded_by);
