-- Whether a part is the first comment on its post: the last one, which answers to the first.
alter table part add column first_comment boolean not null default false;
