//! A thread that serves the device while no call of the driver does.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use rnic_driver::Clock;
use rustix::event::{poll, PollFd, PollFlags, Timespec};

use crate::link::{Host, Link};
use crate::transport::FrameTransport;

/// Longest sleep: a call of another thread may have started a timer that this one does not know of.
const NAP: Duration = Duration::from_micros(500);
/// Idle looks before it sleeps: waking up costs more than the answer to a read.
const LOOKS: u32 = 200;
/// Sleep while another thread does the work, in a call of the driver.
const OTHERS: Duration = Duration::from_micros(100);

/// A thread that answers the device's requests, acknowledges and repeats frames. Needed when the program does other things than
/// wait in the driver; the session of a program that does nothing for the keep-alive time is lost without it. Ends when dropped.
///
/// ```no_run
/// # use rnic_link::*;
/// // Needs a board.
/// let link = Link::open(PacketSocket::open("enp3s0")?, MonotonicClock::default(), LinkOptions::default())?;
/// let service: LinkService = link.serve()?;
/// std::thread::sleep(std::time::Duration::from_secs(5)); // the device reaches memory meanwhile
/// drop(service);
/// link.close();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LinkService {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl<T, C> Link<T, C>
where
    T: FrameTransport + Send + 'static,
    C: Clock + Send + Sync + 'static,
{
    /// Starts the thread.
    ///
    /// # Errors
    /// The system gives no thread or file.
    pub fn serve(&self) -> io::Result<LinkService> {
        let readable = self.host.lock().readable()?;
        let (host, stop) = (self.host.clone(), Arc::new(AtomicBool::new(false)));
        let stopped = stop.clone();
        let body = move || serve(&host, readable.as_ref(), &stopped);
        let thread = std::thread::Builder::new().name("rnic-link".into()).spawn(body)?;
        Ok(LinkService { stop, thread: Some(thread) })
    }
}

fn serve<T: FrameTransport, C: Clock>(host: &Host<T, C>, readable: Option<&OwnedFd>, stop: &AtomicBool) {
    let (mut idle, mut steps) = (0, 0);
    while !stop.load(Ordering::Relaxed) {
        let mut engine = host.lock();
        if matches!(engine.outcome(), Some(Some(_))) {
            return;
        }
        if engine.steps() != steps {
            // A second thread at the same work would only take turns with the first.
            steps = engine.steps();
            drop(engine);
            std::thread::sleep(OTHERS);
            continue;
        }
        let busy = engine.step(host.clock.now());
        steps = engine.steps();
        let deadline = engine.deadline();
        drop(engine);
        idle = if busy { 0 } else { idle + 1 };
        if idle > LOOKS {
            let left = deadline.map_or(NAP, |deadline| deadline.saturating_sub(host.clock.now()).min(NAP));
            sleep(readable, left);
        } else {
            std::thread::yield_now();
        }
    }
}

/// Sleeps until a frame comes, or for a time below a second.
fn sleep(readable: Option<&OwnedFd>, time: Duration) {
    let Some(file) = readable else {
        std::thread::sleep(time);
        return;
    };
    let limit = Timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
    // Whatever it says, the next step looks for itself.
    let _ = poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&limit));
}

impl Drop for LinkService {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported; the session is as lost as the caller will notice.
            let _ = thread.join();
        }
    }
}
