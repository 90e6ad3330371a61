//! Steps that make, change and end objects of the driver, and raw admin commands.

use super::super::file::{CqTable, QpTable};
use super::super::value::{Code, Word};
use rnic_abi::qp::State;
use rnic_abi::{admin, mr};
use rnic_driver::Errno;
use serde::Deserialize;

/// `alloc_mr`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllocMr {
    /// New name.
    pub mr: String,
    /// Protection domain.
    pub pd: String,
    /// Longest page list.
    pub max_pages: u16,
    /// Type.
    pub kind: Option<Code<mr::Type>>,
    /// Expected error; success when not given.
    pub errno: Option<Code<Errno>>,
}

/// `dereg_mr`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeregMr {
    /// Memory region.
    pub mr: String,
    /// Expected error.
    pub errno: Option<Code<Errno>>,
}

/// `update_key`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdateKey {
    /// Memory region.
    pub mr: String,
    /// New key byte.
    pub byte: u8,
}

/// `recover_mr`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecoverMr {
    /// Memory region.
    pub mr: String,
    /// State that it is expected to have.
    pub state: Option<Code<mr::State>>,
    /// Expected error.
    pub errno: Option<Code<Errno>>,
}

/// `free_pd`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FreePd {
    /// Protection domain.
    pub pd: String,
    /// Expected error.
    pub errno: Option<Code<Errno>>,
}

/// `create_cq`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateCq {
    /// New name.
    pub cq: String,
    /// As in `[cq.NAME]`.
    #[serde(rename = "with")]
    pub table: CqTable,
    /// Expected error.
    pub errno: Option<Code<Errno>>,
}

/// `destroy_cq`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DestroyCq {
    /// Completion queue.
    pub cq: String,
    /// Expected error.
    pub errno: Option<Code<Errno>>,
}

/// `create_qp`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateQp {
    /// New name.
    pub qp: String,
    /// As in `[qp.NAME]`.
    #[serde(rename = "with")]
    pub table: QpTable,
    /// Expected error.
    pub errno: Option<Code<Errno>>,
}

/// `drain`, `destroy_qp`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QpStep {
    /// Queue pair.
    pub qp: String,
}

/// `modify_qp`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModifyQp {
    /// Queue pair.
    pub qp: String,
    /// State to reach. `RTS` goes through RESET, INIT and RTR where it must.
    pub state: Code<State>,
    /// For SQD: an event when drained.
    pub drained_event: Option<bool>,
    /// Only this transition, without the way through other states.
    #[serde(default)]
    pub direct: bool,
    /// Expected error.
    pub errno: Option<Code<Errno>>,
}

/// `admin`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdminStep {
    /// NIC; else the first.
    pub nic: Option<String>,
    /// Name or number of the command.
    pub command: CommandNumber,
    /// Command words from word 0 on.
    #[serde(default)]
    pub words: Vec<Word>,
    /// Expected answer words from word 0 on.
    pub answer: Option<Vec<Word>>,
    /// Expected error.
    pub errno: Option<Code<Errno>>,
}

/// An admin command, also an undefined one.
#[derive(Clone, Copy, Debug)]
pub struct CommandNumber(pub u8);

impl<'de> Deserialize<'de> for CommandNumber {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Number(u8),
            Name(Code<admin::Command>),
        }
        let wanted = "expected an admin command such as \"QUERY_MR\", or a number below 256";
        Either::deserialize(deserializer).map_err(|_| serde::de::Error::custom(wanted)).map(|either| match either {
            Either::Number(number) => Self(number),
            Either::Name(Code(command)) => Self(command.code()),
        })
    }
}
