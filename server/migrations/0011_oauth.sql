-- What the authorization server keeps: clients, codes, tokens, interactions. An id is a bearer secret, so only its
-- SHA-256 is stored, and nothing in the payload repeats it.
create table oauth_artifact (
  model       text        not null,
  id_hash     bytea       not null check (octet_length(id_hash) = 32),
  payload     jsonb       not null,
  grant_hash  bytea       check (octet_length(grant_hash) = 32),
  uid_hash    bytea       check (octet_length(uid_hash) = 32),
  consumed_at timestamptz,
  expires_at  timestamptz,               -- null: for as long as it is used
  created_at  timestamptz not null default now(),
  used_at     timestamptz,               -- of registered clients: when a person last let one in
  primary key (model, id_hash)
);
create index oauth_artifact_of_grant on oauth_artifact (grant_hash) where grant_hash is not null;
create index oauth_artifact_uid on oauth_artifact (model, uid_hash) where uid_hash is not null;
create index oauth_artifact_age on oauth_artifact (expires_at) where expires_at is not null;
create index oauth_artifact_unused_client on oauth_artifact (created_at) where model = 'Client' and used_at is null;

-- A client that a member let into a workspace, and what it may do there.
create table oauth_grant (
  workspace_id  uuid        not null references workspace,
  id            uuid        not null,
  member_id     uuid        not null,
  grant_hash    bytea       not null unique check (octet_length(grant_hash) = 32),
  client_id     text        not null,
  client_name   text        not null check (client_name <> ''),
  client_origin text        not null,     -- where the client gets its codes: a host, or an application's scheme
  permissions   text[]      not null check (permissions <@ array[
    'channels:read', 'calendar:read', 'posts:read', 'posts:write', 'media:read', 'media:write', 'ai:generate']),
  revoked_at    timestamptz,
  last_used_at  timestamptz,
  created_at    timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, member_id) references member
);

-- Authenticates the authorization server's cookies, which hold nothing but ids that are secrets themselves.
alter table installation add column oauth_key bytea check (octet_length(oauth_key) = 32);
update installation set oauth_key = uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
alter table installation alter column oauth_key set not null;
