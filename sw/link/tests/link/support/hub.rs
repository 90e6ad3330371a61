//! A hub: what one port sends, all others receive. A tap on a port sees and changes what arrives there.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;

use rnic_link::FrameTransport;

/// What becomes of a frame: nothing, itself, several.
pub type Tap = Box<dyn FnMut(&[u8]) -> Vec<Vec<u8>>>;

#[derive(Default)]
struct Queue {
    frames: VecDeque<Vec<u8>>,
    tap: Option<Tap>,
}

#[derive(Clone, Default)]
pub struct Hub(Rc<RefCell<Vec<Queue>>>);

impl Hub {
    pub fn port(&self) -> Port {
        let mut ports = self.0.borrow_mut();
        ports.push(Queue::default());
        Port { hub: self.clone(), number: ports.len() - 1 }
    }

    /// Changes what arrives at a port, by number in the order in which they were made.
    pub fn tap(&self, port: usize, tap: impl FnMut(&[u8]) -> Vec<Vec<u8>> + 'static) {
        self.0.borrow_mut()[port].tap = Some(Box::new(tap));
    }

    pub fn untap(&self, port: usize) {
        self.0.borrow_mut()[port].tap = None;
    }

    /// Puts a frame where it will be received, past the tap.
    pub fn inject(&self, port: usize, frame: Vec<u8>) {
        self.0.borrow_mut()[port].frames.push_back(frame);
    }
}

pub struct Port {
    hub: Hub,
    number: usize,
}

impl FrameTransport for Port {
    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        let count = self.hub.0.borrow().len();
        for port in (0..count).filter(|port| *port != self.number) {
            // The tap may use the hub, so it is not borrowed meanwhile.
            let tap = self.hub.0.borrow_mut()[port].tap.take();
            let frames = match tap {
                Some(mut tap) => {
                    let frames = tap(frame);
                    self.hub.0.borrow_mut()[port].tap.get_or_insert(tap);
                    frames
                }
                None => vec![frame.to_vec()],
            };
            self.hub.0.borrow_mut()[port].frames.extend(frames);
        }
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let frame = self.hub.0.borrow_mut()[self.number].frames.pop_front();
        Ok(frame.map(|frame| {
            buffer[..frame.len()].copy_from_slice(&frame);
            frame.len()
        }))
    }
}
