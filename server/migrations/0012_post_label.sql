-- ---------------------------------------------------------------------------------------------------------------------
-- Labels of posts
-- owner: posts
-- ---------------------------------------------------------------------------------------------------------------------

-- The labels of a post as they were written, in their order; for readers of the post.
alter table post add column labels text[] not null default '{}';

-- The same, to find posts by: one row for each label of a post, written with `post.labels`.
create table post_label (
  workspace_id uuid not null,
  label_key    text collate "C" not null,         -- the label as labels are compared: without case
  post_id      uuid not null,
  label        text not null,
  primary key (workspace_id, label_key, post_id)
);
