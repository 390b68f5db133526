-- ---------------------------------------------------------------------------------------------------------------------
-- Requests for approval: who was told of which
-- owner: reviews
-- ---------------------------------------------------------------------------------------------------------------------

-- A person was told of a request, by a mail. Several requests are told of by one mail.
create table approval_told (
  workspace_id uuid        not null,
  approval_id  uuid        not null,
  person_id    uuid        not null,
  mail_id      uuid        not null,
  told_at      timestamptz not null default now(),
  primary key (workspace_id, approval_id, person_id),
  foreign key (workspace_id, approval_id) references approval on delete cascade
);
create index approval_told_person on approval_told (workspace_id, person_id, told_at);
