-- ---------------------------------------------------------------------------------------------------------------------
-- What was made at a network and nobody sees
-- owner: queue
-- ---------------------------------------------------------------------------------------------------------------------

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
