-- Where the calls for a channel go; known from the first of them. Networks are told apart by it.
alter table channel add column provider_origin text;

-- The kind of wait that was announced last, as long as it goes on: a try that ends in the same wait is not announced again.
alter table destination add column announced_wait text;

-- The accounts whose last call went as if their network were away. Whether it is, the accounts of all workspaces show together.
create table network_failure (
  origin       text        not null,
  workspace_id uuid        not null,
  channel_id   uuid        not null,
  failed_at    timestamptz not null default now(),
  primary key (origin, workspace_id, channel_id),
  foreign key (workspace_id, channel_id) references channel on delete cascade
);

-- A network that is taken to be away, by one workspace or by all: of what is due there, one at a time is claimed as a probe.
create table network_outage (
  id           uuid        primary key default gen_random_uuid(),
  origin       text        not null,
  workspace_id uuid        references workspace,       -- null: for all
  since        timestamptz not null default now(),
  probes       integer     not null default 0,         -- how many have failed
  probe_at     timestamptz not null,                   -- when the next one may go
  unique nulls not distinct (origin, workspace_id)
);
