-- Mail that is to be sent, written in the transaction of what it tells of. A row without content is done.
create table mail (
  id             uuid        primary key,
  kind           text        not null check (kind <> ''),
  recipient      text        not null check (recipient <> ''),
  once           text        unique,               -- what there is one mail of, such as a request and its approver
  content_sealed bytea,                            -- subject and text: a link in it is a secret
  attempts       integer     not null default 0,   -- counted before sending; also the fence of whoever sends
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

-- Somebody asked for a link to set a new password. Whether anybody has the address is looked up after the answer.
create table reset_request (
  id         uuid        primary key,
  email      text        not null,
  address    text        not null,
  created_at timestamptz not null default now()
);

-- When the approvers were mailed; null where they were not, and where no mail is configured.
alter table approval add column announced_at timestamptz;
