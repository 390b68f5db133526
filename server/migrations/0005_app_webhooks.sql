-- Connected apps may be given `webhooks:write`, and end their endpoints.
alter table oauth_grant
  drop constraint oauth_grant_permissions_check,
  add constraint oauth_grant_permissions_check check (permissions <@ array[
    'channels:read', 'calendar:read', 'posts:read', 'posts:write', 'media:read', 'media:write', 'ai:generate',
    'webhooks:write']) not valid;
create trigger oauth_grant_ends_endpoints
after update of revoked_at on oauth_grant
for each row when ((old.revoked_at is null) <> (new.revoked_at is null))
execute function end_endpoints_of_credential();
