//! `fairlane open`: the page in the browser with the reader's files, from a server that only this machine reaches.

mod files;
mod page;
mod presence;
mod server;

use std::net::{Ipv4Addr, TcpListener};
use std::thread;

use super::args::{LogSource, OpenArgs};
use super::history::Chosen;
use super::output::Printed;
use super::{CliError, output, print_error};
use files::Opened;
use page::Page;
use server::Server;

pub(super) fn run(args: &OpenArgs) -> Result<(), CliError> {
    let page = Page::of(args.page.as_ref())?;
    let (sources, servers) = LogSource::apart(&args.files);
    let logs = match Chosen::of(&servers, &args.history)? {
        Chosen::List(list) => return output::print(&Printed::Text(list)),
        Chosen::Logs(logs) => logs,
    };
    let opened = Opened::read(&sources, &logs)?;
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
    server.run()
}

/// A port of this machine that nothing but its own programs reach.
fn listen() -> Result<TcpListener, CliError> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(unable)
}

fn unable(error: std::io::Error) -> CliError {
    CliError::new(Ipv4Addr::LOCALHOST.to_string(), format!("cannot serve the page: {error}"))
}
