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
insert into notice_position (event_seq) select coalesce(max(seq), 0) from outbox_event;

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
