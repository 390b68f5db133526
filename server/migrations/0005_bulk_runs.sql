-- ---------------------------------------------------------------------------------------------------------------------
-- Bulk runs: one action on several posts, which goes on without the browser that began it
-- owner: bulk
-- ---------------------------------------------------------------------------------------------------------------------

create table bulk_run (
  workspace_id uuid        not null,
  id           uuid        not null,
  member_id    uuid        not null,   -- whose rights it acts with: who began it, or has it undone
  action       text        not null check (action in ('move', 'submit', 'cancel', 'discard')),
  minutes      integer     check ((minutes is not null) = (action = 'move')),
  status       text        not null check (status in ('running', 'done', 'stopped', 'undoing', 'undone')),
  reason       text,                   -- why it ended before its last post
  look_at      timestamptz check ((look_at is not null) = (status in ('running', 'undoing'))),
  created_at   timestamptz not null default now(),
  ended_at     timestamptz,
  primary key (workspace_id, id),
  foreign key (workspace_id, member_id) references member
);
create index bulk_run_due on bulk_run (look_at) where look_at is not null;
create index bulk_run_age on bulk_run (created_at);

-- One post of a run. The token is what its person has seen, and once it is done, what the run has left.
create table bulk_run_item (
  workspace_id uuid    not null,
  run_id       uuid    not null,
  place        integer not null,
  post_id      uuid    not null,
  edit_token   text    not null,
  status       text    not null default 'waiting' check (status in ('waiting', 'done', 'refused', 'undone', 'kept')),
  before       jsonb,                  -- of one that was moved: the time that each channel had
  refusal      jsonb check ((refusal is not null) = (status in ('refused', 'kept'))),  -- its code, and why
  primary key (workspace_id, run_id, place),
  unique (workspace_id, run_id, post_id),
  foreign key (workspace_id, run_id) references bulk_run
);
