//! Every command, a file each, a folder a group.
