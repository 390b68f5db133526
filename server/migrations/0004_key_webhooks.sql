-- Agent keys may be given `webhooks:write`, and end their endpoints.
alter table agent_key
  drop constraint agent_key_permissions_check,
  add constraint agent_key_permissions_check check (permissions <@ array[
    'channels:read', 'calendar:read', 'posts:read', 'posts:write', 'media:read', 'media:write', 'ai:generate',
    'webhooks:write']) not valid;
create trigger agent_key_ends_endpoints
after update of revoked_at on agent_key
for each row when ((old.revoked_at is null) <> (new.revoked_at is null))
execute function end_endpoints_of_credential();
