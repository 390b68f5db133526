create trigger oauth_grant_limits_endpoints
after update of limits on oauth_grant
for each row when (old.limits is distinct from new.limits)
execute function end_endpoints_of_credential();
