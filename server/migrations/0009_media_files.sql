-- owner: media

-- The place in which the files of this installation are stored, which it may share with others: one row.
create table media_place (
  only_row        boolean     primary key default true check (only_row),
  -- Names this installation there, and in its backups. A restore, and taking a place over, give it another one.
  installation_id uuid        not null default gen_random_uuid(),
  -- What it has noted there to recognise itself, the latest first: a copy of this database knows others.
  marks           uuid[]      not null default '{}',
  contested_at    timestamptz              -- when it last found a note under its id that is none of these
);
-- Copies that were made before this migration have one id, and find each other out by it.
insert into media_place (installation_id) select coalesce(media_storage_id, gen_random_uuid()) from installation;

-- A file that this installation has stored, or was told to be its own. No other one is ever removed.
create table media_file (
  workspace_id uuid        not null,
  storage_key  text        not null,
  written_at   timestamptz not null default now(),
  unused_since timestamptz,                -- when it was found without an item
  discarded_at timestamptz check (unused_since is not null or discarded_at is null),  -- when it was in the trash
  primary key (workspace_id, storage_key)
);
create index media_file_unused on media_file (unused_since) where unused_since is not null;

-- What was stored by the releases before. A database that is being restored has no place yet, and owns none of it.
insert into media_file (workspace_id, storage_key, written_at)
select workspace_id, storage_key, min(created_at)
from   media_item
where  (select media_storage_id from installation) is not null
group  by workspace_id, storage_key;
