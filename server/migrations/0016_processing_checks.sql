-- A transaction of its own: to validate a constraint takes long on a long table, and lets others work meanwhile.
alter table destination
  validate constraint leased_only_while_publishing,
  validate constraint publishing_is_looked_after;
