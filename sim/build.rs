//! Turns the hardware into C++ models: `rnic-hdl` exports the Verilog of each preset, Verilator translates it,
//! `cc` compiles it together with the shim of `src/core/shim.cpp`.
//!
//! The generated files depend on the Verilog, the shim and the tools only. A change of `rnic-hdl` runs this script
//! again (it is a build dependency); a preset whose inputs did not change keeps its library.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What crate `verilated` has compiled already; a second copy would clash at link time.
const RUNTIME_OF_THE_CRATE: [&str; 6] =
    ["verilated", "verilated_cov", "verilated_dpi", "verilated_save", "verilated_vcd_c", "verilated_vpi"];

/// What it lacks and every model here needs.
const RUNTIME_HERE: [&str; 2] = ["verilated_threads", "verilated_fst_c"];

/// Undefined registers and RAMs start at random values of the run's seed (`--x-initial unique`), so that a design
/// that reads RAM before it writes it does not pass by luck. The splits keep each C++ file small enough to compile fast.
const FLAGS: [&str; 14] = [
    "--cc",
    "-O3",
    "--trace-fst",
    "--x-assign",
    "fast",
    "--x-initial",
    "unique",
    "--noassert",
    "--output-split",
    "20000",
    "--output-split-cfuncs",
    "5000",
    "-Wno-fatal",
    "-Wno-lint",
];

const SHIM: &str = "src/core/shim.cpp";
const BOARD_SHIM: &str = "src/board/shim.cpp";

/// What is made into one library.
struct Model {
    /// Name; the top module is `rnic_` and this.
    name: &'static str,
    /// Its C++ side.
    shim: &'static str,
    verilog: String,
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={SHIM}");
    println!("cargo:rerun-if-changed={BOARD_SHIM}");
    println!("cargo:rerun-if-env-changed=VERILATOR_ROOT");
    println!("cargo:rerun-if-env-changed=CXX");
    println!("cargo:rerun-if-env-changed=CXXFLAGS");
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    let tool = Verilator::find();
    let mut presets = vec!["small", "large"];
    if std::env::var_os("CARGO_FEATURE_TINY").is_some() {
        presets.push("tiny");
    }
    for name in presets {
        let verilog = rnic_hdl::top::export(name).unwrap_or_else(|error| panic!("preset {name}: {error}"));
        build_model(&tool, &out, &Model { name, shim: SHIM, verilog });
    }
    let verilog = rnic_hdl::board::export_simulated().unwrap_or_else(|error| panic!("board: {error}"));
    build_model(&tool, &out, &Model { name: "board", shim: BOARD_SHIM, verilog });
    build_runtime(&tool, &out);
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=z");
}

/// The installed Verilator.
struct Verilator {
    include: PathBuf,
    version: String,
}

impl Verilator {
    fn find() -> Self {
        let version = Self::ask(&["--version"]);
        let root = Self::ask(&["--getenv", "VERILATOR_ROOT"]);
        Self { include: Path::new(root.trim()).join("include"), version }
    }

    fn ask(arguments: &[&str]) -> String {
        let output = Command::new("verilator_bin").args(arguments).output().unwrap_or_else(|error| {
            panic!("cannot run `verilator_bin` ({error}): install Verilator 5 (Debian: apt-get install verilator)")
        });
        assert!(output.status.success(), "`verilator_bin {}` failed", arguments.join(" "));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// A C++ build with the include paths of the runtime; the level does not follow cargo's profile, because a model
    /// without optimisation is too slow even for tests.
    fn compiler(&self, level: u32) -> cc::Build {
        let mut build = cc::Build::new();
        build.cpp(true).std("c++17").warnings(false).debug(false).opt_level(level);
        build.include(&self.include).include(self.include.join("vltstd"));
        for (name, value) in
            [("VM_COVERAGE", "0"), ("VM_TRACE", "1"), ("VM_TRACE_FST", "1"), ("VM_TRACE_VCD", "0"), ("VM_SC", "0")]
        {
            build.define(name, value);
        }
        build.cargo_metadata(false);
        build
    }
}

/// Verilog, C++ and library of one model.
fn build_model(tool: &Verilator, out: &Path, model: &Model) {
    let Model { name, shim, verilog } = model;
    let directory = out.join(name);
    let library = format!("rnic_model_{name}");
    println!("cargo:rustc-link-lib=static={library}");
    let code = fs::read_to_string(shim).expect("the shim is part of this crate");
    let stamp =
        [tool.version.as_str(), &FLAGS.join(" "), &settings(), &code, include_str!("build.rs"), verilog].join("\n");
    if is_current(out, &library, &stamp) {
        return;
    }
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("OUT_DIR can be written");
    let source = directory.join(format!("rnic_{name}.v"));
    fs::write(&source, verilog).expect("OUT_DIR can be written");
    let prefix = format!("Vrnic_{name}");
    verilate(&directory, &source, name, &prefix);

    let list = fs::read_to_string(directory.join(format!("{prefix}_classes.mk"))).expect("Verilator writes the list");
    let mut objects = compile(tool, &directory, 1, &list, ["VM_CLASSES_SLOW", "VM_SUPPORT_SLOW"]);
    objects.extend(compile(tool, &directory, 3, &list, ["VM_CLASSES_FAST", "VM_SUPPORT_FAST"]));
    for global in names(&list, "VM_GLOBAL_FAST") {
        let known = RUNTIME_OF_THE_CRATE.contains(&global.as_str()) || RUNTIME_HERE.contains(&global.as_str());
        assert!(known, "Verilator wants runtime file {global}, which build.rs does not know");
    }
    let mut build = tool.compiler(3);
    build.include(&directory).file(shim).out_dir(&directory);
    build.define("MODEL", prefix.as_str()).define("MODEL_HEADER", format!("\"{prefix}.h\"").as_str());
    build.define("EXPORT(name)", format!("rnic_{name}_##name").as_str());
    for object in objects {
        build.object(object);
    }
    finish(build, out, &library, &stamp);
}

fn verilate(directory: &Path, source: &Path, name: &str, prefix: &str) {
    let output = Command::new("verilator_bin")
        .args(FLAGS)
        .args(["--top-module", &format!("rnic_{name}"), "--prefix", prefix, "-Mdir"])
        .arg(directory)
        .arg(source)
        .output()
        .expect("verilator_bin was found before");
    if !output.status.success() {
        panic!("Verilator refuses {name}:\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

fn compile(tool: &Verilator, directory: &Path, level: u32, list: &str, variables: [&str; 2]) -> Vec<PathBuf> {
    let mut build = tool.compiler(level);
    build.include(directory).out_dir(directory);
    let mut any = false;
    for name in variables.iter().flat_map(|variable| names(list, variable)) {
        build.file(directory.join(name + ".cpp"));
        any = true;
    }
    match any {
        true => build.try_compile_intermediates().unwrap_or_else(|error| panic!("{}", advice(&error))),
        false => vec![],
    }
}

/// The runtime files that crate `verilated` leaves out, once for all presets.
fn build_runtime(tool: &Verilator, out: &Path) {
    let library = "rnic_model_runtime";
    println!("cargo:rustc-link-lib=static={library}");
    let stamp = [tool.version.as_str(), &settings(), include_str!("build.rs")].join("\n");
    if is_current(out, library, &stamp) {
        return;
    }
    let mut build = tool.compiler(3);
    for name in RUNTIME_HERE {
        build.file(tool.include.join(name.to_owned() + ".cpp"));
    }
    finish(build, out, library, &stamp);
}

/// Environment that changes what the compiler does.
fn settings() -> String {
    ["CXX", "CXXFLAGS", "VERILATOR_ROOT"].map(|name| std::env::var(name).unwrap_or_default()).join("\n")
}

fn is_current(out: &Path, library: &str, stamp: &str) -> bool {
    out.join(format!("lib{library}.a")).exists()
        && fs::read_to_string(out.join(format!("{library}.stamp"))).is_ok_and(|found| found == stamp)
}

/// Makes the archive, then the stamp: a build that was broken off has none.
fn finish(mut build: cc::Build, out: &Path, library: &str, stamp: &str) {
    let file = out.join(format!("{library}.stamp"));
    let _ = fs::remove_file(&file);
    build.out_dir(out).try_compile(library).unwrap_or_else(|error| panic!("{}", advice(&error)));
    fs::write(file, stamp).expect("OUT_DIR can be written");
}

fn advice(error: &cc::Error) -> String {
    format!("the Verilator model does not compile (needs g++ with C++17 and zlib1g-dev): {error}")
}

/// Names after `VARIABLE += \` in `V..._classes.mk`.
fn names(list: &str, variable: &str) -> Vec<String> {
    list.lines()
        .skip_while(|line| !line.starts_with(&format!("{variable} +=")))
        .skip(1)
        .map(|line| line.trim().trim_end_matches('\\').trim().to_owned())
        .take_while(|name| !name.is_empty())
        .collect()
}
