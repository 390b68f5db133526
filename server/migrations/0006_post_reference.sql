-- The name that a client has given a post, for itself: a workspace has each once, for as long as the post is there.
alter table post add column reference text;
