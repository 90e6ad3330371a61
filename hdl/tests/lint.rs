//! The kernel lint finds what it is there for, and its blind spots are covered by a look at the source.
use rnic_hdl::check::{kernel_lint, name_findings};
use rust_hdl::prelude::*;

mod wrong {
    use super::*;

    #[derive(LogicBlock, Default)]
    pub struct Precedence {
        pub a: Signal<In, Bits<8>>,
        pub b: Signal<In, Bits<8>>,
        pub flag: Signal<Out, Bit>,
    }
    impl Logic for Precedence {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = self.a.val() & self.b.val() == self.a.val();
        }
    }

    #[derive(LogicBlock, Default)]
    pub struct WideLiteral {
        pub a: Signal<In, Bits<8>>,
        pub flag: Signal<Out, Bit>,
    }
    impl Logic for WideLiteral {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = (self.a.val() + 1) == 0;
        }
    }

    #[derive(LogicBlock, Default)]
    pub struct CastOfSum {
        pub a: Signal<In, Bits<8>>,
        pub b: Signal<In, Bits<8>>,
        pub wide: Signal<Out, Bits<16>>,
    }
    impl Logic for CastOfSum {
        #[hdl_gen]
        fn update(&mut self) {
            self.wide.next = bit_cast::<16, 8>(self.a.val() + self.b.val());
        }
    }

    #[derive(LogicBlock, Default)]
    pub struct InvertedBit {
        pub a: Signal<In, Bits<8>>,
        pub f: Signal<In, Bit>,
        pub byte: Signal<Out, Bits<8>>,
    }
    impl Logic for InvertedBit {
        #[hdl_gen]
        fn update(&mut self) {
            self.byte.next = self.a.val().replace_bit(3, !self.f.val());
        }
    }

    #[derive(LogicBlock, Default)]
    pub struct SlicePastTheEnd {
        pub a: Signal<In, Bits<8>>,
        pub byte: Signal<Out, Bits<8>>,
    }
    impl Logic for SlicePastTheEnd {
        #[hdl_gen]
        fn update(&mut self) {
            self.byte.next = self.a.val().get_bits::<8>(4);
        }
    }

    #[derive(LogicBlock, Default)]
    pub struct Keyword {
        pub table: Signal<In, Bits<8>>,
        pub out: Signal<Out, Bits<8>>,
    }
    impl Logic for Keyword {
        #[hdl_gen]
        fn update(&mut self) {
            self.out.next = self.table.val();
        }
    }
}

fn findings<U: Block + Default>() -> usize {
    let mut uut = U::default();
    uut.connect_all();
    kernel_lint(&uut).len()
}

#[test]
fn kernels_that_mean_something_else_in_verilog_are_found() {
    assert_ne!(findings::<wrong::Precedence>(), 0, "bit operator beside a comparison");
    assert_ne!(findings::<wrong::WideLiteral>(), 0, "literal widens a comparison");
    assert_ne!(findings::<wrong::CastOfSum>(), 0, "cast of a sum");
    assert_ne!(findings::<wrong::InvertedBit>(), 0, "inverted replacement bit");
    assert_ne!(findings::<wrong::SlicePastTheEnd>(), 0, "slice past the end");
}

#[test]
fn the_safe_style_of_the_same_kernels_passes() {
    #[derive(LogicBlock, Default)]
    struct Safe {
        a: Signal<In, Bits<8>>,
        b: Signal<In, Bits<8>>,
        flag: Signal<Out, Bit>,
        wide: Signal<Out, Bits<16>>,
        sum: Signal<Local, Bits<8>>,
    }
    impl Logic for Safe {
        #[hdl_gen]
        fn update(&mut self) {
            self.sum.next = self.a.val() + 1;
            self.flag.next = ((self.a.val() & self.b.val()) == self.a.val()) | (self.sum.val() == 0);
            self.wide.next = bit_cast::<16, 8>(self.sum.val());
        }
    }
    assert_eq!(findings::<Safe>(), 0);
}

#[test]
fn a_port_named_like_a_keyword_is_found() {
    let mut uut = wrong::Keyword::default();
    uut.connect_all();
    assert_eq!(name_findings(&uut).len(), 1);
}

/// Two traps leave no trace in the kernel's syntax tree: a helper whose name begins with `bits` becomes a copy of its
/// argument, and a hand-written `From<Bits<N>>` is not translated at all.
#[test]
fn no_helper_is_named_bits_and_no_conversion_from_bits_is_written_by_hand() {
    let mut found = vec![];
    let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            for (number, line) in std::fs::read_to_string(&path).unwrap().lines().enumerate() {
                let line = line.trim_start();
                let helper = ["fn bits", "fn Bits", "pub fn bits", "pub(crate) fn bits", "pub(super) fn bits"]
                    .iter()
                    .any(|start| line.starts_with(start));
                let conversion = line.starts_with("impl")
                    && line.contains("From<")
                    && line.contains("Bits<")
                    && !path.ends_with("record.rs");
                if helper || conversion {
                    found.push(format!("{}:{}: {line}", path.display(), number + 1));
                }
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
