-- Pictures in a second, and how the sound is sampled; null where there is no such track, where it is not known, and for items that came before this.
alter table media_item
  add column frame_rate double precision,
  add column audio_channels integer,
  add column audio_sample_rate integer;
