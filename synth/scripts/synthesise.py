"""Synthesises one exported core with pyosys; started by `rnic fit`, which reads what it writes.

Usage: synthesise.py FAMILY TOP VERILOG FOLDER SUBSYSTEM...

FAMILY is `ecp5` or `xcup`. Writes FOLDER/stat.json (cells of each module) and, for ecp5, FOLDER/netlist.json. Each step is
announced by a line `step NAME` on standard output, the log goes to FOLDER/yosys.log.
"""

import json
import sys
from pathlib import Path

# The last line of defence against a wire that the translator invented: proofs and figures on it mean nothing.
FORBIDDEN = ("implicitly declared", "Latch inferred")


def seal(netlist):
    """Makes the core a design without pads: its ports go, the part's oscillator drives the clock. So the clock runs on a
    global net, as on a board. nextpnr's own `--out-of-context` does not promote it: it then runs through the general fabric
    with a skew of up to 4 ns, and timing means nothing."""
    design = json.loads(netlist.read_text())
    core = max(design["modules"].values(), key=lambda module: len(module["cells"]))
    clock = core["ports"]["clock"]["bits"]
    core["ports"] = {}
    core["cells"]["clock_source"] = {
        "hide_name": 0,
        "type": "OSCG",
        "parameters": {"DIV": "2"},
        "attributes": {},
        "port_directions": {"OSC": "output"},
        "connections": {"OSC": clock},
    }
    netlist.write_text(json.dumps(design))


def main():
    family, top, verilog, folder = sys.argv[1:5]
    subsystems = sys.argv[5:]
    folder = Path(folder)

    from pyosys import libyosys as ys

    log = folder / "yosys.log"
    design = ys.Design()

    def run(command):
        ys.run_pass(f"tee -q -a {log} {command}", design)

    def step(name):
        print(f"step {name}", flush=True)

    log.write_text("")
    step("read")
    run(f"read_verilog {verilog}")
    run(f"hierarchy -check -top {top}")
    # Subsystems are optimised one by one and joined afterwards: so every cell can be counted, and its name begins with the
    # instance path, also that of a LUT, which the mapper names as it likes.
    for subsystem in subsystems:
        run(f"setattr -mod -set keep_hierarchy 1 {top}${subsystem}")
    step("map")
    if family == "ecp5":
        run(f"synth_ecp5 -top {top}")
    else:
        run(f"synth_xilinx -flatten -family {family} -top {top}")
    step("count")
    ys.run_pass(f"tee -q -o {folder}/stat.json stat -json", design)
    if family == "ecp5":
        run("setattr -mod -unset keep_hierarchy *")
        run("flatten")
        run(f"write_json {folder}/netlist.json")
        seal(folder / "netlist.json")
    found = [line for line in log.read_text().splitlines() if any(word in line for word in FORBIDDEN)]
    if found:
        sys.exit(f"refused: {found[0].strip()}")


if __name__ == "__main__":
    main()
