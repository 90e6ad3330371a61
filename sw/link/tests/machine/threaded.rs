//! A device in a thread, in the time of the machine.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rnic_link::FrameTransport;

use crate::support::device::{Device, Knobs};

pub struct ThreadedDevice<T> {
    device: Arc<Mutex<Device<T>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl<T: FrameTransport + Send + 'static> ThreadedDevice<T> {
    pub fn new(wire: T) -> ThreadedDevice<T> {
        let device = Arc::new(Mutex::new(Device::new(wire, Knobs::default())));
        let stop = Arc::new(AtomicBool::new(false));
        let (stepped, stopped, start) = (device.clone(), stop.clone(), Instant::now());
        let thread = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                stepped.lock().unwrap().step(start.elapsed().as_micros() as u64);
                // Not all of a processor: the host is on the same machine.
                std::thread::sleep(Duration::from_micros(10));
            }
        });
        ThreadedDevice { device, stop, thread: Some(thread) }
    }

    pub fn with<R>(&self, with: impl FnOnce(&mut Device<T>) -> R) -> R {
        with(&mut self.device.lock().unwrap())
    }

    /// Waits until something holds; a minute is for ever.
    pub fn wait(&self, what: &str, mut holds: impl FnMut(&mut Device<T>) -> bool) {
        let start = Instant::now();
        while !self.with(&mut holds) {
            assert!(start.elapsed() < Duration::from_secs(60), "{what}");
            std::thread::yield_now();
        }
    }
}

impl<T> Drop for ThreadedDevice<T> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
