-- The schema, to be read: tables are grouped by the part of the server that they belong to, each with what it is for, and its
-- triggers and functions beside it. From the first release on this file stays as it is, and changes are files behind it.
-- Every table of a workspace carries workspace_id first in its keys, so that the data can later be spread by workspace.
-- Lists of values in checks are compared with contract/ and server/src by tests.
--
-- Tables that are written with every post have lists of values as domains: PostgreSQL reads the text of a check constraint, of a
-- generated column and of an index's condition anew with each statement that writes the table, which takes longer than the row
-- itself; that of a domain, once for each connection. And they have no triggers on inserts: what follows from a row is written by
-- the statement that inserts it.
--
-- Tables that are written with every post have no foreign key that proves nothing: each costs a look-up and a lock of the row it
-- leads to, on every insert. The workspace of a row is that of a credential, a destination or a channel that the writer has
-- read. A destination is inserted by the statement that inserts its post, or under the lock of that post; a part and an
-- attempt, with their destination or under its lock; and what claims have to know of a destination is written to the queue of its
-- channel, whose row is locked for that. And nothing deletes workspaces, channels, posts or destinations: whatever comes to do so
-- has to delete what belongs to them first.

-- ---------------------------------------------------------------------------------------------------------------------
-- Values
-- ---------------------------------------------------------------------------------------------------------------------

create domain destination_status as text constraint destination_status check (value in (
  'draft', 'scheduled', 'publishing', 'published', 'partially_published', 'failed', 'delayed',
  'reconnect_required', 'checking', 'cancelled', 'expired'));

create domain part_status as text constraint part_status check (value in (
  'pending', 'publishing', 'published', 'failed', 'checking', 'skipped'));

-- Who creates posts, and who changes them.
create domain creator_type as text constraint creator_type check (value in ('agent_key', 'oauth', 'person'));
create domain author_type as text constraint author_type check (value in ('agent_key', 'oauth', 'person', 'service'));
-- Who is named in the audit log.
create domain actor_type as text constraint actor_type check (value in ('person', 'agent_key', 'oauth', 'operator', 'service'));

create domain event_type as text constraint event_type check (value in (
  'post.scheduled', 'post.published', 'post.partial', 'post.failed', 'post.delayed', 'post.reconnect_required',
  'post.recovery_required', 'post.cancelled', 'post.expired', 'post.created', 'post.edited', 'approval.requested',
  'approval.decided'));

-- ---------------------------------------------------------------------------------------------------------------------
-- Installation
-- owner: platform
-- ---------------------------------------------------------------------------------------------------------------------

-- What all processes on this database share: one row.
create table installation (
  only_row         boolean primary key default true check (only_row),
  -- Authenticates cursors. Stored in the clear, so that cursors outlive rotations of the secret keys: a cursor reaches nothing
  -- that its reader may not read.
  cursor_key       bytea   not null check (octet_length(cursor_key) = 32),
  -- Authenticates the authorization server's cookies, which hold nothing but ids that are secrets themselves.
  oauth_key        bytea   not null check (octet_length(oauth_key) = 32),
  canary_sealed    bytea,                -- sealed by the first process: other keys than its own do not open it
  media_storage_id uuid                  -- the id that the media storage carries: a process that sees another one must not start
);
insert into installation (cursor_key, oauth_key)
values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- When a part of the server last did its work, in whichever process; and when the last backup was complete.
create table activity (
  part text        primary key check (part <> ''),
  at   timestamptz not null default now()
);

-- A running process that publishes or delivers; its row is gone after a clean stop.
create table worker (
  id           uuid        primary key,
  roles        text[]      not null,
  host         text        not null,
  pid          integer     not null,
  heartbeat_at timestamptz not null default now()
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Workspaces, people, members
-- owner: members
-- ---------------------------------------------------------------------------------------------------------------------

-- A customer's own space: whatever belongs to a customer is of one workspace.
create table workspace (
  id              uuid        primary key,
  name            text        not null check (name <> ''),
  time_zone       text        not null default 'UTC',
  allowed_time    interval    not null default interval '24 hours' check (allowed_time > interval '0'),
  -- What waits for approval besides immediate posts; what is not in it asks for nothing.
  approval_policy jsonb       not null default '{}' check (jsonb_typeof(approval_policy) = 'object'),
  link_tags       jsonb,                 -- what is added to the links of posts, as `LinkTags` of the contract; null for nothing
  created_at      timestamptz not null default now()
);

-- A person who can sign in. A member is what a person is in one workspace.
create table person (
  id              uuid        primary key,
  name            text        not null check (name <> ''),
  email           text        not null,  -- in its canonical form, which the program makes
  email_proven_at timestamptz,           -- when the person was shown to read mail sent there
  password_hash   text,                  -- PHC string; null while there is none
  by_operator     boolean     not null default false, -- the operator named the person, and gave them the link to get in
  -- How they have calendars and clocks shown, and in which language they read; null as their browser has it.
  week_start      text        constraint person_week_start check (week_start in ('monday', 'saturday', 'sunday')),
  clock           text        constraint person_clock check (clock in ('12h', '24h')),
  language        text        constraint person_language check (language in ('en', 'de')),
  created_at      timestamptz not null default now(),
  constraint person_email_is_canonical check (email ~ '^[!-~]+@[!-~]+$' and email = lower(email))
);
create unique index person_address on person (email);

-- What a person is in a workspace; one who was removed stays, since others name them.
create table member (
  workspace_id uuid        not null references workspace,
  id           uuid        not null,
  person_id    uuid        not null references person,
  role         text        not null constraint member_role check (role in ('owner', 'admin', 'editor', 'approver', 'viewer')),
  removed_at   timestamptz,
  suspended_at timestamptz,              -- removed by a restore, until the operator confirms that the member still belongs there
  created_at   timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint suspended_member_is_removed check (suspended_at is null or removed_at is not null),
  constraint member_person unique (workspace_id, person_id)
);
create index member_of_person on member (person_id);

-- An invitation to become a member, by a link that works once.
create table invitation (
  workspace_id uuid        not null references workspace,
  id           uuid        not null,
  token_hash   bytea       not null unique check (octet_length(token_hash) = 32),
  email        text        not null,
  role         text        not null check (role in ('owner', 'admin', 'editor', 'approver', 'viewer')),
  by_mail      boolean     not null,     -- the link went to the address, and nowhere else
  invited_by   uuid        not null,
  expires_at   timestamptz not null,
  accepted_at  timestamptz,
  revoked_at   timestamptz,
  created_at   timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, invited_by) references member,
  constraint invitation_email_is_canonical check (email ~ '^[!-~]+@[!-~]+$' and email = lower(email))
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Sign-in. All of it belongs to people, who are global. Secrets are kept as SHA-256 (of 256 random bits) or sealed.
-- owner: sign-in
-- ---------------------------------------------------------------------------------------------------------------------

-- A browser in which a person is signed in.
create table session (
  id         uuid        primary key,
  person_id  uuid        not null references person,
  token_hash bytea       not null unique check (octet_length(token_hash) = 32),
  proved_at  timestamptz not null default now(),   -- when the person last confirmed their identity
  seen_at    timestamptz not null default now(),
  ends_at    timestamptz not null,                 -- however much it is used
  address    text,
  user_agent text,
  created_at timestamptz not null default now()
);
create index session_of_person on session (person_id);
create index session_age on session (ends_at);

-- A link that works once: to become the first owner of a workspace, to set a new password, or to prove an e-mail address.
create table one_time_link (
  token_hash   bytea       primary key check (octet_length(token_hash) = 32),
  kind         text        not null check (kind in ('owner', 'reset', 'email')),
  person_id    uuid        not null references person,
  workspace_id uuid        references workspace,
  email        text,                               -- the address that the link proves
  by_mail      boolean     not null default false, -- its holder reads mail sent to the person's address
  expires_at   timestamptz not null,
  used_at      timestamptz,
  created_at   timestamptz not null default now(),
  constraint owner_of_workspace check ((kind = 'owner') = (workspace_id is not null)),
  constraint email_to_prove check ((kind = 'email') = (email is not null))
);
create index one_time_link_of_person on one_time_link (person_id);

-- A request for a link to set a new password. Whether a person has the address is looked up after the answer.
create table reset_request (
  id         uuid        primary key,
  email      text        not null,
  address    text        not null,
  created_at timestamptz not null default now()
);

-- What a browser has begun and has to finish within minutes: the second factor of a sign-in, a passkey, a sign-in at the issuer.
create table ceremony (
  token_hash bytea       primary key check (octet_length(token_hash) = 32),
  kind       text        not null check (kind in ('second_factor', 'passkey_sign_in', 'passkey_registration', 'passkey_proof', 'oidc')),
  person_id  uuid        references person,
  session_id uuid        references session on delete cascade,
  facts      jsonb       not null default '{}',
  expires_at timestamptz not null
);
create index ceremony_age on ceremony (expires_at);

-- How often something was tried within a window. The bucket is the SHA-256 of what is counted, in hexadecimal.
create table throttle (
  bucket  text        primary key,
  count   integer     not null,
  ends_at timestamptz not null
);
create index throttle_age on throttle (ends_at);

-- The authenticator app of a person. Codes are asked for once it is confirmed.
create table totp (
  person_id    uuid        primary key references person,
  sealed       bytea       not null,
  confirmed_at timestamptz,
  last_step    bigint      not null default 0,     -- of the last accepted code: none is accepted twice
  created_at   timestamptz not null default now()
);

-- A code that replaces the second factor, once.
create table recovery_code (
  person_id uuid        not null references person,
  code_hash bytea       not null check (octet_length(code_hash) = 32),
  used_at   timestamptz,
  primary key (person_id, code_hash)
);

-- A WebAuthn credential of a person.
create table passkey (
  id            uuid        primary key,
  person_id     uuid        not null references person,
  credential_id bytea       not null unique,
  public_key    bytea       not null,
  counter       bigint      not null,
  transports    text[]      not null,
  name          text        not null check (name <> ''),
  last_used_at  timestamptz,
  created_at    timestamptz not null default now()
);
create index passkey_of_person on passkey (person_id);

-- Who a person is at the configured OpenID Connect issuer.
create table person_identity (
  issuer     text        not null,
  subject    text        not null,
  person_id  uuid        not null references person,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index person_identity_of_person on person_identity (person_id);

-- ---------------------------------------------------------------------------------------------------------------------
-- Agent keys
-- owner: keys
-- ---------------------------------------------------------------------------------------------------------------------

-- A credential of an agent, given by a member. Only the SHA-256 of its secret is kept.
create table agent_key (
  workspace_id uuid        not null references workspace,
  id           uuid        not null,
  member_id    uuid        not null,
  name         text        not null check (name <> ''),
  hint         text        not null,     -- the first characters of the key, to tell keys apart
  secret_hash  bytea       not null unique check (octet_length(secret_hash) = 32),
  permissions  text[]      not null check (permissions <@ array[
    'channels:read', 'calendar:read', 'posts:read', 'posts:write', 'media:read', 'media:write', 'ai:generate',
    'webhooks:write']),
  -- What the key is narrowed to besides its permissions; what is not in it narrows nothing.
  limits       jsonb       not null default '{}' check (jsonb_typeof(limits) = 'object'),
  expires_at   timestamptz,
  revoked_at   timestamptz,
  suspended_at timestamptz,              -- revoked by a restore, until the operator confirms that it was not before
  last_used_at timestamptz,
  created_at   timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint suspended_key_is_revoked check (suspended_at is null or revoked_at is not null),
  foreign key (workspace_id, member_id) references member
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Connected apps: the OAuth authorization server
-- owner: apps
-- ---------------------------------------------------------------------------------------------------------------------

-- What the authorization server stores: clients, codes, tokens, interactions. An id is a bearer secret, so only its
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
  used_at     timestamptz,               -- of registered clients: when a person last allowed one
  primary key (model, id_hash)
);
create index oauth_artifact_of_grant on oauth_artifact (grant_hash) where grant_hash is not null;
create index oauth_artifact_uid on oauth_artifact (model, uid_hash) where uid_hash is not null;
create index oauth_artifact_age on oauth_artifact (expires_at) where expires_at is not null;
create index oauth_artifact_unused_client on oauth_artifact (created_at) where model = 'Client' and used_at is null;

-- An app that a member allowed in a workspace, and what it may do there.
create table oauth_grant (
  workspace_id  uuid        not null references workspace,
  id            uuid        not null,
  member_id     uuid        not null,
  grant_hash    bytea       not null unique check (octet_length(grant_hash) = 32),
  client_id     text        not null,
  client_name   text        not null check (client_name <> ''),
  client_origin text        not null,    -- where the app gets its codes: a host, or an application's scheme
  permissions   text[]      not null check (permissions <@ array[
    'channels:read', 'calendar:read', 'posts:read', 'posts:write', 'media:read', 'media:write', 'ai:generate',
    'webhooks:write']),
  limits        jsonb       not null default '{}' check (jsonb_typeof(limits) = 'object'),
  expires_at    timestamptz,             -- null: it ends with the authorization server's own grant
  revoked_at    timestamptz,
  last_used_at  timestamptz,
  created_at    timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, member_id) references member
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Idempotency of writes
-- owner: operations
-- ---------------------------------------------------------------------------------------------------------------------

-- The answer that a write was given, stored in the transaction of its effect. Only successes are recorded.
create table idempotency_record (
  workspace_id uuid        not null,
  operation    text        not null,
  key          text        not null,
  fingerprint  bytea       not null,
  http_status  smallint    not null,
  body         bytea       not null,
  created_at   timestamptz not null default now(),
  primary key (workspace_id, operation, key)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index idempotency_record_age on idempotency_record (created_at);

-- Raises PR001: what is sent behind it in the same round trip is not run then.
create function refuse_idempotency_key() returns void language plpgsql as $$
begin
  raise exception 'this idempotency key was used, or a request with it is being worked on' using errcode = 'PR001';
end $$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Audit
-- owner: audit
-- ---------------------------------------------------------------------------------------------------------------------

-- Who did what, when and from where; written in the transaction of the change, and never changed afterwards.
create table audit_entry (
  seq          bigint      generated always as identity primary key,
  workspace_id uuid,                               -- null: it concerns a person alone
  id           uuid        not null,
  at           timestamptz not null default now(),
  actor_type   actor_type  not null,
  actor_id     uuid,                               -- of the person, the key or the grant
  actor_name   text        not null,
  person_id    uuid,                               -- whose act it was, or in whose name; null for an operator
  action       text        not null,               -- the operation's id
  subject      jsonb       not null default '{}',  -- the ids of what it was done to
  before       jsonb,
  after        jsonb,
  address      text,
  request_id   uuid
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index audit_entry_of_workspace on audit_entry (workspace_id, seq);
create index audit_entry_of_person on audit_entry (person_id, seq) where workspace_id is null;
create index audit_entry_age on audit_entry (at);

-- Only what is past its retention may go, and only by a transaction that says so.
create function keep_audit_entry() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('postrider.audit_retention', true) = 'on' then
    return old;
  end if;
  raise exception 'audit_entry is append-only' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_entry_kept before update or delete on audit_entry
  for each row execute function keep_audit_entry();
create trigger audit_entry_whole before truncate on audit_entry
  for each statement execute function keep_audit_entry();

-- ---------------------------------------------------------------------------------------------------------------------
-- Mail
-- owner: mail
-- ---------------------------------------------------------------------------------------------------------------------

-- Mail to be sent, written in the transaction of what it tells of. A row without content is done.
create table mail (
  id             uuid        primary key,
  kind           text        not null check (kind <> ''),
  recipient      text        not null check (recipient <> ''),
  once           text        unique,               -- what there is one mail of, such as a request and its approver
  content_sealed bytea,                            -- subject and text: a link in it is a secret
  attempts       integer     not null default 0,   -- counted before sending; also the sender's fence
  due_at         timestamptz not null default now(),
  expires_at     timestamptz not null,             -- of no use to anybody after that
  sent_at        timestamptz,
  given_up_at    timestamptz,
  last_error     text,
  created_at     timestamptz not null default now(),
  constraint open_until_done check ((content_sealed is null) = (sent_at is not null or given_up_at is not null))
);
create index mail_due on mail (due_at) where content_sealed is not null;
create index mail_done on mail (created_at) where content_sealed is null;

-- ---------------------------------------------------------------------------------------------------------------------
-- Channels
-- owner: channels
-- ---------------------------------------------------------------------------------------------------------------------

-- A connected account at a network.
create table channel (
  workspace_id           uuid        not null references workspace,
  id                     uuid        not null,
  provider               text        not null,
  provider_origin        text,                -- where its calls go; known from the first of them. Networks are told apart by it.
  remote_account_id      text        not null,
  display_name           text        not null,
  renamed                boolean     not null default false,  -- a person named it so: what the network tells of the account does not replace that
  handle                 text        not null,
  avatar_url             text,
  subscription           text        check (subscription <> ''),  -- the account's tier, where it decides on the limit of a post
  limits                 jsonb,               -- what the account's server takes, where servers differ
  enabled                boolean     not null default true,
  connection_status      text        not null default 'connected' check (connection_status in ('connected', 'reconnect_required')),
  authorization_sealed   bytea       not null,
  authorization_revision integer     not null default 1,  -- raised by every new one: names the one in use
  authorization_ends_at  timestamptz,         -- when the network ends it for good, however it is used; null: it names no such time
  authorization_lost     boolean     not null default false,  -- the key that sealed it was lost, and an operator has accepted that
  access_ends_at         timestamptz,         -- when the access token ends; a refresh gets another
  refresh_due_at         timestamptz,         -- null: it needs no refresh
  profile_due_at         timestamptz not null default now(),  -- when the account's profile is read next
  paused_until           timestamptz,         -- the network asked for a pause
  removed_at             timestamptz,         -- without authorization and in no list since then; posts that were published there name it
  -- When posts go out on it every week, as minutes since Monday 00:00 by the clocks of its workspace, in order.
  posting_times          smallint[]  not null default '{}',
  created_at             timestamptz not null default now(),
  updated_at             timestamptz not null default now(),
  primary key (workspace_id, id),
  unique (workspace_id, provider, remote_account_id)
);
create index channel_refresh_due on channel (refresh_due_at) where connection_status = 'connected';
create index channel_profile_due on channel (profile_due_at) where connection_status = 'connected';
create index channel_paused on channel (paused_until) where paused_until is not null;
create index channel_of_network on channel (provider_origin, workspace_id, id);
-- What needs attention, looked for every minute in all workspaces. Few rows.
create index channel_disconnected on channel (workspace_id, id) where connection_status <> 'connected';
create index channel_authorization_ends on channel (authorization_ends_at) where authorization_ends_at is not null;

-- A named set of channels. Its id stands for its channels in requests; nothing that is stored refers to it.
create table channel_group (
  workspace_id uuid        not null references workspace,
  id           uuid        not null,
  name         text        not null check (name <> ''),
  name_key     text        not null,              -- the name as names are compared: without case
  channel_ids  uuid[]      not null,              -- in the order that people gave them; those that were removed are passed over
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint channel_group_name unique (workspace_id, name_key)
);

-- Who we are at a network's authorization server. Instances of a network each have their own.
create table network_client (
  id            uuid        primary key,
  provider      text        not null,
  server        text        not null,    -- an origin; '' where the network has one for all
  redirect_uri  text        not null,    -- a client is registered for one address to come back to
  client_sealed bytea       not null,
  created_at    timestamptz not null default now(),
  unique (provider, server, redirect_uri)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Connecting channels
-- owner: connect
-- ---------------------------------------------------------------------------------------------------------------------

-- A person in transit to a network and back, to connect an account. Of what proves who they are, only hashes are kept.
create table connect_flow (
  id            uuid        primary key,
  workspace_id  uuid        not null references workspace,
  provider      text        not null,
  channel_id    uuid,                    -- the channel to reconnect; null for any account
  fields        jsonb       not null default '{}',
  actor         jsonb       not null,    -- who began it, for the audit log
  link_hash     bytea       not null unique,
  browser_hash  bytea,                   -- of the cookie of the browser that opened the link
  state_hash    bytea       unique,
  kept_sealed   bytea,                   -- code verifier, and what the adapter stores
  expires_at    timestamptz not null,
  returned_at   timestamptz,             -- the browser came back: nothing can come back a second time
  outcome       jsonb,
  wanted        jsonb       not null default '[]',     -- the accounts that were chosen before the sign-in, which may give access to several
  choosing      boolean     not null default false,    -- the accounts are in `kept_sealed`, and the browser that came back has yet to choose
  created_at    timestamptz not null default now(),
  foreign key (workspace_id, channel_id) references channel
);
create index connect_flow_age on connect_flow (expires_at);

-- ---------------------------------------------------------------------------------------------------------------------
-- Media
-- owner: media
-- ---------------------------------------------------------------------------------------------------------------------

-- A file that posts can carry: checked, stored under storage_key, and never changed. Equal files of one workspace
-- share what is stored; neither the hash nor the key is ever shown.
create table media_item (
  workspace_id uuid        not null references workspace,
  id           uuid        not null,
  kind         text        not null check (kind in ('image', 'video', 'audio', 'document')),
  content_type text        not null,
  size_bytes   bigint      not null check (size_bytes > 0),
  width        integer,
  height       integer,
  duration_ms  integer,
  animated     boolean     not null default false,
  alt_text     text,
  sha256       bytea       not null check (octet_length(sha256) = 32),
  storage_key  text        not null,
  -- Of the file as it was sent, to find what was made of it.
  sent_sha256  bytea,
  -- How a recording is coded, pictures in a second, and how the sound is sampled; null where there is no such track, or it is not known.
  video_codec  text,
  audio_codec  text,
  frame_rate   double precision,
  audio_channels integer,
  audio_sample_rate integer,
  created_at   timestamptz not null default now(),
  primary key (workspace_id, id)
);
create index media_item_of_kind on media_item (workspace_id, kind, id);
create index media_item_equal on media_item (workspace_id, sha256);
create index media_item_stored on media_item (storage_key);
create index media_item_sent on media_item (workspace_id, sent_sha256, id);

-- ---------------------------------------------------------------------------------------------------------------------
-- AI
-- owner: ai
-- ---------------------------------------------------------------------------------------------------------------------

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
  reserved_tokens integer     not null default 0,  -- what the call in flight may use
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
-- At most one request to a model runs under a key.
create unique index ai_generation_running on ai_generation (workspace_id, operation, key) where status = 'running';
create index ai_generation_of_day on ai_generation (workspace_id, begun_at);

-- ---------------------------------------------------------------------------------------------------------------------
-- Posts
-- owner: posts
-- ---------------------------------------------------------------------------------------------------------------------

-- What an author wrote, with one destination for each channel that it goes to.
create table post (
  workspace_id    uuid        not null,
  id              uuid        not null,
  content         jsonb,                 -- what all destinations share; null when each has its own
  edit_token      text        not null,
  created_by_type creator_type not null,
  created_by_id   uuid,                  -- the key or grant; null for a person
  created_by_name text        not null,
  -- The latest change that replaced the edit token, and the fields it changed; null until the first.
  changed_at      timestamptz,
  changed_by_type author_type,
  changed_by_name text,
  changed         text[]      not null default '{}',
  reference       text,                  -- the name that a client has given it, for itself: a workspace has each once
  labels          text[]      not null default '{}',  -- as they were written, in their order
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  primary key (workspace_id, id)
) with (
  -- Tables that change with each post are vacuumed once 2 % of them is dead, and not a fifth, which every claim through a
  -- partial index would pass over until then. Their statistics, by which claims and feeds are planned, are renewed at 5 %.
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.05);
create index post_of_credential on post (workspace_id, created_by_id, created_at) where created_by_id is not null;
create index post_author on post (workspace_id, created_by_name, id);
-- Ordered by bytes, so that it also finds all references that begin alike.
create unique index post_reference on post (workspace_id, reference collate "C") where reference is not null;

-- The labels of posts, to find posts by: one row for each, written with `post.labels`.
create table post_label (
  workspace_id uuid not null,
  label_key    text collate "C" not null,         -- the label as labels are compared: without case
  post_id      uuid not null,
  label        text not null,
  primary key (workspace_id, label_key, post_id)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Destinations: posts on channels
-- owner: destinations
-- ---------------------------------------------------------------------------------------------------------------------

-- One post on one channel: the unit that is published. Its row is the queue entry, too.
create table destination (
  workspace_id    uuid        not null,
  id              uuid        not null,
  post_id         uuid        not null,
  channel_id      uuid        not null,
  provider        text        not null,
  status          destination_status not null,
  status_since    timestamptz not null default now(),
  control_token   text        not null,
  content         jsonb,                 -- null when the post's content is shared
  settings        jsonb       not null default '{}',
  planned_by_id   uuid,                  -- the key or grant that gave it its time; null for a person
  publish_at      timestamptz,
  expires_at      timestamptz,
  due_at          timestamptz,           -- when a publisher looks at it next
  published_at    timestamptz,
  release_url     text,
  check_again_at  timestamptz,
  announced_wait  text,                  -- the kind of wait that was announced last: a try that ends in the same one is not
  error           jsonb,
  last_error      jsonb,                 -- kept until it is published
  upload          jsonb,                 -- how far the uploads of a part came, while the network is processing one of them
  tries           integer     not null default 0,  -- safe tries since the last schedule, for growing intervals
  fence           integer     not null default 0,  -- raised by every claim: proves who may write
  leased_by       uuid,
  lease_until     timestamptz,
  claimed_from    text,                  -- its status before the last claim
  -- What indexes have instead of the status: the beginning of a publication does not change it.
  filed_as        text        not null generated always as (
    case when status = 'publishing' then coalesce(claimed_from, 'scheduled') else status end) stored,
  -- The latest change that replaced the control token, and the fields it changed; null until the first.
  changed_at      timestamptz,
  changed_by_type author_type,
  changed_by_name text,
  changed         text[]      not null default '{}',
  -- Whether `publish_at` is a posting time of the channel, which it holds until it is over or has another time.
  queued          boolean     not null default false,
  series_id       uuid,                  -- the series that it is an occurrence of
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint leased_only_while_publishing check (lease_until is null or status = 'publishing'),
  -- What its network is processing has no lease: its row alone says when it is polled next. And what no claim has raised the fence
  -- of was never published: its trigger looks for nothing that was.
  constraint publishing_is_looked_after check (
    status <> 'publishing' or (fence > 0 and (lease_until is not null or (due_at is not null and leased_by is null)))),
  constraint scheduled_has_time check (
    status <> 'scheduled' or (publish_at is not null and due_at is not null and expires_at is not null)),
  constraint delayed_has_time check ((status = 'delayed') <= (check_again_at is not null)),
  constraint published_has_time check ((status = 'published') = (published_at is not null))
) with (
  -- Room for the version that a claim writes. No index has a column that a claim changes, not even in a condition: so it
  -- writes into the same page, and into no index.
  fillfactor = 75,
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.05);

-- Each index costs 1 to 4 % of the time in which a destination is inserted, or updated by more than a claim; one without an entry
-- for it, what its condition takes for each statement. A scheduled destination has eight entries, a published one seven; none is written twice in a
-- publication. What each spares:
--   head, scheduled   a claim finds the first of a channel, a hold the first that is not announced as delayed. One for both would
--                     pass over all that is delayed with each look, or have each claim look twice at 64 channels.
--   expires_at        the allowed time ends in no order of a channel: it may be changed, and a retry is due later, not longer.
--   of_post           a post has its destinations, once for each channel; lists pass over what they do not show.
--   status, channel_status   pages of either filter: a workspace may have hundreds of channels, and a status be rare on one.
--   publish_at, published_at  ranges take a post by either time.
--   last_published    the list of channels; as a column of the queue it would be one more row version for each publication.
--   checking, disconnected, in_series, before_id   hold few rows.

-- The queue: what is due first on a channel, what is checked, or past its time in all; when something is due at all, `channel_queue`
-- says, and what its network processes, `publication`. The one for what is past its time names that: else a look for what waits on one
-- channel could read it from end to end, which seems cheap while statistics say that nothing waits. One more index has to
-- spare a read that nothing else can.
create index destination_head on destination (workspace_id, channel_id, due_at, id)
  include (expires_at) where filed_as in ('scheduled', 'delayed', 'partially_published');
create index destination_expires_at on destination (expires_at)
  where filed_as in ('scheduled', 'delayed', 'reconnect_required', 'partially_published') and expires_at is not null;
create index destination_checking on destination (due_at) where filed_as = 'checking';
create index destination_scheduled on destination (workspace_id, channel_id, due_at) where filed_as = 'scheduled';
create index destination_disconnected on destination (workspace_id, channel_id, id)
  where filed_as in ('reconnect_required', 'partially_published');

-- Lists and the calendar. The first lets lists pass over posts of another status, channel or time without reading their rows.
create unique index destination_of_post on destination (workspace_id, post_id, channel_id)
  include (filed_as, publish_at, published_at);
create index destination_status on destination (workspace_id, filed_as, post_id);
create index destination_channel_status on destination (workspace_id, channel_id, filed_as, post_id);
-- For times alone: without its condition, plans that are made while there are few posts take it to look up a single one.
create index destination_publish_at on destination (workspace_id, publish_at) where publish_at is not null;
create index destination_published_at on destination (workspace_id, published_at) where published_at is not null;
create index destination_last_published on destination (workspace_id, channel_id, published_at) where published_at is not null;
-- No posting time is held twice. What is last in the queue of a channel is found here, too.
create unique index destination_queued on destination (workspace_id, channel_id, publish_at)
  where queued and filed_as not in ('cancelled', 'expired', 'failed');
-- What has later occurrences of its series wait. It holds few rows.
create index destination_in_series on destination (workspace_id, series_id, channel_id, publish_at)
  where series_id is not null and filed_as in ('checking', 'reconnect_required');
-- Whose time is more than an hour before that of the id (UUIDv7), its first 48 bits in milliseconds: only clocks that
-- differ bring it about.
create index destination_before_id on destination (workspace_id, post_id)
  where least(publish_at, published_at)
        - to_timestamp(('x' || translate(left(post_id::text, 13), '-', ''))::bit(48)::bigint / 1000.0) < interval '-1 hour';

-- A control token that is replaced without saying by whom is replaced by the service itself.
create function note_change() returns trigger language plpgsql as $$
begin
  if new.control_token is distinct from old.control_token then
    if new.changed_at is not distinct from old.changed_at then
      new.changed_at := clock_timestamp();
      new.changed_by_type := 'service';
      new.changed_by_name := 'Postrider';
    end if;
    new.changed := array_remove(array[
      case when new.status is distinct from old.status then 'status' end,
      case when new.publish_at is distinct from old.publish_at then 'publishAt' end,
      case when new.expires_at is distinct from old.expires_at then 'expiresAt' end,
      case when new.check_again_at is distinct from old.check_again_at then 'checkAgainAt' end,
      case when new.published_at is distinct from old.published_at then 'publishedAt' end,
      case when new.release_url is distinct from old.release_url then 'releaseUrl' end,
      case when new.error is distinct from old.error then 'error' end,
      case when new.content is distinct from old.content then 'content' end,
      case when new.settings is distinct from old.settings then 'settings' end], null);
  end if;
  new.last_error := case when new.status <> 'published' then coalesce(new.error, old.last_error) end;
  return new;
end $$;
create trigger destination_changed before update of control_token, error on destination for each row
  execute function note_change();

-- One ordered piece of a destination: the text, then the follow-ups. No index of a part holds what a call changes in it: with
-- room on the page its new version stays beside the old one (HOT), and no index is written.
create table part (
  workspace_id   uuid        not null,
  destination_id uuid        not null,
  index          integer     not null check (index >= 0),
  status         part_status not null default 'pending',
  text           text        not null,
  folded         text        not null,   -- the text folded for search, by the server and not by a collation
  media_ids      uuid[]      not null default '{}',
  remote_id      text,
  release_url    text,
  published_at   timestamptz,
  first_comment  boolean     not null default false,  -- the first comment on its post: the last part, which answers to the first
  primary key (workspace_id, destination_id, index),
  constraint published_has_evidence check ((status = 'published') = (remote_id is not null and published_at is not null))
) with (
  fillfactor = 85,
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.05);
create index part_media on part using gin (media_ids) where media_ids <> '{}';

-- ---------------------------------------------------------------------------------------------------------------------
-- Search
-- owner: posts
-- ---------------------------------------------------------------------------------------------------------------------

-- What search reads: the different texts of a post, folded. A table of its own, since publishing updates parts all the time, and
-- an update must not write the index of the texts again.
create table post_search (
  workspace_id uuid   not null,
  post_id      uuid   not null,
  folded       text[] not null,
  primary key (workspace_id, post_id)
);

-- The same of posts that were made or edited a moment ago, written by whoever writes their parts (posts/search-store.ts). To index
-- texts takes longer than all else of a create, so every process moves them into post_search from time to time, many at once.
-- Until then searches read them here as they are, and in the place of what post_search still has of the same post.
create table unindexed_post (
  workspace_id uuid   not null,
  post_id      uuid   not null,
  folded       text[] not null,
  primary key (workspace_id, post_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.05);

-- Stands for a workspace in the key of a block. It is negative, and no n-gram is.
create function search_key(workspace_id uuid) returns bigint language sql immutable parallel safe
return ('x' || right(replace(workspace_id::text, '-', ''), 16))::bit(64)::bigint | (-9223372036854775808)::bigint;

-- Posts fall into blocks by the first hexadecimal digits of their id, which are its time (UUIDv7): those that have five of
-- them in common are of about three days (2^28 ms), with four it is about fifty (2^32 ms). This is the lowest id of a block.
create function search_block_start(post_id uuid, digits integer) returns uuid language sql immutable parallel safe
return rpad(left(post_id::text, digits), 32, '0')::uuid;

-- Stands for a workspace's posts of one block among the n-grams. It is negative, and no n-gram is; two blocks that share one
-- cost each other time and nothing else.
create function search_key(workspace_id uuid, post_id uuid, digits integer) returns bigint language sql immutable parallel safe
return (search_key(workspace_id) << 20) | ('x' || lpad(left(post_id::text, digits), 8, '0'))::bit(32)::bigint
       | (-9223372036854775808)::bigint;

-- The n-grams of texts, of one to three characters each, behind the key: their code points (21 bits each) in one number.
-- So they hang neither on a locale nor on a collation, and no upgrade of either makes the index wrong. The cost keeps the
-- planner from computing them where the index has them.
create function search_grams(key bigint, folded text[]) returns bigint[]
language plpgsql immutable parallel safe cost 10000 as $$
declare
  grams bigint[] := array[key];
  words text;
  codes bigint[];
begin
  foreach words in array folded loop
    codes := array(select ascii(character)::bigint << 42 from string_to_table(words, null) as character);
    grams := grams || codes
          || array(select a | (b >> 21) from unnest(codes, codes[2:]) as pair (a, b) where b is not null)
          || array(
               select a | (b >> 21) | (c >> 42)
               from   unnest(codes, codes[2:], codes[3:]) as triple (a, b, c)
               where  c is not null);
  end loop;
  return grams;
end $$;

-- Raises PR002 once a search has read more posts than one may.
create function check_search_limit(posts_read bigint, most bigint) returns boolean language plpgsql immutable as $$
begin
  if posts_read > most then
    raise exception 'more than % posts have the n-grams of this text', most using errcode = 'PR002';
  end if;
  return true;
end $$;

create index post_search_blocks on post_search using gin (
  array_append(search_grams(search_key(workspace_id, post_id, 5), folded), search_key(workspace_id, post_id, 4)))
  with (gin_pending_list_limit = 256);
-- Nothing is planned by them, and gathering them computes the n-grams of thousands of texts.
alter index post_search_blocks alter column 1 set statistics 0;

-- ---------------------------------------------------------------------------------------------------------------------
-- Series
-- owner: series
-- ---------------------------------------------------------------------------------------------------------------------

-- Content that is posted again and again, by a rule. Its posts are made some days before their time, in the name of its maker.
create table series (
  workspace_id    uuid        not null references workspace,
  id              uuid        not null,
  status          text        not null default 'active' check (status in ('active', 'paused', 'ended')),
  reason          text,                  -- why it is paused or ended; null where its rule has come to its end
  -- What it is from which day on, in order; the last one counts for all days to come. series/definition.ts has its shape.
  definitions     jsonb       not null check (jsonb_typeof(definitions) = 'array'),
  -- What these name now: channels or groups of them, labels as they are compared, and what its contents carry.
  channel_ids     uuid[]      not null,
  label_keys      text[]      not null,
  media_ids       uuid[]      not null,
  edit_token      text        not null,
  maker_type      text        not null check (maker_type in ('agent_key', 'oauth', 'person')),
  maker_id        uuid        not null,  -- the key, the grant, or the member
  maker_name      text        not null,
  look_at         timestamptz,           -- when something of it is to be made, or tried again; null for never
  changed_at      timestamptz,
  changed_by_type text        check (changed_by_type in ('agent_key', 'oauth', 'person', 'service')),
  changed_by_name text,
  changed         text[]      not null default '{}',
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint only_active_is_made check (status = 'active' or look_at is null)
);
create index series_look_at on series (look_at) where look_at is not null;
create index series_media on series using gin (media_ids) where media_ids <> '{}';

-- A day of a series of which something is known. Its key is what keeps two posts from being made of one occurrence: the row of one
-- that is made is written with its post.
create table series_occurrence (
  workspace_id uuid        not null,
  series_id    uuid        not null,
  date         date        not null,     -- by the clocks of the series
  status       text        not null check (status in ('planned', 'made', 'waiting', 'missed', 'skipped')),
  publish_at   timestamptz,              -- the time that its post was made for, or is tried for
  post_id      uuid,
  edit_token   text,                     -- that of its post as it was made: with another one it was changed or reviewed since
  reason       text,                     -- why it waits, or was missed
  change       jsonb,                    -- the content and the time of its own; null for none
  primary key (workspace_id, series_id, date),
  foreign key (workspace_id, series_id) references series,
  constraint made_has_post check ((status = 'made') = (post_id is not null and edit_token is not null))
);
create unique index series_occurrence_post on series_occurrence (workspace_id, post_id) where post_id is not null;
-- What operators and people are told of series: occurrences whose posts were refused, and series that stand still. Few rows.
create index series_occurrence_waiting on series_occurrence (workspace_id, series_id) where status = 'waiting';
create index series_paused on series (workspace_id) where status = 'paused';

-- ---------------------------------------------------------------------------------------------------------------------
-- Templates
-- owner: templates
-- ---------------------------------------------------------------------------------------------------------------------

-- Texts with fields that posts are made from. A post that was made refers to nothing of it.
create table template (
  workspace_id uuid        not null references workspace,
  id           uuid        not null,
  name         text        not null check (name <> ''),
  name_key     text        not null,              -- the name as names are compared: without case
  content      jsonb       not null,              -- the content of a post, as in the contract
  channel_ids  uuid[]      not null,              -- channels, or groups of them
  labels       text[]      not null,
  label_keys   text[]      not null,              -- as labels are compared
  media_ids    uuid[]      not null,              -- what its content carries
  edit_token   text        not null,
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint template_name unique (workspace_id, name_key)
);
create index template_media on template using gin (media_ids) where media_ids <> '{}';

-- ---------------------------------------------------------------------------------------------------------------------
-- Approvals
-- owner: approvals
-- ---------------------------------------------------------------------------------------------------------------------

-- A person's decision about a post, bound to exactly what would be published where.
create table approval (
  workspace_id   uuid        not null,
  id             uuid        not null,
  seq            bigint      not null generated always as identity,  -- the order of requests, whatever the clocks of hosts
  post_id        uuid        not null,
  content        jsonb       check (jsonb_typeof(content) = 'array'),  -- what was asked about, so that the next request can say what changed
  content_digest bytea       not null,
  status         text        not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'superseded', 'expired')),
  requested_at   timestamptz not null default now(),
  announced_at   timestamptz,            -- when the approvers were mailed; null where they were not
  expires_at     timestamptz not null,
  decided_at     timestamptz,
  decided_by     uuid,
  note           text,
  primary key (workspace_id, id),
  foreign key (workspace_id, post_id) references post,
  foreign key (workspace_id, decided_by) references member,
  constraint decided_has_time check ((status in ('approved', 'rejected')) = (decided_at is not null))
);
create unique index approval_open on approval (workspace_id, post_id) where status = 'pending';
create index approval_of_post on approval (workspace_id, post_id, seq desc);
create index approval_status on approval (workspace_id, status, post_id);
create index approval_unannounced on approval (expires_at) where status = 'pending' and announced_at is null;
create index approval_age on approval using brin (requested_at) with (autosummarize = on);

-- Once no draft of a post is left that an approval could publish, nothing is left to decide. Of two drafts that are cancelled
-- at the same time, each cancel would see the other draft as left. Only a cancel takes a draft away and leaves the request to
-- this: it waits here for one that came before, and the next statement sees what that one did. What expires was no draft, and
-- locks nothing that it does not close, so that two that expire much at once do not wait for each other.
create function close_approval() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if old.status = 'draft' then
    perform
    from   approval a
    where  a.workspace_id = new.workspace_id and a.post_id = new.post_id and a.status = 'pending'
    for    no key update;
  end if;

  update approval a
  set    status = 'superseded'
  where  a.workspace_id = new.workspace_id and a.post_id = new.post_id and a.status = 'pending'
  and    not exists (
    select from destination d
    where  d.workspace_id = new.workspace_id and d.post_id = new.post_id and d.filed_as = 'draft');
  return null;
end $$;
create trigger destination_over after update of status on destination for each row
  when (old.status is distinct from new.status and new.status in ('cancelled', 'expired'))
  execute function close_approval();

-- ---------------------------------------------------------------------------------------------------------------------
-- Publication
-- owner: queue
-- ---------------------------------------------------------------------------------------------------------------------

-- One publish call, opened before it is made, and what came of it. A part has at most one whose end is not known: while it
-- is `publishing` or `checking`, no other is opened, which whoever opens one checks on the part's row.
create table attempt (
  workspace_id   uuid        not null,
  id             uuid        not null,
  destination_id uuid        not null,
  part_index     integer     not null,
  fence          integer     not null,
  key            uuid,                   -- that the call carries to its network: one for all attempts of a part as it is written;
                                         -- null where a restore noted a call that may have been made
  armed_at       timestamptz not null default now(),
  media          jsonb       not null default '[]',  -- what the network calls the media of the call: a repeat carries the same
  prepared       jsonb,                  -- what the adapter found out before the call and puts into it: the same for a repeat
  handle         text,                   -- where the network lets us watch what it is still processing
  verdict        text        check (verdict in ('published', 'rejected', 'deferred', 'reauthorize', 'unknown', 'absent')),
  settled_at     timestamptz,
  evidence       jsonb       not null default '[]',  -- every exchange that told something, oldest first
  primary key (workspace_id, destination_id, part_index, id),
  constraint settled_has_verdict check ((settled_at is null) = (verdict is null))
) with (
  -- Room for the version with the evidence, which is twice as long, beside the one of before the call: no index has what the
  -- end of a call changes, so it writes into the same page, and into no index.
  fillfactor = 33,
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.05);
create index attempt_age on attempt using brin (armed_at) with (autosummarize = on);

-- What was made at a network before a call, for the call to show it. It is noted when it is made and forgotten when it is shown. Once its
-- destination has ended without it, it is removed there.
create table network_draft (
  workspace_id   uuid        not null,
  destination_id uuid        not null,
  name           text        not null check (name ~ '^[a-z]+:.'),  -- its kind and its id there, as the adapter tells them
  attempt_id     uuid        not null,               -- the last attempt that was to show it, though it may never have been armed
  look_at        timestamptz not null default now() + interval '1 minute',
  discarded_at   timestamptz,                        -- when it was first tried to remove it: no attempt uses it after that
  tries          integer     not null default 0,     -- to remove it; counted before they are made
  outcome        text        check (outcome in ('removed', 'gone', 'used', 'failed')),
  ended_at       timestamptz,
  primary key (workspace_id, destination_id, name),
  constraint ended_has_outcome check ((outcome is null) = (ended_at is null))
);
create index network_draft_look_at on network_draft (look_at) where outcome is null;

-- ---------------------------------------------------------------------------------------------------------------------
-- The queue: which networks are away, which channels are looked at when
-- owner: queue
-- ---------------------------------------------------------------------------------------------------------------------

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

-- Networks that are back: their channels are to be looked at again, in batches that commit, in the order of their keys.
create table network_recovery (
  origin             text not null,
  workspace_id       uuid,                                                          -- null: those of all
  after_workspace_id uuid not null default '00000000-0000-0000-0000-000000000000',  -- the last channel that is done
  after_channel_id   uuid not null default '00000000-0000-0000-0000-000000000000',
  unique nulls not distinct (origin, workspace_id)
);

-- What is being published. At most one on each channel, by any worker: that is its key. It has no other index: what a network is asked
-- for next is looked for among all, and what changes in a row writes into its page alone.
create table publication (
  workspace_id   uuid not null,
  channel_id     uuid not null,
  destination_id uuid not null,
  leased_by      uuid,                   -- null while it is in the hands of its network
  poll_at        timestamptz,            -- when that is asked next; null while it is leased
  was_left       boolean not null default false,  -- whether it has been in the hands of its network since it began
  primary key (workspace_id, channel_id)
) with (
  -- A few rows that come, change hands and go.
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.05);

-- A channel that is disabled, or removed, waits for a claim under way on it, and has later claims wait for its commit: they
-- note their publication under the key that is taken here, and look at the channel again then.
create function await_claims() returns trigger language plpgsql as $$
begin
  insert into publication (workspace_id, channel_id, destination_id) values (new.workspace_id, new.id, new.id)
  on conflict do nothing;
  delete from publication where workspace_id = new.workspace_id and channel_id = new.id and destination_id = new.id;
  return new;
end $$;
create trigger channel_awaits_claims before update of enabled on channel
for each row when (old.enabled and not new.enabled) execute function await_claims();

-- When a claim has to look at a channel next: never later than the moment from which something of it can be claimed. So a
-- claim reads the channels that are due and not what waits behind them, nor channels that are held or disabled.
create table channel_queue (
  workspace_id uuid        not null,
  channel_id   uuid        not null,
  look_at      timestamptz not null default 'infinity',
  -- When to look for what has been held long enough to be announced as delayed; a claim that finds the channel held plans it.
  announce_at  timestamptz not null default 'infinity',
  primary key (workspace_id, channel_id),
  foreign key (workspace_id, channel_id) references channel on delete cascade
) with (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.05);
create index channel_queue_time on channel_queue (look_at);
create index channel_queue_workspace on channel_queue (workspace_id, look_at);
create index channel_queue_announce on channel_queue (announce_at) where announce_at < 'infinity';

-- Has channels looked at when their first destination is due, if that is sooner than planned. Only a claim postpones
-- `look_at`. It locks this row for that and then looks again, so that it sees whatever has come this way, and whatever comes this
-- way later waits for it, and then looks again by a statement of its own. Rows are written in one order.
create function queue_channels(workspace_ids uuid[], channel_ids uuid[]) returns void language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
begin
  perform
  from   unnest(workspace_ids, channel_ids) as t (workspace_id, channel_id)
  join   channel_queue q on q.workspace_id = t.workspace_id and q.channel_id = t.channel_id
  order  by q.workspace_id, q.channel_id
  for    key share of q;

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
      and    d.filed_as in ('scheduled', 'delayed', 'partially_published') and d.status <> 'publishing'
      order  by d.due_at, d.id
      limit  1
    ) head
    where  q.look_at > head.due_at
    order  by q.workspace_id, q.channel_id
    for    no key update of q) sooner
  where  q.workspace_id = sooner.workspace_id and q.channel_id = sooner.channel_id and q.look_at > sooner.due_at;
end $$;

-- Puts channels off on which something has just been claimed, until their next destination is due; where one is due already, its
-- end finds it. Their rows are locked first and read then, as by every claim that puts one off; where one cannot be locked at once, it stays as it is.
create function postpone_claimed(workspace_ids uuid[], channel_ids uuid[]) returns void language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
begin
  select array_agg(l.workspace_id), array_agg(l.channel_id)
  into   workspace_ids, channel_ids
  from   (
    select q.workspace_id, q.channel_id
    from   unnest(workspace_ids, channel_ids) as t (workspace_id, channel_id)
    join   channel_queue q on q.workspace_id = t.workspace_id and q.channel_id = t.channel_id
    for    update of q skip locked) l;

  update channel_queue q
  set    look_at = following.due_at
  from   unnest(workspace_ids, channel_ids) as t (workspace_id, channel_id)
  cross  join lateral (
    select coalesce((
      select d.due_at
      from   destination d
      where  d.workspace_id = t.workspace_id and d.channel_id = t.channel_id
      and    d.filed_as in ('scheduled', 'delayed', 'partially_published') and d.status <> 'publishing'
      order  by d.due_at, d.id
      limit  1), 'infinity') as due_at
    offset 0
  ) following
  where  q.workspace_id = t.workspace_id and q.channel_id = t.channel_id
  and    following.due_at > now() and q.look_at < following.due_at;
end $$;

-- What an update does to destinations that claims have to know: as a trigger, none of its many writers can forget it. One takes less
-- time than several, and each of its statements more than all that is looked up here before it. The one statement that inserts
-- destinations queues their channels by itself (destinations/destination-store.ts).
create function follow_destinations() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  is_unnoted    boolean;
  is_new_work   boolean;
  workspace_ids uuid[];
  channel_ids   uuid[];
begin
  -- What is being published is noted already by the claim that begins it, and stays so while it is armed and its lease renewed. A
  -- channel is looked at again for what becomes claimable again, for an occurrence of a series that ends, published or not, since it
  -- may have kept a later one waiting, and for what its network has had: behind nothing else is a channel put off.
  select bool_or(w.fence > 0 and (w.status <> 'publishing' or not exists (
           select from publication p
           where  p.workspace_id = w.workspace_id and p.channel_id = w.channel_id and p.destination_id = w.id
           and    (p.leased_by, p.poll_at) is not distinct from (w.leased_by, case when w.leased_by is null then w.due_at end)
           offset 0))),
         bool_or(w.fence = 0 and w.status in ('scheduled', 'delayed', 'partially_published')),
         array_agg(w.workspace_id) filter (where leaving.so), array_agg(w.channel_id) filter (where leaving.so)
  into   is_unnoted, is_new_work, workspace_ids, channel_ids
  from   written w
  cross  join lateral (
    select w.fence > 0 and w.status <> 'publishing'
           and (w.status in ('scheduled', 'delayed', 'partially_published') or w.series_id is not null or exists (
             select from publication p
             where  p.workspace_id = w.workspace_id and p.channel_id = w.channel_id and p.destination_id = w.id and p.was_left
             offset 0)) as so
    offset 0
  ) leaving;

  -- What begins to be published, changes hands, or is published no longer. With offsets, so that what was written leads to its
  -- publication by the key, however many others there are.
  if is_unnoted then
    with noted as materialized (
      select w.status, w.leased_by, case when w.leased_by is null then w.due_at end as poll_at, p.place
      from   written w
      cross  join lateral (
        select p.ctid as place
        from   publication p
        where  p.workspace_id = w.workspace_id and p.channel_id = w.channel_id and p.destination_id = w.id
        offset 0
      ) p
    ),
    ended as (
      delete from publication where ctid = any (array(select place from noted where status <> 'publishing'))
    ),
    passed_on as (
      update publication p
      set    leased_by = n.leased_by, poll_at = n.poll_at, was_left = p.was_left or n.leased_by is null
      from   noted n
      where  p.ctid = n.place and n.status = 'publishing' and (p.leased_by, p.poll_at) is distinct from (n.leased_by, n.poll_at)
    )
    insert into publication (workspace_id, channel_id, destination_id, leased_by, poll_at, was_left)
    select w.workspace_id, w.channel_id, w.id, w.leased_by, case when w.leased_by is null then w.due_at end, w.leased_by is null
    from   written w
    where  w.status = 'publishing' and not exists (
      select from publication p
      where  p.workspace_id = w.workspace_id and p.channel_id = w.channel_id and p.destination_id = w.id
      offset 0)
    order  by w.workspace_id, w.channel_id;
  end if;

  if channel_ids is not null then
    perform queue_channels(workspace_ids, channel_ids);
  end if;

  -- What becomes claimable, or is due sooner, that no claim has ever had: its own time says when. Where a claim that puts the
  -- channel off is waited for, the lock gives the row as that claim has left it; as a part of the update, its condition would
  -- judge the row as it was before.
  if is_new_work then
    with known as materialized (
      select q.workspace_id, q.channel_id, q.look_at, due.due_at
      from   (
        select w.workspace_id, w.channel_id, min(w.due_at) as due_at
        from   written w
        where  w.status in ('scheduled', 'delayed', 'partially_published')
        group  by w.workspace_id, w.channel_id
      ) due
      join   channel_queue q on q.workspace_id = due.workspace_id and q.channel_id = due.channel_id
      order  by q.workspace_id, q.channel_id
      for    key share of q
    )
    update channel_queue q
    set    look_at = least(q.look_at, known.due_at)
    from   known
    where  q.workspace_id = known.workspace_id and q.channel_id = known.channel_id and known.look_at > known.due_at;
  end if;
  return null;
end $$;
create trigger destination_updated after update on destination referencing new table as written
for each statement execute function follow_destinations();

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

-- An outage that ends begins its recovery anew where there is one; else all its channels are looked at again here. They are
-- still held where a workspace's outage has become one of all.
create function queue_channels_of_network() returns trigger language plpgsql
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
create trigger network_outage_ended_queues after delete on network_outage referencing old table as ended
for each statement execute function queue_channels_of_network();

-- ---------------------------------------------------------------------------------------------------------------------
-- Outbox
-- owner: outbox
-- ---------------------------------------------------------------------------------------------------------------------

-- What happened, written in the transaction of the change. `body` is the webhook body: those very bytes are sent.
create table outbox_event (
  seq            bigint      generated always as identity primary key,
  workspace_id   uuid        not null,
  id             uuid        not null unique,
  type           event_type  not null,
  post_id        uuid        not null,
  destination_id uuid,                               -- null for an event about the post as a whole
  body           bytea       not null,
  created_at     timestamptz not null
) with (
  -- Written once and removed by housekeeping: what one hour removes must be free before the next one's rows come.
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.05);
create index outbox_event_of_workspace on outbox_event (workspace_id, seq);
create index outbox_event_of_destination on outbox_event (workspace_id, destination_id, seq);
create index outbox_event_of_edit on outbox_event (workspace_id, post_id, seq) where type = 'post.edited';
create index outbox_event_age on outbox_event (created_at);

-- The last event of each workspace that its retention has removed. The feed begins after it.
create table event_feed_start (
  workspace_id uuid   primary key references workspace,
  seq          bigint not null,
  event_id     uuid   not null
);

-- The feed of events is read in the order of `seq`. That alone would lose events: `seq` is assigned before the commit,
-- so a lower one may become visible after a higher one was read. Each writer therefore holds, until its transaction has
-- ended, a shared advisory lock named after the last `seq` that was assigned before its own (outbox/outbox-store.ts), and readers go
-- no further than the lowest of these. Nothing ever waits for such a lock. The sequence must not cache values. Transaction ids
-- would not do instead: they begin anew in a restored database, and some are used again after a crash.
--
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Webhooks
-- owner: webhooks
-- ---------------------------------------------------------------------------------------------------------------------

-- Where a workspace wants its events sent.
create table endpoint (
  workspace_id    uuid        not null references workspace,
  id              uuid        not null unique,
  url             text        not null check (url <> ''),   -- in the normal form of the URL parser
  description     text        not null default '',
  event_types     text[]      not null check (cardinality(event_types) > 0 and event_types <@ array[
    'post.scheduled', 'post.published', 'post.partial', 'post.failed', 'post.delayed', 'post.reconnect_required',
    'post.recovery_required', 'post.cancelled', 'post.expired', 'post.created', 'post.edited', 'approval.requested',
    'approval.decided']),
  status          text        not null default 'active' check (status in ('active', 'disabled')),
  status_since    timestamptz not null default now(),
  disabled_reason text        check (disabled_reason in ('by_hand', 'failing', 'secret_lost', 'credential_ended')),
  failing_since   timestamptz,                       -- of the first failed attempt after the last success
  lost_since      integer     not null default 0,    -- deliveries that were given up since then
  auto_replay     boolean     not null default false, -- whether what failed is sent again once the endpoint answers
  probe_id        uuid,                              -- the test event that asks whether it does
  credential_id   uuid,                              -- the agent key or grant that created it; null where a person did
  deleted_at      timestamptz,                       -- it stays until its deliveries are gone
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint disabled_has_reason check ((status = 'disabled') = (disabled_reason is not null)),
  constraint lost_only_while_failing check (failing_since is not null or lost_since = 0)
);
create index endpoint_active on endpoint (workspace_id) where status = 'active';
create index endpoint_auto_replay on endpoint (id) where auto_replay;
create index endpoint_failing on endpoint (failing_since) where failing_since is not null;
-- What needs attention, looked for every minute in all workspaces. Few rows.
create index endpoint_given_up on endpoint (workspace_id)
  where status = 'disabled' and disabled_reason in ('failing', 'secret_lost');

-- A credential that ends takes its endpoints with it in the same transaction; one that a restore suspended and a person
-- confirms has them again. An endpoint gets the events of all posts: so one that is limited to some of them has them disabled, too.
create function end_endpoints_of_credential() returns trigger language plpgsql as $$
begin
  if new.revoked_at is not null or new.limits ?| array['channelIds', 'label'] then
    update endpoint
    set    status = 'disabled', disabled_reason = 'credential_ended', status_since = now(), updated_at = now()
    where  workspace_id = new.workspace_id and credential_id = new.id and status = 'active';
  elsif old.revoked_at is not null then
    update endpoint
    set    status = 'active', disabled_reason = null, status_since = now(), updated_at = now()
    where  workspace_id = new.workspace_id and credential_id = new.id and disabled_reason = 'credential_ended'
    and    deleted_at is null;
  end if;
  return null;
end
$$;
create trigger agent_key_ends_endpoints
after update of revoked_at on agent_key
for each row when ((old.revoked_at is null) <> (new.revoked_at is null))
execute function end_endpoints_of_credential();
create trigger agent_key_limits_endpoints
after update of limits on agent_key
for each row when (old.limits is distinct from new.limits)
execute function end_endpoints_of_credential();
create trigger oauth_grant_ends_endpoints
after update of revoked_at on oauth_grant
for each row when ((old.revoked_at is null) <> (new.revoked_at is null))
execute function end_endpoints_of_credential();
create trigger oauth_grant_limits_endpoints
after update of limits on oauth_grant
for each row when (old.limits is distinct from new.limits)
execute function end_endpoints_of_credential();

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
  duration_ms  real,                                 -- of the attempt that settled it, which is recorded here alone
  settled_at   timestamptz,
  created_at   timestamptz not null default now(),
  primary key (workspace_id, endpoint_id, event_id),
  constraint leased_only_while_sending check ((status = 'sending') = (lease_until is not null)),
  constraint settled_has_time check ((status in ('delivered', 'failed')) = (settled_at is not null)),
  constraint failed_has_error check (settled_at is null or (status = 'failed') = (error is not null))
) with (
  -- Room for the version that a claim writes. No index has a column that it changes, not even in a condition: so it
  -- writes into the same page, and into no index.
  fillfactor = 60,
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.05);
-- What is pending or being sent. A claim skips from endpoint to endpoint in this index and looks at each one's first entries
-- only. What is being sent was due before what still waits, and so stands in front of it.
create index delivery_owed on delivery (endpoint_id, next_at, event_id) where settled_at is null;
-- What has failed.
create index delivery_failed on delivery (endpoint_id, settled_at) where settled_at is not null and error is not null;
-- Every further index is written twice in a delivery's life; for pruning a rough one is enough.
create index delivery_age on delivery using brin (created_at) with (autosummarize = on);

-- One attempt at one delivery that did not settle it, and what came of it.
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
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index delivery_attempt_age on delivery_attempt using brin (ended_at) with (autosummarize = on);

-- The attempt that settled a delivery is kept here when a further round begins. It may have outlived an earlier delivery of
-- the same event, which retention removes apart.
create function keep_last_attempt() returns trigger language plpgsql as $$
begin
  insert into delivery_attempt (workspace_id, endpoint_id, event_id, round, number, ended_at, duration_ms, http_status, error)
  values (old.workspace_id, old.endpoint_id, old.event_id, old.round, old.attempts, old.settled_at, old.duration_ms,
          old.http_status, old.error)
  on conflict (workspace_id, endpoint_id, event_id, round, number) do update
  set ended_at = excluded.ended_at, duration_ms = excluded.duration_ms, http_status = excluded.http_status, error = excluded.error;
  new.duration_ms = null;
  return new;
end
$$;
create trigger delivery_keeps_last_attempt
before update of round on delivery
for each row when (old.duration_ms is not null) execute function keep_last_attempt();

-- ---------------------------------------------------------------------------------------------------------------------
-- Notices
-- owner: notices
-- ---------------------------------------------------------------------------------------------------------------------

-- How far the processes have looked for what members are to be told of: one row, which whoever looks has locked.
create table notice_position (
  only_row  boolean     primary key default true check (only_row),
  event_seq bigint      not null,                        -- of the last event that was looked at
  last_seq  bigint      not null default 0,              -- of the last notice that is to be told
  looked_at timestamptz not null default '-infinity'     -- when what has no events was last looked at
);
insert into notice_position (event_seq) values (0);

-- Something that needs attention. `mark` tells it from what the same subject needed before.
create table notice (
  workspace_id uuid        not null,
  kind         text        not null check (kind <> ''),
  subject_id   uuid        not null,                     -- the destination, channel, series or endpoint
  mark         text        not null,
  tell_at      timestamptz not null,                     -- when it is told, if it is still so by then
  seq          bigint,                                   -- the order in which notices are told; null until then
  noted_at     timestamptz not null default now(),
  primary key (workspace_id, kind, subject_id, mark)
);
create index notice_to_tell on notice (tell_at) where seq is null;
create index notice_told on notice (workspace_id, kind, seq) where seq is not null;
create index notice_age on notice (noted_at);

-- A member, as one who is told: what they chose, and how far they were mailed. Who has no row has chosen nothing.
create table notice_reader (
  workspace_id uuid        not null,
  member_id    uuid        not null,
  choices      jsonb       not null default '{}' check (jsonb_typeof(choices) = 'object'),  -- by kind, whether it is mailed
  told_to      bigint      not null,                     -- the `seq` of the last notice that was mailed, or not to be
  mail_at      timestamptz,                              -- when what is new is mailed; null while nothing is
  quiet_until  timestamptz not null default '-infinity', -- no mail before
  last_mail    text,                                     -- what the last mail has as `once`
  primary key (workspace_id, member_id),
  foreign key (workspace_id, member_id) references member
);
create index notice_reader_mail_at on notice_reader (mail_at) where mail_at is not null;

-- ---------------------------------------------------------------------------------------------------------------------
-- Plans
-- ---------------------------------------------------------------------------------------------------------------------

-- A connection plans what a function does once, by the tables as they are then. Planned while they were small, or before
-- their first statistics, it would read whole tables, or all of a workspace, with every write: hence the settings of the
-- functions above. And a plan that knows the arrays which a function was called with looks cheaper than one that does not, so
-- that PostgreSQL would plan anew with each call: hence `force_generic_plan`.

-- A connection keeps the plans of its statements, too, and in a new database makes them while the tables are small and were
-- never analyzed. The planner then takes `workspace_id` to tell rows apart as well as a whole key does, and reads all rows of a
-- workspace, or of a channel, with each statement, until the first autoanalyze. So a new database begins with statistics:
-- those of sample rows, in which ids of posts and destinations tell rows apart, and workspaces and channels do not. With a
-- target of one, no value of the samples becomes a "most common" one. A truncated table counts as never analyzed, with
-- the statistics of its columns.
do $$
declare
  workspaces uuid[] := array[gen_random_uuid(), gen_random_uuid()];
begin
  insert into workspace (id, name) select w, 'sample' from unnest(workspaces) w;
  insert into channel (workspace_id, id, provider, remote_account_id, display_name, handle, authorization_sealed)
  select w, gen_random_uuid(), 'sample', n::text, 'sample', 'sample', '' from unnest(workspaces) w, generate_series(1, 2) n;

  insert into post (workspace_id, id, edit_token, created_by_type, created_by_name)
  select w, gen_random_uuid(), n, 'agent_key', 'sample' from unnest(workspaces) w, generate_series(1, 150) n;
  -- What most rows have not is as short as can be: a column of which nothing is known counts with 32 bytes, and so few rows
  -- are expected on a page that to read all of a workspace would look cheaper than to read one.
  insert into destination (workspace_id, id, post_id, channel_id, provider, status, control_token, publish_at, due_at,
                           expires_at, published_at, content, release_url, announced_wait, error, last_error, upload,
                           claimed_from, changed_by_type, changed_by_name, series_id)
  select p.workspace_id, gen_random_uuid(), p.id, c.id, 'sample', s.status, gen_random_uuid(), s.at, s.at, s.at,
         case when s.status = 'published' then s.at end, '0', '', '', '0', '0', '0', '', 'person', '', gen_random_uuid()
  from   post p
  join   channel c on c.workspace_id = p.workspace_id
  cross  join lateral (
    select (array['draft', 'scheduled', 'published', 'failed'])[1 + p.edit_token::int % 4], now() + p.edit_token::int * interval '1 second') s (status, at);
  insert into part (workspace_id, destination_id, index, text, folded) select workspace_id, id, 0, id, id from destination;
  insert into post_search (workspace_id, post_id, folded) select workspace_id, id, array[id::text] from post;
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
