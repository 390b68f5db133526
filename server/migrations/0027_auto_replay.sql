-- Whether what failed is sent again, without being asked, once the endpoint answers; and the test event that asks whether it does.
alter table endpoint
  add column auto_replay boolean not null default false,
  add column probe_id    uuid;
