-- How long a client was let in for; null for grants from before, which end with the authorization server's own.
alter table oauth_grant add column expires_at timestamptz;
