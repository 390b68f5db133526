-- owner: webhooks

-- An endpoint of a credential that has not ended, and may no longer read the events of posts or have endpoints: its member got another
-- role, or it was given less.
alter table endpoint drop constraint endpoint_disabled_reason_check;
alter table endpoint add constraint endpoint_disabled_reason_check
check (disabled_reason in ('by_hand', 'failing', 'secret_lost', 'credential_ended', 'right_lost')) not valid;
