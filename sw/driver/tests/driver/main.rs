//! Tests of the driver against a mock device.

mod admin;
mod bring_up;
mod completion_channel;
mod completion_queue;
mod connect;
mod data;
mod drain;
mod examples;
mod flow;
mod flow_ghosts;
mod mapping;
mod memory_region;
mod page_list;
mod post_checks;
mod posting;
mod protection_domain;
mod queue_pair;
mod raw;
mod silence;
mod teardown;
mod two_devices;
mod typestate;
mod unanswered;
mod unmap_failures;
