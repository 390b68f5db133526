-- An e-mail address is stored in its one canonical form, which the program makes, and is compared as it stands. Rows of before
-- are brought into it where that changes the case of ASCII letters only and makes no two people one; any other row stays as
-- it is: nobody is found by such an address any more, and its person changes it in a session.
update person p
set    email = lower(p.email collate "C")
where  p.email ~ '^[!-~]+$' and p.email collate "C" <> lower(p.email collate "C")
and    not exists (
  select from person o
  where  o.id <> p.id and lower(o.email collate "C") = lower(p.email collate "C"));

update invitation
set    email = lower(email collate "C")
where  email ~ '^[!-~]+$' and email collate "C" <> lower(email collate "C");

-- What else is open for an address that is not ASCII has to be asked for once more.
update invitation set revoked_at = now() where email !~ '^[!-~]+$' and accepted_at is null and revoked_at is null;
update one_time_link set used_at = now() where kind = 'email' and used_at is null and email collate "C" <> lower(email collate "C");
update one_time_link set used_at = now() where kind = 'email' and used_at is null and email !~ '^[!-~]+$';
