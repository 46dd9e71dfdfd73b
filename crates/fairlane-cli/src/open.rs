//! `fairlane open`: the page in the browser with the reader's files, from a server that only this machine reaches.

mod files;
mod page;
mod presence;
mod results;
mod server;
mod watch;

use std::io::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
use std::thread;

use super::args::{LogSource, OpenArgs};
use super::history::Chosen;
use super::output::Printed;
use super::{CliError, output, print_error};
use files::Opened;
pub(super) use page::Page;
use server::Server;
use watch::Watch;

pub(super) fn run(args: &OpenArgs) -> Result<(), CliError> {
    let (sources, servers) = LogSource::apart(&args.files);
    let logs = match Chosen::of(&servers, &args.history)? {
        Chosen::List(list) => return output::print(&Printed::Text(list)),
        Chosen::Logs(logs) => logs,
    };
    let page = Page::of(args.page.as_ref())?;
    let opened = Opened::read(&sources, &logs)?;
    let watch = args.watch.then(|| Watch::of(&sources, &opened)).transpose()?;
    let server = Server::bind(page, opened)?;
    let address = server.address().to_owned();
    let announcement =
        format!("Fairlane is at {address}\nIt ends with Ctrl-C, or once its page is closed.\n");
    output::print(&Printed::Text(announcement))?;
    if !args.no_browser {
        // A browser in the terminal would not return before it is closed.
        thread::spawn(move || {
            if let Err(error) = webbrowser::open(&address) {
                print_error(&format!("no browser was opened ({error}); open the address in one"));
            }
        });
    }
    server.run(watch)
}

/// How many ports are tried until one is free at both addresses.
const TRIES: usize = 16;

/// A port of this machine that nothing but its own programs reach, at 127.0.0.1 and, where the machine has it, at [::1]:
/// `localhost` may mean either, and neither may be another program's.
fn listen() -> Result<Vec<TcpListener>, CliError> {
    for _ in 0..TRIES {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(unable)?;
        let port = listener.local_addr().map_err(unable)?.port();
        match TcpListener::bind((Ipv6Addr::LOCALHOST, port)) {
            Ok(second) => return Ok(vec![listener, second]),
            Err(error) if error.kind() == ErrorKind::AddrInUse => {}
            Err(_) => return Ok(vec![listener]),
        }
    }
    Err(CliError::new("open", "there is no free port; close programs that listen on many, and try again"))
}

fn unable(error: std::io::Error) -> CliError {
    CliError::new(Ipv4Addr::LOCALHOST.to_string(), format!("cannot serve the page: {error}"))
}
