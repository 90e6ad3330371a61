//! Memory regions of the application: their life from registration to invalidation, and who may use them when.

use super::hazards::{Touch, Way};
use crate::reference::transfer::Payload;
use crate::reference::{Region as ModelRegion, RegionState};
use rnic_abi::{access, key};

/// Bytes of memory behind each region, contiguous on the bus; pages are cut out of it.
pub(super) const BYTES: u64 = 16 << 10;

/// Where a region is in its life, as the application knows it. Numbers are those of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    Free,
    /// Posted on this queue pair and not completed: that send queue may use it (D2).
    Registering {
        request: usize,
        pair: usize,
    },
    Valid,
    /// Its invalidation is posted and not completed: nobody may use it; a LOCAL_INV lets its queue register again (C10).
    Leaving {
        request: usize,
        pair: usize,
        local: bool,
    },
}

/// How a request uses a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// In the SGEs of a request.
    Local,
    /// In the SGEs of a receive.
    Receive,
    /// WRITE of the peer.
    Written,
    /// READ or atomic of the peer.
    Read,
}

/// What a registration says.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    pub start: u64,
    pub length: u64,
    pub fbo: u64,
    pub shift: u32,
    pub pages: Vec<u64>,
    pub access: u8,
}

impl Layout {
    /// Bus addresses of a range of the region.
    pub fn touches(&self, side: usize, va: u64, bytes: u64, way: Way) -> Vec<Touch> {
        let (mut touches, mut done) = (vec![], 0);
        while done < bytes {
            let offset = self.fbo + va.wrapping_sub(self.start) + done;
            let (page, place) = ((offset >> self.shift) as usize, offset & ((1 << self.shift) - 1));
            let count = ((1 << self.shift) - place).min(bytes - done);
            let bus = self.pages[page] + place;
            touches.push(Touch { side, range: bus..bus + count, way });
            done += count;
        }
        touches
    }
}

/// A region.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub side: usize,
    pub index: u32,
    pub pd: u32,
    pub max_pages: u32,
    pub memory: u64,
    pub life: Life,
    pub key: u32,
    pub layout: Layout,
    /// Requests that use it and have not completed.
    pub users: Vec<(usize, Role)>,
    /// Page lists used so far.
    pub lists: u64,
    /// For receives only, registered from the start to the end: a message that waits can always be taken.
    pub fixed: bool,
}

impl Region {
    pub fn new(side: usize, index: u32, pd: u32, max_pages: u32, memory: u64, payload: &mut Payload) -> Self {
        (0..BYTES / 4096).for_each(|page| payload.add_page(memory + page * 4096));
        Self {
            side,
            index,
            pd,
            max_pages,
            memory,
            life: Life::Free,
            key: key::new(index, 0),
            layout: Layout::default(),
            users: vec![],
            lists: 0,
            fixed: false,
        }
    }

    /// What the model holds, where no request is on its way that changes it: after requests that were flushed.
    pub fn learn(&mut self, model: &ModelRegion) {
        if matches!(self.life, Life::Registering { .. } | Life::Leaving { .. }) {
            return;
        }
        self.life = if model.state == RegionState::Valid { Life::Valid } else { Life::Free };
        self.key = model.key;
        self.layout = Layout {
            start: if model.zero_based() { 0 } else { model.iova },
            length: model.length,
            fbo: model.fbo.into(),
            shift: model.page_shift.into(),
            pages: model.pages.clone(),
            access: model.access,
        };
    }

    /// Registered with all of these rights, and usable in this role by a queue pair: its own, or for remote roles the peer.
    pub fn usable(&self, pair: usize, role: Role, rights: u8) -> bool {
        let alive = match self.life {
            Life::Valid => true,
            Life::Registering { pair: owner, .. } => role == Role::Local && owner == pair,
            _ => false,
        };
        alive && rights & !self.layout.access == 0
    }

    pub fn registrable(&self, pair: usize) -> bool {
        match self.life {
            Life::Free => true,
            Life::Leaving { pair: owner, local, .. } => local && owner == pair,
            _ => false,
        }
    }

    /// Remote rights make it invalidatable by the peer (C12).
    pub fn remote(&self) -> bool {
        self.layout.access & access::REMOTE != 0
    }

    /// A request has ended.
    pub fn ended(&mut self, request: usize) {
        self.users.retain(|(user, _)| *user != request);
        match self.life {
            Life::Registering { request: own, .. } if own == request => self.life = Life::Valid,
            Life::Leaving { request: own, .. } if own == request => self.life = Life::Free,
            _ => {}
        }
    }
}
