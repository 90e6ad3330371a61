//! The Verilog of two MACs on one cable: all lengths at line rate both ways, clocks of any relation (`line_bench.v`).
use super::{GigabitMac, LONGEST_LINK_FRAME};
use crate::check::{scratch, verilog};
use std::path::Path;
use std::process::Command;

fn run(directory: &Path, program: &Path, arguments: &[String]) -> String {
    // What cargo sets for the models of the core means nothing to this compiler run.
    let output = Command::new(program).current_dir(directory).env_remove("CXXFLAGS").args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {text}", program.display());
    text
}

/// Half periods in femtoseconds of the cores and transmitters of both sides, and the lengths.
struct Setting {
    cores: [u64; 2],
    transmitters: [u64; 2],
    lengths: [u64; 2],
}

impl Setting {
    fn arguments(&self) -> Vec<String> {
        let Self { cores, transmitters, lengths } = self;
        [
            ("core_a", cores[0]),
            ("core_b", cores[1]),
            ("tx_a", transmitters[0]),
            ("tx_b", transmitters[1]),
            ("first", lengths[0]),
            ("last", lengths[1]),
        ]
        .map(|(name, value)| format!("+{name}={value}"))
        .into()
    }
}

/// Half a period of 125 MHz.
const HALF: u64 = 4_000_000;

#[test]
fn mc1_mc3_all_lengths_at_line_rate_both_ways_between_clocks_that_differ_by_200_ppm() {
    let directory = scratch("mac_line");
    std::fs::create_dir_all(&directory).unwrap();
    let top = verilog(&mut GigabitMac::<9, 10>::new(LONGEST_LINK_FRAME)).unwrap();
    std::fs::write(directory.join("top.v"), top).unwrap();
    std::fs::write(directory.join("bench.v"), include_str!("line_bench.v")).unwrap();
    let build =
        "--binary --timing -O3 -Wno-fatal -Wno-lint -Wno-style -Wno-TIMESCALEMOD -CFLAGS -O1 --top-module bench \
        -Mdir built -o bench bench.v top.v";
    run(&directory, Path::new("verilator"), &build.split_whitespace().map(str::to_string).collect::<Vec<_>>());
    let all = [1, LONGEST_LINK_FRAME as u64 - 4];
    let settings = [
        // 83.33 MHz cores, transmitters 100 ppm fast and slow: every phase comes by.
        Setting { cores: [6_000_000, 6_000_000], transmitters: [HALF - 400, HALF + 400], lengths: all },
        // A core at 125 MHz of its own and one at 78.125 MHz.
        Setting { cores: [HALF + 123, 6_400_000], transmitters: [HALF, HALF + 399], lengths: [1, 200] },
        // A fast one and one that is barely faster than the words of the wire.
        Setting { cores: [1_999_999, 24_000_001], transmitters: [HALF, HALF], lengths: [1, 200] },
    ];
    for setting in settings {
        let printed = run(&directory, &directory.join("built/bench"), &setting.arguments());
        let frames = setting.lengths[1] - setting.lengths[0] + 1;
        let expected = format!("PASS gaps 12-12 12-12 bad 0 0 dropped 0 0 good {frames} {frames}");
        assert!(printed.lines().any(|line| line == expected), "expected: {expected}\nprinted: {printed}");
    }
}
