-- owner: channels

-- A workspace that goes on in another installation, or is being deleted: nothing of it is published, told or changed here.
create table workspace_freeze (
  workspace_id uuid        primary key,
  frozen_at    timestamptz not null default now(),  -- its members and keys were suspended at this time, too
  state        jsonb       not null,     -- what was stopped by that, and goes on when it ends: channels, endpoints, destinations in doubt
  deleting     boolean     not null default false   -- some of it may be gone: it does not go on here
);

-- What is not enabled is not claimed: so no channel of a frozen workspace is, whoever asks for it.
create function keep_channel_off() returns trigger language plpgsql as $$
begin
  if exists (select from workspace_freeze f where f.workspace_id = new.workspace_id) then
    raise exception 'the workspace is frozen' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger channel_of_frozen_is_off before insert or update of enabled on channel
for each row when (new.enabled) execute function keep_channel_off();
