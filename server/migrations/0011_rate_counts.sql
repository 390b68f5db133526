-- owner: api

-- What is used up of limits that all processes share, in the minute that began with the first use. Processes take
-- from it ahead of what they are asked, and give back what they did not need. After a crash everybody begins anew.
create unlogged table rate_count (
  policy  text        not null,
  name    text        not null,            -- of whose uses they are: a credential, a session, an address
  used    int         not null,
  granted int         not null,            -- what the last process to ask was given
  ends_at timestamptz not null,            -- in whole milliseconds
  primary key (policy, name)
) with (fillfactor = 50);
create index rate_count_ended on rate_count (ends_at);
