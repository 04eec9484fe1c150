//! Everything that `compiler/clippy.toml` bans, used once. No crate has this file: `tests/tests/pure.rs` hands it to
//! clippy.

pub fn takes_0(_: &std::time::Instant) {}
pub fn takes_1(_: &std::time::SystemTime) {}
pub fn takes_2(_: &std::fs::File) {}
pub fn takes_3(_: &std::fs::OpenOptions) {}
pub fn takes_4(_: &std::fs::DirBuilder) {}
pub fn takes_5(_: &std::net::TcpListener) {}
pub fn takes_6(_: &std::net::TcpStream) {}
pub fn takes_7(_: &std::net::UdpSocket) {}
pub fn takes_8(_: &std::process::Command) {}
pub fn takes_9(_: &std::process::Child) {}
pub fn takes_10(_: &std::thread::Builder) {}
pub fn takes_11(_: &std::thread::JoinHandle<u8>) {}
pub fn takes_12(_: &std::collections::HashMap<u8, u8>) {}
pub fn takes_13(_: &std::collections::HashSet<u8>) {}
pub fn takes_14(_: &std::hash::RandomState) {}

fn here() -> bool {
    true
}

fn todo() -> std::fs::Permissions {
    unreachable!()
}

pub fn calls() {
    let _ = std::fs::canonicalize("");
    let _ = std::fs::copy("", "");
    let _ = std::fs::create_dir("");
    let _ = std::fs::create_dir_all("");
    let _ = std::fs::exists("");
    let _ = std::fs::hard_link("", "");
    let _ = std::fs::metadata("");
    let _ = std::fs::read("");
    let _ = std::fs::read_dir("");
    let _ = std::fs::read_link("");
    let _ = std::fs::read_to_string("");
    let _ = std::fs::remove_dir("");
    let _ = std::fs::remove_dir_all("");
    let _ = std::fs::remove_file("");
    let _ = std::fs::rename("", "");
    let _ = std::fs::set_permissions("", todo());
    let _ = std::fs::symlink_metadata("");
    let _ = std::fs::write("", "");
    let _ = std::path::Path::new("").canonicalize();
    let _ = std::path::Path::new("").exists();
    let _ = std::path::Path::new("").is_dir();
    let _ = std::path::Path::new("").is_file();
    let _ = std::path::Path::new("").is_symlink();
    let _ = std::path::Path::new("").metadata();
    let _ = std::path::Path::new("").read_dir();
    let _ = std::path::Path::new("").read_link();
    let _ = std::path::Path::new("").symlink_metadata();
    let _ = std::path::Path::new("").try_exists();
    let _ = std::env::args();
    let _ = std::env::args_os();
    let _ = std::env::current_dir();
    let _ = std::env::current_exe();
    let _ = std::env::home_dir();
    let _ = unsafe { std::env::remove_var("") };
    let _ = std::env::set_current_dir("");
    let _ = unsafe { std::env::set_var("", "") };
    let _ = std::env::temp_dir();
    let _ = std::env::var("");
    let _ = std::env::var_os("");
    let _ = std::env::vars();
    let _ = std::env::vars_os();
    let _ = std::thread::available_parallelism();
    let _ = std::thread::current();
    let _ = std::thread::park();
    let _ = std::thread::scope(|_| ());
    let _ = std::thread::sleep(std::time::Duration::ZERO);
    let _ = std::thread::spawn(|| ());
    let _ = std::thread::yield_now();
    if here() { std::process::abort() }
    if here() { std::process::exit(0) }
    let _ = std::process::id();
    let _ = std::net::ToSocketAddrs::to_socket_addrs("");
    let _ = std::io::stderr();
    let _ = std::io::stdin();
    let _ = std::io::stdout();
    let _ = 1.5_f64.acos();
    let _ = 1.5_f64.acosh();
    let _ = 1.5_f64.asin();
    let _ = 1.5_f64.asinh();
    let _ = 1.5_f64.atan();
    let _ = 1.5_f64.atan2(1.0);
    let _ = 1.5_f64.atanh();
    let _ = 1.5_f64.cbrt();
    let _ = 1.5_f64.cos();
    let _ = 1.5_f64.cosh();
    let _ = 1.5_f64.exp();
    let _ = 1.5_f64.exp2();
    let _ = 1.5_f64.exp_m1();
    let _ = 1.5_f64.hypot(1.0);
    let _ = 1.5_f64.ln();
    let _ = 1.5_f64.ln_1p();
    let _ = 1.5_f64.log(1.0);
    let _ = 1.5_f64.log10();
    let _ = 1.5_f64.log2();
    let _ = 1.5_f64.mul_add(1.0, 1.0);
    let _ = 1.5_f64.powf(1.0);
    let _ = 1.5_f64.powi(1);
    let _ = 1.5_f64.sin();
    let _ = 1.5_f64.sin_cos();
    let _ = 1.5_f64.sinh();
    let _ = 1.5_f64.tan();
    let _ = 1.5_f64.tanh();
    let _ = std::dbg!(1);
    std::eprint!("{}", 1);
    std::eprintln!("{}", 1);
    std::print!("{}", 1);
    std::println!("{}", 1);
}
