-- ---------------------------------------------------------------------------------------------------------------------
-- Posts that were confirmed late
-- owner: queue
-- ---------------------------------------------------------------------------------------------------------------------

-- A post that a call made, as its network said once its destination had gone on without it: the call was taken for one that left nothing.
-- It is removed with its attempt.
create table late_post (
  workspace_id   uuid        not null,
  destination_id uuid        not null,
  part_index     integer     not null,
  attempt_id     uuid        not null,
  remote_id      text        not null,
  release_url    text,
  found_at       timestamptz not null default now(),
  told_at        timestamptz,            -- when it was announced as the second post of a part that is out under another id
  primary key (workspace_id, destination_id, part_index, attempt_id)
);
create index late_post_told on late_post (told_at) where told_at is not null;

-- That it was found is an event. What the domain held before, it holds still: nothing has to be read again.
alter domain event_type drop constraint event_type;
alter domain event_type add constraint event_type check (value in (
  'post.scheduled', 'post.published', 'post.partial', 'post.failed', 'post.delayed', 'post.reconnect_required',
  'post.recovery_required', 'post.cancelled', 'post.expired', 'post.created', 'post.edited', 'approval.requested',
  'approval.decided', 'post.duplicate_found')) not valid;
