-- ---------------------------------------------------------------------------------------------------------------------
-- Channel groups
-- owner: channels
-- ---------------------------------------------------------------------------------------------------------------------

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
