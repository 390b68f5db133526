-- Every table carries workspace_id first in its keys, so that the data can later be spread by workspace.
-- The check lists of statuses are compared with the tables in contract/ and server/src by a test.

create table workspace (
  id           uuid        primary key,
  name         text        not null check (name <> ''),
  time_zone    text        not null default 'UTC',
  allowed_time interval    not null default interval '24 hours' check (allowed_time > interval '0'),
  created_at   timestamptz not null default now()
);

create table member (
  workspace_id uuid        not null references workspace,
  id           uuid        not null,
  name         text        not null check (name <> ''),
  email        text        not null check (email <> ''),
  role         text        not null default 'owner' check (role in ('owner', 'member')),
  created_at   timestamptz not null default now(),
  primary key (workspace_id, id)
);

-- An agent key. Only the SHA-256 of the secret is kept.
create table agent_key (
  workspace_id uuid        not null references workspace,
  id           uuid        not null,
  member_id    uuid        not null,
  name         text        not null check (name <> ''),
  hint         text        not null,
  secret_hash  bytea       not null unique check (octet_length(secret_hash) = 32),
  permissions  text[]      not null check (permissions <@ array[
    'channels:read', 'calendar:read', 'posts:read', 'posts:write', 'media:read', 'media:write', 'ai:generate']),
  expires_at   timestamptz,
  revoked_at   timestamptz,
  last_used_at timestamptz,
  created_at   timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, member_id) references member
);

-- The answer a write was given, stored in the transaction of its effect. Only successes are recorded.
create table idempotency_record (
  workspace_id uuid        not null references workspace,
  operation    text        not null,
  key          text        not null,
  fingerprint  bytea       not null,
  http_status  smallint    not null,
  body         bytea       not null,
  created_at   timestamptz not null default now(),
  primary key (workspace_id, operation, key)
);
create index idempotency_record_age on idempotency_record (created_at);

-- A connected account at a provider.
create table channel (
  workspace_id      uuid        not null references workspace,
  id                uuid        not null,
  provider          text        not null,
  remote_account_id text        not null,
  display_name      text        not null,
  handle            text        not null,
  avatar_url        text,
  enabled           boolean     not null default true,
  connection_status text        not null default 'connected' check (connection_status in ('connected', 'reconnect_required')),
  connected_at      timestamptz not null default now(),
  grant_sealed      bytea       not null,
  paused_until      timestamptz,         -- the provider asked for a pause
  created_at        timestamptz not null default now(),
  updated_at        timestamptz not null default now(),
  primary key (workspace_id, id),
  unique (workspace_id, provider, remote_account_id)
);

create table post (
  workspace_id    uuid        not null references workspace,
  id              uuid        not null,
  content         jsonb,                 -- what all destinations share; null when each has its own
  edit_token      text        not null,
  created_by_type text        not null check (created_by_type in ('agent_key', 'oauth', 'person')),
  created_by_name text        not null,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  primary key (workspace_id, id)
);

-- One post on one channel: the unit that is published. Its row is the queue entry, too.
create table destination (
  workspace_id  uuid        not null,
  id            uuid        not null unique,
  post_id       uuid        not null,
  channel_id    uuid        not null,
  provider      text        not null,
  status        text        not null check (status in (
    'draft', 'scheduled', 'publishing', 'published', 'partially_published', 'failed', 'delayed',
    'reconnect_required', 'checking', 'cancelled', 'expired')),
  status_since  timestamptz not null default now(),
  control_token text        not null,
  content       jsonb,                   -- null when the post's content is shared
  settings      jsonb       not null default '{}',
  publish_at    timestamptz,
  expires_at    timestamptz,
  due_at        timestamptz,             -- when a worker looks at it next
  published_at  timestamptz,
  release_url   text,
  check_again_at timestamptz,
  error         jsonb,
  tries         integer     not null default 0,  -- safe tries since the last schedule, for growing intervals
  fence         integer     not null default 0,  -- raised by every claim: proves who may write
  leased_by     uuid,
  lease_until   timestamptz,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  primary key (workspace_id, id),
  unique (workspace_id, post_id, channel_id),
  foreign key (workspace_id, post_id) references post,
  foreign key (workspace_id, channel_id) references channel,
  constraint leased_only_while_publishing check ((status = 'publishing') = (lease_until is not null)),
  constraint scheduled_has_time check (
    status <> 'scheduled' or (publish_at is not null and due_at is not null and expires_at is not null)),
  constraint delayed_has_time check ((status = 'delayed') <= (check_again_at is not null)),
  constraint published_has_time check ((status = 'published') = (published_at is not null))
);
-- At most one publication at a time per channel, whoever claims.
create unique index destination_one_publishing on destination (workspace_id, channel_id) where status = 'publishing';
create index destination_due on destination (due_at, workspace_id, channel_id, id)
  where status in ('scheduled', 'delayed', 'partially_published');
create index destination_checking on destination (due_at) where status = 'checking';
create index destination_expiring on destination (expires_at)
  where status in ('scheduled', 'delayed', 'reconnect_required', 'partially_published');
create index destination_blocked on destination (workspace_id, channel_id)
  where status in ('reconnect_required', 'partially_published');
create index destination_lease on destination (lease_until) where status = 'publishing';
create index destination_publish_at on destination (workspace_id, publish_at);
create index destination_published_at on destination (workspace_id, published_at);
create index destination_channel on destination (workspace_id, channel_id, status);

-- One ordered piece of a destination: the text, then the follow-ups.
create table part (
  workspace_id   uuid        not null,
  destination_id uuid        not null,
  index          integer     not null check (index >= 0),
  status         text        not null default 'pending' check (status in (
    'pending', 'publishing', 'published', 'failed', 'checking', 'skipped')),
  text           text        not null,
  folded         text        not null,   -- the text folded for search, by the server and not by a collation
  remote_id      text,
  release_url    text,
  published_at   timestamptz,
  primary key (workspace_id, destination_id, index),
  foreign key (workspace_id, destination_id) references destination on delete cascade,
  constraint published_has_evidence check ((status = 'published') = (remote_id is not null and published_at is not null))
);

-- One publish call, opened before it is made, and what came of it. Its id is the idempotency key that the
-- provider is given, so every repeat of the call carries the same one.
create table attempt (
  workspace_id   uuid        not null,
  id             uuid        not null,
  destination_id uuid        not null,
  part_index     integer     not null,
  fence          integer     not null,
  armed_at       timestamptz not null default now(),
  handle         text,                   -- where the provider lets us watch what it is still processing
  verdict        text        check (verdict in ('published', 'rejected', 'deferred', 'reauthorize', 'unknown', 'absent')),
  settled_at     timestamptz,
  evidence       jsonb       not null default '[]',  -- every exchange that told something, oldest first
  primary key (workspace_id, id),
  foreign key (workspace_id, destination_id) references destination on delete cascade,
  constraint settled_has_verdict check ((settled_at is null) = (verdict is null))
);
create index attempt_of_destination on attempt (workspace_id, destination_id, part_index, armed_at);
-- A part has at most one call whose end is not known.
create unique index attempt_in_doubt on attempt (workspace_id, destination_id, part_index)
  where verdict is null or verdict = 'unknown';

-- What happened, written in the transaction of the change. `body` is the webhook body: those very bytes are sent.
create table outbox_event (
  seq            bigint      generated always as identity primary key,
  workspace_id   uuid        not null references workspace,
  id             uuid        not null unique,
  type           text        not null check (type in (
    'post.scheduled', 'post.published', 'post.partial', 'post.failed', 'post.delayed', 'post.reconnect_required',
    'post.recovery_required', 'post.cancelled', 'post.expired')),
  post_id        uuid        not null,
  destination_id uuid        not null,
  body           bytea       not null,
  recorded_by    xid8        not null default pg_current_xact_id(),  -- lets a reader wait for writers still under way
  created_at     timestamptz not null
);
create index outbox_event_of_workspace on outbox_event (workspace_id, seq);
create index outbox_event_of_destination on outbox_event (workspace_id, destination_id, seq);
create index outbox_event_age on outbox_event (created_at);

-- A person's decision about an immediate post, bound to exactly what would be published where.
create table approval (
  workspace_id   uuid        not null,
  id             uuid        not null,
  post_id        uuid        not null,
  content_digest bytea       not null,
  status         text        not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'superseded', 'expired')),
  requested_at   timestamptz not null default now(),
  expires_at     timestamptz not null,
  decided_at     timestamptz,
  decided_by     uuid,
  note           text,
  primary key (workspace_id, id),
  foreign key (workspace_id, post_id) references post,
  foreign key (workspace_id, decided_by) references member,
  constraint decided_has_time check ((status in ('approved', 'rejected')) = (decided_at is not null))
);
create index approval_of_post on approval (workspace_id, post_id, id desc);
create unique index approval_open on approval (workspace_id, post_id) where status = 'pending';

-- A running process that publishes; its row is gone after a clean stop.
create table worker (
  id         uuid        primary key,
  roles      text[]      not null,
  host       text        not null,
  pid        integer     not null,
  started_at timestamptz not null default now(),
  beat_at    timestamptz not null default now()
);
