-- A file that posts can carry: checked, kept under storage_key, and never changed. Equal files of one workspace
-- share what is kept; neither the hash nor the key is ever shown.
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
  created_at   timestamptz not null default now(),
  primary key (workspace_id, id)
);
create index media_item_of_kind on media_item (workspace_id, kind, id);
create index media_item_equal on media_item (workspace_id, sha256);
create index media_item_stored on media_item (storage_key);

alter table part    add column media_ids uuid[] not null default '{}';
-- What the provider calls the media of the call: a repeat of the call must carry the same.
alter table attempt add column media jsonb not null default '[]';
