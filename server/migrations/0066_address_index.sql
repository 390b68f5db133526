-- migrate: concurrently
-- By which a person is found; person_email stays for the release before.
create unique index concurrently if not exists person_address on person (email);
