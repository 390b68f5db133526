-- An endpoint gets the events of all posts. A credential that is limited to some of them has it disabled, as by its end, in the
-- transaction that limits it.
create or replace function end_endpoints_of_credential() returns trigger language plpgsql as $$
begin
  if new.revoked_at is not null or new.limits ?| array['channelIds', 'label'] then
    update endpoint
    set    status = 'disabled', disabled_reason = 'credential_ended', status_since = now(), updated_at = now()
    where  workspace_id = new.workspace_id and credential_id = new.id and status = 'active';
  elsif old.revoked_at is not null then
    update endpoint
    set    status = 'active', disabled_reason = null, status_since = now(), updated_at = now()
    where  workspace_id = new.workspace_id and credential_id = new.id and disabled_reason = 'credential_ended'
    and    deleted_at is null;
  end if;
  return null;
end
$$;
create trigger agent_key_limits_endpoints
after update of limits on agent_key
for each row when (old.limits is distinct from new.limits)
execute function end_endpoints_of_credential();
