//! Steps that create, change and destroy objects.

use super::super::machine::Machine;
use super::super::step;
use super::objects::{bring_to, create_cq};
use super::{driver_error, expect_errno, unexpected, Outcome, Runner, Unmet};
use rnic_abi::mr::Type;
use rnic_abi::qp::State;
use rnic_driver::{Error, QpAttributes, QueuePair};

impl<M: Machine> Runner<M> {
    pub(super) fn alloc_mr(&mut self, body: &step::AllocMr) -> Outcome {
        let pd = self.objects.pd(&body.pd)?;
        let kind = body.kind.map_or(Type::MemReg, |kind| kind.0);
        let result = self.nic_of(&body.pd).device.alloc_mr(pd, kind, body.max_pages).map_err(driver_error);
        if let Some(region) = expect_errno(result, body.errno.map(|errno| errno.0))? {
            self.objects.mrs.insert(body.mr.clone(), region);
            self.objects.place_with(&body.mr, &body.pd);
        }
        Ok(())
    }

    pub(super) fn dereg_mr(&mut self, body: &step::DeregMr) -> Outcome {
        self.objects.mr(&body.mr)?;
        let region = self.objects.mrs.remove(&body.mr).expect("looked up above");
        let result = region.dereg().map_err(|kept| {
            let error = driver_error(kept.error);
            self.objects.mrs.insert(body.mr.clone(), kept.object);
            error
        });
        expect_errno(result, body.errno.map(|errno| errno.0)).map(drop)
    }

    pub(super) fn update_key(&mut self, body: &step::UpdateKey) -> Outcome {
        self.objects.mr(&body.mr)?.update_key(body.byte);
        Ok(())
    }

    pub(super) fn recover_mr(&mut self, body: &step::RecoverMr) -> Outcome {
        let region = self.objects.mr(&body.mr)?;
        let result = region.recover().map_err(driver_error);
        expect_errno(result, body.errno.map(|errno| errno.0))?;
        match body.state {
            None => Ok(()),
            Some(expected) => {
                let found = region.query().map_err(unexpected)?.state;
                let wrong = || Unmet::new(expected.0.name(), found.name());
                if found == expected.0 {
                    Ok(())
                } else {
                    Err(wrong())
                }
            }
        }
    }

    pub(super) fn free_pd(&mut self, body: &step::FreePd) -> Outcome {
        self.objects.pd(&body.pd)?;
        let pd = self.objects.pds.remove(&body.pd).expect("looked up above");
        let result = pd.free().map_err(|kept| {
            let error = driver_error(kept.error);
            self.objects.pds.insert(body.pd.clone(), kept.object);
            error
        });
        expect_errno(result, body.errno.map(|errno| errno.0)).map(drop)
    }

    pub(super) fn create_cq(&mut self, body: &step::CreateCq) -> Outcome {
        let nic = self.nic(body.table.nic.as_ref());
        let (name, result) = (nic.name.clone(), create_cq(&nic.device, &body.table).map_err(driver_error));
        if let Some(queue) = expect_errno(result, body.errno.map(|errno| errno.0))? {
            self.objects.cqs.insert(body.cq.clone(), queue);
            self.objects.place_on(&body.cq, Some(&name));
        }
        Ok(())
    }

    pub(super) fn destroy_cq(&mut self, body: &step::DestroyCq) -> Outcome {
        self.objects.cq(&body.cq)?;
        let queue = self.objects.cqs.remove(&body.cq).expect("looked up above");
        let result = queue.destroy().map_err(|kept| {
            let error = driver_error(kept.error);
            self.objects.cqs.insert(body.cq.clone(), kept.object);
            error
        });
        expect_errno(result, body.errno.map(|errno| errno.0)).map(drop)
    }

    pub(super) fn create_qp(&mut self, body: &step::CreateQp) -> Outcome {
        let device = &self.nic_of(&body.table.pd).device;
        let result = self.objects.create_qp(device, &body.table).map_err(driver_error);
        if let Some(pair) = expect_errno(result, body.errno.map(|errno| errno.0))? {
            bring_to(&pair.qp, body.table.state.0).map_err(unexpected)?;
            self.objects.qps.insert(body.qp.clone(), pair);
            self.objects.place_with(&body.qp, &body.table.pd);
        }
        Ok(())
    }

    pub(super) fn destroy_qp(&mut self, body: &step::QpStep) -> Outcome {
        self.objects.pair(&body.qp)?;
        let pair = self.objects.qps.remove(&body.qp).expect("looked up above");
        pair.qp.destroy().map(drop).map_err(|kept| unexpected(kept.error))
    }

    pub(super) fn modify_qp(&mut self, body: &step::ModifyQp) -> Outcome {
        let qp = self.objects.qp(&body.qp)?;
        let state = body.state.0;
        let result = match (state, body.drained_event) {
            (State::Sqd, Some(event)) => qp.to_sqd(Some(event)),
            _ if body.direct => directly(qp, state),
            _ => bring_to(qp, state),
        };
        expect_errno(result.map_err(driver_error), body.errno.map(|errno| errno.0)).map(drop)
    }

    pub(super) fn drain(&mut self, body: &step::QpStep) -> Outcome {
        self.objects.qp(&body.qp)?.drain().map(drop).map_err(unexpected)
    }

    pub(super) fn admin(&mut self, body: &step::AdminStep) -> Outcome {
        let words = body.words.iter().map(|word| self.objects.word(word)).collect::<Result<Vec<_>, _>>()?;
        let result =
            self.nic(body.nic.as_ref()).device.admin_command(body.command.0, &words).map_err(|error| match error {
                Error::Admin { errno, .. } => (errno, "the device's answer".to_string()),
                error => driver_error(error),
            });
        let Some(answer) = expect_errno(result, body.errno.map(|errno| errno.0))? else { return Ok(()) };
        for (number, expected) in body.answer.iter().flatten().enumerate() {
            let (expected, found) = (self.objects.word(expected)?, answer.get(number).copied().unwrap_or(0));
            if expected != found {
                return Err(Unmet::new(format!("answer word {number} {expected:#010x}"), format!("{found:#010x}")));
            }
        }
        Ok(())
    }
}

/// One MODIFY_QP with the customary attributes, allowed or not.
fn directly<M: Machine>(qp: &QueuePair<M>, state: State) -> Result<(), Error> {
    match (state, qp.state()) {
        (State::Reset, _) => qp.reset_now().map(drop),
        (State::Init, _) => qp.to_init(&Default::default()),
        (State::Rtr, _) => qp.to_rtr(&Default::default(), QpAttributes::default()),
        (State::Rts, State::Rts | State::Sqd) => qp.resume(),
        (State::Rts, _) => qp.to_rts(&Default::default(), QpAttributes::default()),
        (State::Sqd, _) => qp.to_sqd(None),
        (state, _) => qp.modify(state, &QpAttributes::default()),
    }
}
