-- Everything here belongs to people, who are global. Secrets are kept as SHA-256 (256 random bits) or sealed.

-- A browser in which somebody is signed in.
create table session (
  id         uuid        primary key,
  person_id  uuid        not null references person,
  token_hash bytea       not null unique check (octet_length(token_hash) = 32),
  proved_at  timestamptz not null default now(),   -- when the person last showed who they are
  seen_at    timestamptz not null default now(),
  ends_at    timestamptz not null,                 -- however much it is used
  address    text,
  user_agent text,
  created_at timestamptz not null default now()
);
create index session_of_person on session (person_id);
create index session_age on session (ends_at);

-- A link that works once: to become the first owner of a workspace, or to set a new password.
create table one_time_link (
  token_hash   bytea       primary key check (octet_length(token_hash) = 32),
  kind         text        not null check (kind in ('owner', 'reset')),
  person_id    uuid        not null references person,
  workspace_id uuid        references workspace,
  by_mail      boolean     not null default false, -- whoever has it reads mail sent to the person's address
  expires_at   timestamptz not null,
  used_at      timestamptz,
  created_at   timestamptz not null default now(),
  constraint owner_of_workspace check ((kind = 'owner') = (workspace_id is not null))
);
create index one_time_link_of_person on one_time_link (person_id);

-- An invitation to become a member, by a link that works once.
create table invitation (
  workspace_id uuid        not null references workspace,
  id           uuid        not null,
  token_hash   bytea       not null unique check (octet_length(token_hash) = 32),
  email        text        not null check (email <> ''),
  role         text        not null check (role in ('owner', 'admin', 'editor', 'approver', 'viewer')),
  by_mail      boolean     not null,               -- the link went to the address, and nowhere else
  invited_by   uuid        not null,
  expires_at   timestamptz not null,
  accepted_at  timestamptz,
  revoked_at   timestamptz,
  created_at   timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, invited_by) references member
);

-- What a browser has begun and has to finish within minutes: the second factor of a sign-in, a passkey, a sign-in elsewhere.
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
  last_step    bigint      not null default 0,     -- of the last code that was accepted: none is accepted twice
  created_at   timestamptz not null default now()
);

create table recovery_code (
  person_id uuid        not null references person,
  code_hash bytea       not null check (octet_length(code_hash) = 32),
  used_at   timestamptz,
  primary key (person_id, code_hash)
);

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

-- Who a person is at the identity provider of the configuration.
create table person_identity (
  issuer     text        not null,
  subject    text        not null,
  person_id  uuid        not null references person,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index person_identity_of_person on person_identity (person_id);
