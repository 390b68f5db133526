-- A link may also prove that somebody reads mail at the address that they want to have.
alter table one_time_link
  add column email text,
  drop constraint one_time_link_kind_check,
  add constraint one_time_link_kind_check check (kind in ('owner', 'reset', 'email')),
  add constraint email_to_prove check ((kind = 'email') = (email is not null));
