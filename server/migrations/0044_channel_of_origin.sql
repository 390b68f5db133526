-- `channel_of_network` begins alike.
drop index channel_of_origin;
