-- Whoever can sign in. Members are what a person is in each workspace.
create table person (
  id              uuid        primary key,
  name            text        not null check (name <> ''),
  email           text        not null check (email <> ''),
  email_proven_at timestamptz,           -- when it was shown that the person reads mail sent there
  password_hash   text,                  -- PHC string; null while there is none
  created_at      timestamptz not null default now()
);
create unique index person_email on person (lower(email));

insert into person (id, name, email, created_at)
select distinct on (lower(email)) id, name, email, created_at
from   member
order  by lower(email), (role = 'owner') desc, created_at, id;

alter table member add column person_id uuid references person, add column removed_at timestamptz;
update member m set person_id = p.id from person p where lower(p.email) = lower(m.email);

-- Members of one workspace with one e-mail address are one person: one member of them stays, with all that is theirs.
create temporary table merged_member on commit drop as
select m.workspace_id, m.id,
       first_value(m.id) over (partition by m.workspace_id, m.person_id
                               order by (m.role = 'owner') desc, m.created_at, m.id) as kept_id
from   member m;
update agent_key k set member_id = m.kept_id
from   merged_member m
where  m.workspace_id = k.workspace_id and m.id = k.member_id and m.id <> m.kept_id;
update approval a set decided_by = m.kept_id
from   merged_member m
where  m.workspace_id = a.workspace_id and m.id = a.decided_by and m.id <> m.kept_id;
delete from member d using merged_member m
where  m.workspace_id = d.workspace_id and m.id = d.id and m.id <> m.kept_id;

alter table member drop constraint member_role_check;
update member set role = 'editor' where role = 'member';
alter table member
  alter column person_id set not null,
  alter column role drop default,
  drop column name,
  drop column email,
  add constraint member_role check (role in ('owner', 'admin', 'editor', 'approver', 'viewer')),
  add constraint member_person unique (workspace_id, person_id);
create index member_of_person on member (person_id);

-- Who did what, when and from where; written in the transaction of the change, and never changed afterwards.
create table audit_entry (
  seq          bigint      generated always as identity primary key,
  workspace_id uuid        references workspace,   -- null: it concerns a person alone
  id           uuid        not null unique,
  at           timestamptz not null default now(),
  actor_type   text        not null check (actor_type in ('person', 'agent_key', 'oauth', 'operator', 'service')),
  actor_id     uuid,                               -- of the person, the key or the grant
  actor_name   text        not null,
  person_id    uuid,                               -- whose act it was, or in whose name; null for an operator
  action       text        not null,               -- the operation's id
  subject      jsonb       not null default '{}',  -- the ids of what it was done to
  before       jsonb,
  after        jsonb,
  address      text,
  request_id   uuid
);
create index audit_entry_of_workspace on audit_entry (workspace_id, seq);
create index audit_entry_of_person on audit_entry (person_id, seq) where workspace_id is null;
create index audit_entry_age on audit_entry (at);

-- Only what is past its retention may go, and only by a transaction that says so.
create function keep_audit_entry() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('postrider.audit_retention', true) = 'on' then
    return old;
  end if;
  raise exception 'audit_entry is append-only' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_entry_kept before update or delete on audit_entry
  for each row execute function keep_audit_entry();
create trigger audit_entry_whole before truncate on audit_entry
  for each statement execute function keep_audit_entry();
