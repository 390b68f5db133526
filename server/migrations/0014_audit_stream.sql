-- owner: audit

-- How far the audit log was written to where AUDIT_STREAM says: one row. One process at a time writes.
create table audit_stream (
  only_row   boolean     primary key default true check (only_row),
  position   bigint      not null default 0,  -- of the last entry that is certainly written
  holder     uuid,                            -- the process that writes
  held_until timestamptz
);
insert into audit_stream default values;
