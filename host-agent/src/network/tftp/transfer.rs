//! One transfer: windows of blocks, each sent again until it is acknowledged.
//!
//! ```text
//! options accepted? --OACK--> ack 0 -.
//!                                    v
//! send the window --> wait --ack--> move on, until the last block is acknowledged
//!              ^        |
//!              `timeout-'   five times at most
//! ```
//!
//! A duplicate acknowledgement never causes a packet (the sorcerer's apprentice bug).

use super::packet::{self, Code, Options, Said};
use super::{Content, Failure};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::{Instant, timeout_at};

const MOST_REPEATS: u32 = 5;
/// The timeout before the round-trip time is known.
const FIRST_PATIENCE: Duration = Duration::from_secs(1);
const LEAST_PATIENCE: Duration = Duration::from_millis(100);

/// Sends a file to the client that the socket is connected to.
pub(super) async fn send(socket: &UdpSocket, content: &Content, options: &Options, patience: Duration) -> Option<()> {
    let mut link = Link { socket, longest: patience, patience: patience.min(FIRST_PATIENCE) };
    let size = content.size();
    if let Some(agreed) = packet::agreed(options, size) {
        link.deliver(&[agreed], 0).await?;
    }
    let block_size = u64::from(options.block_size.unwrap_or(512));
    let window = u64::from(options.window.unwrap_or(1));
    // The last block is shorter than the others, and may be empty.
    let last = size / block_size + 1;
    let mut acknowledged = 0;
    while acknowledged < last {
        let mut packets = Vec::new();
        for block in acknowledged + 1..=last.min(acknowledged + window) {
            let from = (block - 1) * block_size;
            match content.read(from..size.min(from + block_size)).await {
                Ok(bytes) => packets.push(packet::data(block, &bytes)),
                Err(Failure(code, why)) => {
                    let _ = socket.send(&packet::error(code, &why)).await;
                    return None;
                }
            }
        }
        acknowledged += link.deliver(&packets, acknowledged).await?;
    }
    Some(())
}

struct Link<'a> {
    socket: &'a UdpSocket,
    longest: Duration,
    /// The retransmission timeout: the last round-trip time, with a margin.
    patience: Duration,
}

impl Link<'_> {
    /// Sends packets, the first numbered after `acknowledged` or an answer to options, until the client acknowledges
    /// some of them. Returns how many. `None`: the client is gone.
    async fn deliver(&mut self, packets: &[Vec<u8>], acknowledged: u64) -> Option<u64> {
        let is_agreement = packets.first().is_some_and(|packet| packet.starts_with(&[0, 6]));
        let mut patience = self.patience;
        for repeat in 0..=MOST_REPEATS {
            let begun = Instant::now();
            for packet in packets {
                // A packet that does not fit into a queue is lost like any other.
                if self
                    .socket
                    .send(packet)
                    .await
                    .is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionRefused)
                {
                    return None;
                }
            }
            let until = begun + patience;
            loop {
                let Ok(said) = timeout_at(until, self.receive()).await else { break };
                match said {
                    Said::Ack(0) if is_agreement => {
                        self.learn(begun, repeat);
                        return Some(0);
                    }
                    Said::Ack(block) => {
                        let n_new = u64::from(block.wrapping_sub(acknowledged as u16));
                        if !is_agreement && (1..=packets.len() as u64).contains(&n_new) {
                            self.learn(begun, repeat);
                            return Some(n_new);
                        }
                    }
                    Said::Error => return None,
                    Said::Read(_) | Said::Refused(..) | Said::Nonsense => {}
                }
            }
            patience = (patience * 2).min(self.longest);
        }
        let _ = self.socket.send(&packet::error(Code::Other, "timed out waiting for an acknowledgement")).await;
        None
    }

    /// Records the round-trip time, unless packets were sent repeatedly.
    fn learn(&mut self, begun: Instant, repeat: u32) {
        if repeat == 0 {
            self.patience = (begun.elapsed() * 4).max(LEAST_PATIENCE).min(self.longest);
        }
    }

    async fn receive(&self) -> Said {
        let mut buffer = [0; 64];
        match self.socket.recv(&mut buffer).await {
            Ok(n) => packet::parse(&buffer[..n]),
            // The other end has closed its socket.
            Err(_) => Said::Error,
        }
    }
}
