//! Steps that post work and ring doorbells.

use super::super::machine::Machine;
use super::super::step::{self, Patch, Queue};
use super::{expect_errno, unexpected, Outcome, Runner, Unmet};
use rnic_abi::wqe::{self, Slot};
use rnic_abi::{key, register};
use rnic_driver::{Access, BadWr, Errno, Pages, PostError, QueuePair, ReceiveRequest, RegMr, SendRequest};

/// How a request reaches the queue.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub unchecked: bool,
    pub ring: bool,
    pub errno: Option<Errno>,
}

fn refused<M: Machine>(bad: BadWr<M>, unchecked: bool) -> (Errno, String) {
    let hint = if unchecked { "" } else { "; `unchecked = true` leaves the judgement to the hardware" };
    (bad.errno(), format!("{}{hint}", bad.error))
}

fn post_error(error: PostError) -> (Errno, String) {
    (error.errno(), error.to_string())
}

pub(super) fn post<M: Machine>(qp: &QueuePair<M>, request: SendRequest<M>, way: Way) -> Outcome {
    let staged = if way.unchecked { qp.stage_unchecked(request) } else { qp.stage_list([request]) };
    let result = staged.map_err(|bad| refused(bad, way.unchecked));
    if expect_errno(result, way.errno)?.is_some() && way.ring {
        qp.ring_send().map_err(|bad| Unmet::new("a doorbell", bad.error.to_string()))?;
    }
    Ok(())
}

fn post_slots<M: Machine>(qp: &QueuePair<M>, wr_id: u64, slots: &[Slot], ring: bool, errno: Option<Errno>) -> Outcome {
    let result = qp.stage_raw(wr_id, slots).map_err(post_error);
    if expect_errno(result, errno)?.is_some() && ring {
        qp.ring_send().map_err(|bad| Unmet::new("a doorbell", bad.error.to_string()))?;
    }
    Ok(())
}

fn patched(mut slot: Slot, patches: &[Patch]) -> Result<Slot, Unmet> {
    for patch in patches {
        let place = usize::from(patch.at)..usize::from(patch.at) + patch.bytes.0.len();
        let bytes = slot.get_mut(place).ok_or_else(|| Unmet::new("a patch inside the slot", format!("{patch:?}")))?;
        bytes.copy_from_slice(&patch.bytes.0);
    }
    Ok(slot)
}

impl<M: Machine> Runner<M> {
    pub(super) fn reg_mr(&mut self, body: &step::RegMr) -> Outcome {
        let wr_id = self.wr_id(body.wr_id);
        let region = self.objects.mr(&body.mr)?;
        match body.key_byte {
            Some(byte) => region.update_key(byte),
            None if body.key.is_none() => drop(region.bump_key()),
            None => {}
        }
        let mut request = RegMr::new(region, Access::from_bits(body.access.0), body.iova.0, 0, self.pages(body)?);
        request = request.page_shift(body.page_shift);
        request.npages = body.npages.unwrap_or(request.npages);
        request.fbo = body.fbo.unwrap_or(request.fbo);
        if let Some(key) = body.key {
            request.key = key.0 as u32;
        }
        let page_size = 1u64.checked_shl(body.page_shift.into()).unwrap_or(0);
        let covered = u64::from(request.npages).wrapping_mul(page_size).saturating_sub(request.fbo.into());
        request.length = body.length.map_or(covered, |length| length.0);
        let qp = self.objects.qp(&body.qp)?;
        let errno = body.errno.map(|errno| errno.0);
        if !body.patch.is_empty() {
            let slot = patched(encode(&request, body), &body.patch)?;
            return post_slots(qp, wr_id, &[slot], body.ring, errno);
        }
        let mut request = SendRequest::reg_mr(wr_id, request);
        request.signaled = body.signaled;
        request.fence = body.fence;
        request.solicited = body.solicited;
        request.inline_data = body.inline_data;
        post(qp, request, Way { unchecked: body.unchecked, ring: body.ring, errno })
    }

    fn pages(&self, body: &step::RegMr) -> Result<Pages<M>, Unmet> {
        if let Some(pages) = &body.pages {
            let pages = pages.iter().map(|page| self.objects.resolve(page)).collect::<Result<Vec<_>, _>>()?;
            return Ok(Pages::Inline(pages));
        }
        if let Some(at) = &body.list_at {
            return Ok(Pages::Address(self.objects.resolve(at)?));
        }
        let list = body.list.as_ref().and_then(|name| self.objects.lists.get(name));
        list.map(|list| Pages::Shared(list.clone())).ok_or_else(|| Unmet::new("a page list", "none"))
    }

    pub(super) fn local_inv(&mut self, body: &step::LocalInv) -> Outcome {
        let wr_id = self.wr_id(body.wr_id);
        let key = self.key(body.mr.as_deref(), body.key_byte, body.key.map(|key| key.0))?;
        let qp = self.objects.qp(&body.qp)?;
        let errno = body.errno.map(|errno| errno.0);
        if !body.patch.is_empty() {
            let flags = flags(body.signaled, body.fence, false);
            let slot = patched(wqe::LocalInv { flags, key }.encode(), &body.patch)?;
            return post_slots(qp, wr_id, &[slot], body.ring, errno);
        }
        let mut request = SendRequest::local_inv(wr_id, key);
        request.signaled = body.signaled;
        request.fence = body.fence;
        post(qp, request, Way { unchecked: body.unchecked, ring: body.ring, errno })
    }

    /// The key that a step means: in full, or the driver's copy of a region's key with another byte.
    pub(super) fn key(&self, mr: Option<&str>, byte: Option<u8>, key: Option<u64>) -> Result<u32, Unmet> {
        if let Some(key) = key {
            return Ok(key as u32);
        }
        let present = self.objects.mr(mr.unwrap_or_default())?.key();
        Ok(byte.map_or(present, |byte| key::new(key::index(present), byte)))
    }

    pub(super) fn raw(&mut self, body: &step::Raw) -> Outcome {
        let mut slots = vec![[0; wqe::BYTES]; body.slot.0.len().div_ceil(wqe::BYTES)];
        for (slot, bytes) in slots.iter_mut().zip(body.slot.0.chunks(wqe::BYTES)) {
            slot[..bytes.len()].copy_from_slice(bytes);
        }
        for number in 0..body.times {
            let wr_id = self.wr_id(body.wr_id.map(|id| id.wrapping_add(number.into())));
            let ring = body.ring && number + 1 == body.times;
            post_slots(self.objects.qp(&body.qp)?, wr_id, &slots, ring, body.errno.map(|errno| errno.0))?;
        }
        Ok(())
    }

    pub(super) fn receive(&mut self, body: &step::Receive) -> Outcome {
        for number in 0..body.times {
            let wr_id = self.wr_id(body.wr_id.map(|id| id.wrapping_add(number.into())));
            let sges = self.sges(&body.qp, &body.sges)?;
            let qp = self.objects.qp(&body.qp)?;
            let result = qp.stage_receive(&ReceiveRequest::new(wr_id, sges)).map_err(post_error);
            expect_errno(result, body.errno.map(|errno| errno.0))?;
        }
        if body.ring {
            let rung = self.objects.qp(&body.qp)?.ring_receive();
            rung.map_err(|error| Unmet::new("a doorbell", error.to_string()))?;
        }
        Ok(())
    }

    pub(super) fn ring(&mut self, body: &step::Ring) -> Outcome {
        let qp = self.objects.qp(&body.qp)?;
        if let Some(value) = body.value {
            let offset = match body.queue {
                Queue::Send => register::sq_doorbell(qp.index()),
                Queue::Receive => register::rq_doorbell(qp.index()),
            };
            return self
                .nic_of(&body.qp)
                .device
                .write_register(offset, value)
                .map_err(|error| unexpected(error.into()));
        }
        let failed = match body.queue {
            Queue::Send => qp.ring_send().err().map(|bad| bad.error),
            Queue::Receive => qp.ring_receive().err(),
        };
        failed.map_or(Ok(()), |error| Err(Unmet::new("a doorbell", error.to_string())))
    }

    pub(super) fn arm(&mut self, body: &step::Arm) -> Outcome {
        self.objects.cq(&body.cq)?.arm(body.solicited).map_err(unexpected)
    }
}

/// The flags of a slot that is encoded here.
fn flags(signaled: bool, fence: bool, solicited: bool) -> u8 {
    let flags = [(signaled, wqe::FLAG_SIGNALLED), (fence, wqe::FLAG_FENCE), (solicited, wqe::FLAG_SOLICITED)];
    flags.into_iter().filter(|(set, _)| *set).fold(0, |flags, (_, flag)| flags | flag)
}

/// The slot of a request, to be patched.
fn encode<M: Machine>(request: &RegMr<M>, body: &step::RegMr) -> Slot {
    let pages = match &request.pages {
        Pages::Inline(pages) => {
            let mut four = [0; 4];
            four.iter_mut().zip(pages).for_each(|(place, page)| *place = *page);
            wqe::PageList::Inline(four)
        }
        Pages::List(list) => wqe::PageList::Pointer(list.bus_address()),
        Pages::Shared(list) => wqe::PageList::Pointer(list.bus_address()),
        Pages::Address(address) => wqe::PageList::Pointer(*address),
    };
    wqe::RegMr {
        flags: flags(body.signaled, body.fence, body.solicited),
        access: request.access.bits(),
        key: request.key,
        page_shift: request.page_shift,
        npages: request.npages,
        fbo: request.fbo,
        iova: request.iova,
        length: request.length,
        pages,
    }
    .encode()
}
