-- When a part of the server last did its work, in whichever process; and when the last backup was complete.
create table activity (
  part text        primary key check (part <> ''),
  at   timestamptz not null default now()
);
