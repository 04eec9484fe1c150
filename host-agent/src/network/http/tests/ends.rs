//! Servers that end, and their clients at that time.

use super::*;

#[test]
fn a_closed_server_lets_what_is_under_way_end_and_frees_its_address() {
    // The bodies end when the other server is there, however late that is.
    let mut served = served(ENDLESS_MS, GENEROUS_MS);
    let mut idle = served.connect();
    idle.write_all(b"GET /idle HTTP/1.1\r\nHost: h\r\n\r\n").unwrap();
    while served.paths() != ["/idle"] {
        std::thread::sleep(Duration::from_millis(1));
    }
    let begin = |mut stream: TcpStream| {
        stream.write_all(b"POST /begun HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nx").unwrap();
        stream
    };
    // The server may have accepted some of them, and read nothing yet.
    let begun: Vec<TcpStream> = (0..20).map(|_| begin(served.connect())).collect();
    served.server.take().unwrap().close(Some(PATIENCE));
    let again = TcpListener::bind(served.address).unwrap();
    served.server = Some(serve(&served.network, again, served.site.clone()).unwrap());
    assert!(heard(&mut idle).ends_with("/idle 0"));
    for mut stream in begun {
        stream.write_all(b"y").unwrap();
        assert!(heard(&mut stream).ends_with("/begun 2"));
    }
    assert!(served.say(GOOD).ends_with("/good 0"));
}

/// Whoever was let in gets an answer. Others find no server, or are not let in.
#[test]
fn a_server_that_ends_loses_nobody_who_has_connected() {
    for _ in 0..5 {
        let mut served = served(GENEROUS_MS, GENEROUS_MS);
        let address = served.address;
        let ask = move || {
            let (mut n_answers, mut lost) = (0, Vec::new());
            let connect = || (Instant::now(), TcpStream::connect_timeout(&address, Duration::from_secs(5)));
            while let (began, Ok(mut stream)) = connect() {
                stream.set_read_timeout(Some(PATIENCE)).unwrap();
                let said = stream.write_all(GOOD.as_bytes()).map(|()| heard(&mut stream));
                match said {
                    Ok(said) if said.ends_with("/good 0") => n_answers += 1,
                    // A busy machine kept it from asking for longer than the server waits.
                    _ if began.elapsed() > PARTING => {}
                    other => lost.push(other),
                }
            }
            (n_answers, lost)
        };
        let asking: Vec<_> = (0..4).map(|_| std::thread::spawn(ask)).collect();
        while served.paths().len() < 50 {
            std::thread::sleep(Duration::from_millis(1));
        }
        served.server.take().unwrap().finish(&served.network, PATIENCE);
        // One that gets no processor before the end finds no server at all, and is not lost.
        let mut n_answered = 0;
        for asked in asking {
            let (n_answers, lost) = asked.join().unwrap();
            assert!(lost.is_empty(), "{n_answers} answers, lost: {lost:?}");
            n_answered += n_answers;
        }
        assert_eq!(n_answered, served.paths().len());
    }
}

/// A proxy keeps its connections, and must not repeat a request that may have had an effect.
#[test]
fn a_server_that_ends_tells_who_stays_connected_which_answer_is_the_last() {
    let mut served = served(GENEROUS_MS, GENEROUS_MS);
    let (begins, begun) = std::sync::mpsc::channel();
    let ask = |mut stream: TcpStream, nth: usize, begins: std::sync::mpsc::Sender<usize>| {
        let (mut n_answers, mut asked) = (0, Instant::now());
        loop {
            let before = std::mem::replace(&mut asked, Instant::now());
            let _ = stream.write_all(b"POST /good HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx");
            let (mut heard, mut piece) = (Vec::new(), [0; 1024]);
            while !heard.ends_with(b"/good 1") {
                match stream.read(&mut piece) {
                    Ok(n) if n > 0 => heard.extend_from_slice(&piece[..n]),
                    // A busy machine kept it from asking again for longer than the server waits.
                    _ if heard.is_empty() && before.elapsed() > PARTING => return Ok(None),
                    lost => return Err(format!("after {n_answers} answers: {lost:?}")),
                }
            }
            n_answers += 1;
            if String::from_utf8_lossy(&heard).contains("Connection: close") {
                return Ok(Some(n_answers));
            }
            let _ = begins.send(nth);
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let streams: Vec<TcpStream> = (0..8).map(|_| served.connect()).collect();
    let begin = |(nth, stream)| {
        let begins = begins.clone();
        std::thread::spawn(move || ask(stream, nth, begins))
    };
    let asking: Vec<_> = streams.into_iter().enumerate().map(begin).collect();
    // Each of them has had an answer before the server ends, however late it gets a processor.
    let mut n_before = [0_usize; 8];
    while n_before.contains(&0) || n_before.iter().sum::<usize>() < 50 {
        n_before[begun.recv_timeout(PATIENCE).expect("they are answered")] += 1;
    }
    served.server.take().unwrap().finish(&served.network, PATIENCE);
    for asked in asking {
        let n_answers = asked.join().unwrap().unwrap();
        assert!(n_answers.is_none_or(|n_answers| n_answers > 1));
    }
}

#[test]
fn a_server_that_may_wait_for_ever_ends_when_all_is_answered() {
    let mut served = served(GENEROUS_MS, GENEROUS_MS);
    let mut stream = served.connect();
    stream.write_all(GOOD.as_bytes()).unwrap();
    assert!(heard(&mut stream).ends_with("/good 0"));
    served.server.take().unwrap().finish(&served.network, Duration::MAX);
}
