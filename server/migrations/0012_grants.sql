alter table channel
  add column limits         jsonb,                                -- what the account's server takes, where servers differ
  add column grant_revision integer     not null default 1,       -- raised by every new grant: names the one in use
  add column access_ends_at timestamptz,                          -- when the access token ends; a refresh gets another
  add column refresh_due_at timestamptz,                          -- null: the grant needs no refresh
  add column profile_due_at timestamptz not null default now();   -- when the account's profile is read next
create index channel_refresh_due on channel (refresh_due_at) where connection_status = 'connected';
create index channel_profile_due on channel (profile_due_at) where connection_status = 'connected';

-- What the adapter found out before the call and puts into it: the same for every repeat.
alter table attempt add column prepared jsonb;

-- Who we are at a network's authorisation server. Instances of a network each have their own.
create table oauth_client (
  id            uuid        primary key,
  provider      text        not null,
  server        text        not null,     -- an origin; '' where the network has one for all
  redirect_uri  text        not null,     -- a client is registered for one address to come back to
  client_sealed bytea       not null,
  created_at    timestamptz not null default now(),
  unique (provider, server, redirect_uri)
);

-- A person on the way to a network and back, to connect an account. Only hashes of what proves who they are are kept.
create table connect_flow (
  id            uuid        primary key,
  workspace_id  uuid        not null references workspace,
  provider      text        not null,
  channel_id    uuid,                     -- the channel to reconnect; null for any account
  fields        jsonb       not null default '{}',
  actor         jsonb       not null,     -- who began it, for the audit log
  link_hash     bytea       not null unique,
  browser_hash  bytea,                    -- of the cookie of the browser that opened the link
  state_hash    bytea       unique,
  kept_sealed   bytea,                    -- code verifier, and what the adapter keeps
  expires_at    timestamptz not null,
  returned_at   timestamptz,              -- the browser came back: nothing can come back a second time
  outcome       jsonb,
  created_at    timestamptz not null default now(),
  foreign key (workspace_id, channel_id) references channel
);
create index connect_flow_age on connect_flow (expires_at);
