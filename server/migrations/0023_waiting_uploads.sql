-- How far the uploads of a part came, while the provider is processing one of them: held by nobody, as an accepted call is.
alter table destination add column upload jsonb;
