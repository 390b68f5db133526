-- The account's tier at its provider, where that decides on the limit of a post; null while it is not known.
alter table channel add column subscription text check (subscription <> '');

-- One request to a model: opened before the first call, so that equal requests make one call and a crash leaves
-- a trace; and what was used, for the budget of the day. What the model wrote is not kept here.
create table ai_generation (
  workspace_id    uuid        not null references workspace,
  id              uuid        not null,
  operation       text        not null,
  key             text        not null,  -- the idempotency key; one of ours when none was sent
  fingerprint     bytea       not null,
  credential_id   uuid        not null,
  model           text        not null,
  status          text        not null default 'running' check (status in ('running', 'succeeded', 'failed', 'lost')),
  calls           integer     not null default 0,
  input_tokens    integer     not null default 0,
  output_tokens   integer     not null default 0,
  images          integer     not null default 0,
  reserved_tokens integer     not null default 0,  -- what the call under way may use
  reserved_images integer     not null default 0,
  failure         text,                  -- why not, in a word of ours
  begun_at        timestamptz not null default now(),
  lease_until     timestamptz,           -- while it runs: after that its process is taken for dead
  settled_at      timestamptz,
  primary key (workspace_id, id),
  constraint running_has_lease check ((status = 'running') = (lease_until is not null)),
  constraint settled_has_time check ((status = 'running') = (settled_at is null)),
  constraint failed_has_failure check ((status = 'failed') = (failure is not null))
);
-- At most one request to a model runs under a key, whoever claims.
create unique index ai_generation_running on ai_generation (workspace_id, operation, key) where status = 'running';
create index ai_generation_of_day on ai_generation (workspace_id, begun_at);
