//! The subsystems translate at every width of the bus.
use rnic_hdl::check::verilog;
use rnic_hdl::cq::{CompletionQueues, EventRing};
use rnic_hdl::dma::Dma;

#[test]
fn the_dma_and_its_write_clients_translate_at_128_and_256() {
    verilog(&mut Dma::<128, 16, 32, 1>::default()).unwrap();
    verilog(&mut Dma::<256, 32, 64, 4>::default()).unwrap();
    verilog(&mut CompletionQueues::<128, 16, 5>::default()).unwrap();
    verilog(&mut CompletionQueues::<256, 32, 8>::default()).unwrap();
    verilog(&mut EventRing::<128, 16>::default()).unwrap();
    verilog(&mut EventRing::<256, 32>::default()).unwrap();
}
