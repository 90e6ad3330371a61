"""Runs one test module with Icarus Verilog and leaves a report: VERILOG FOLDER MODULE [FILTER].

The runner of cocotb ends well even when tests fail; what counts is its results file.
"""
import json
import sys
from pathlib import Path
from xml.etree import ElementTree

from cocotb_tools.runner import get_runner


def verdict(case):
    """Name of a test, and why it failed."""
    fault = case.find("failure")
    fault = case.find("error") if fault is None else fault
    text = None if fault is None else (fault.text or fault.get("message") or "failed").strip()
    return {"name": case.get("name"), "failure": text}


def main(verilog, folder, module, test_filter=None):
    """Builds, runs, reports."""
    here, folder = Path(__file__).parent, Path(folder).resolve()
    results, report = folder / "results.xml", folder / "report.json"
    results.unlink(missing_ok=True)
    report.unlink(missing_ok=True)
    runner = get_runner("icarus")
    runner.build(sources=[verilog], hdl_toplevel="top", build_dir=folder, always=True, timescale=("1ns", "1ps"))
    runner.test(hdl_toplevel="top", test_module=module, build_dir=folder, test_dir=folder, test_filter=test_filter,
                results_xml=str(results), extra_env={"PYTHONPATH": str(here)})
    cases = [verdict(case) for case in ElementTree.parse(results).getroot().iter("testcase")]
    report.write_text(json.dumps(cases))


main(*sys.argv[1:])
