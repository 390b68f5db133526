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
