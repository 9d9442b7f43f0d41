//! Ranks that run one at a time, in an order that a check chooses.
//!
//! Each rank is a thread that stops at every message. The scheduler, on the
//! thread of the check, selects a rank that can continue. If there is none, all
//! ranks wait forever, and the scheduler knows it without a time limit.

use std::any::Any;
use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use rungrad::rng::Random;

use crate::verdict::{Outcome, Stop, wrong};

/// The connection of one rank to all others. Messages between two ranks arrive
/// in the order in which they were sent.
pub struct Link {
    rank: usize,
    size: usize,
    requests: Sender<Request>,
    replies: Receiver<Reply>,
}

impl Link {
    /// Returns the index of this rank, counted from 0.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the number of ranks.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Sends values to rank `to`. If they do not fit into the network, this
    /// waits until rank `to` receives them.
    pub fn send(&mut self, to: usize, values: Vec<f32>) {
        self.check("send to", to);
        self.ask(Request::Send { to, values });
    }

    /// Waits for the next message of rank `from`.
    pub fn receive(&mut self, from: usize) -> Vec<f32> {
        self.check("receive from", from);
        self.ask(Request::Receive { from }).unwrap_or_default()
    }

    /// Returns the next message of rank `from`, or `None` if it has not arrived
    /// yet.
    pub fn try_receive(&mut self, from: usize) -> Option<Vec<f32>> {
        self.check("receive from", from);
        self.ask(Request::TryReceive { from })
    }

    fn check(&self, what: &str, other: usize) {
        assert!(
            other < self.size && other != self.rank,
            "rank {} of {} cannot {what} rank {other}",
            self.rank,
            self.size
        );
    }

    /// Waits until the scheduler continues this rank.
    fn ask(&mut self, request: Request) -> Option<Vec<f32>> {
        _ = self.requests.send(request);
        match self.replies.recv() {
            Ok(Reply(values)) => values,
            // The scheduler has stopped the run.
            Err(_) => panic::resume_unwind(Box::new("stopped")),
        }
    }
}

/// What a rank waits for.
enum Request {
    Start,
    Send { to: usize, values: Vec<f32> },
    Receive { from: usize },
    TryReceive { from: usize },
    End(Result<(), Box<dyn Any + Send>>),
}

struct Reply(Option<Vec<f32>>);

/// A message that was sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sent {
    /// The rank that sent it.
    pub from: usize,
    /// The rank that receives it.
    pub to: usize,
    /// The number of elements.
    pub len: usize,
}

/// The results of a run.
#[derive(Debug)]
pub struct Run<T> {
    /// The result of each rank.
    pub results: Vec<T>,
    /// The messages in the order in which they were sent.
    pub sent: Vec<Sent>,
    /// The rank that was continued, each time.
    pub turns: Vec<usize>,
}

impl<T> Run<T> {
    /// Returns a sentence with the order in which the ranks ran.
    pub fn order(&self) -> String {
        order_of(&self.turns)
    }
}

fn order_of(turns: &[usize]) -> String {
    let turns: Vec<String> = turns.iter().map(usize::to_string).collect();
    format!("The ranks ran in this order: {}.", turns.join(", "))
}

/// Runs `work` on each of `size` ranks, one at a time. A message of at most
/// `room` elements is sent without waiting.
///
/// # Errors
///
/// If no rank can continue, or a message is never received.
pub fn run_ranks<T: Send>(
    size: usize,
    room: usize,
    order: &mut Order,
    work: impl Fn(Link) -> T + Sync,
) -> Result<Run<T>, Stop> {
    let work = &work;
    thread::scope(|scope| {
        let mut network = Network::new(size, room);
        let mut threads = Vec::new();
        for rank in 0..size {
            let (request, requests) = mpsc::channel();
            let (reply, replies) = mpsc::channel();
            network.requests.push(requests);
            network.replies.push(reply);
            threads.push(scope.spawn(move || {
                let ended = request.clone();
                let requests = request;
                let mut link = Link { rank, size, requests, replies };
                let result = panic::catch_unwind(AssertUnwindSafe(|| {
                    link.ask(Request::Start);
                    work(link)
                }));
                let (result, end) = match result {
                    Ok(result) => (Some(result), Ok(())),
                    Err(payload) => (None, Err(payload)),
                };
                _ = ended.send(Request::End(end));
                result
            }));
        }
        let outcome = network.run(order);
        // This stops the ranks that still wait.
        network.replies.clear();
        let results = threads.into_iter().filter_map(|it| it.join().ok()?);
        let results = results.collect();
        match outcome {
            Ok(Ok(())) => {
                let Network { sent, turns, .. } = network;
                Ok(Run { results, sent, turns })
            }
            Ok(Err(stop)) => Err(stop),
            // The message was recorded when the rank panicked.
            Err(payload) => panic::resume_unwind(payload),
        }
    })
}

/// The state of the scheduler.
struct Network {
    size: usize,
    room: usize,
    requests: Vec<Receiver<Request>>,
    replies: Vec<Sender<Reply>>,
    /// What each rank waits for.
    waiting: Vec<Request>,
    /// The messages from rank `a` to rank `b`, at `a * size + b`.
    queues: Vec<VecDeque<Vec<f32>>>,
    /// A hash of the replies that each rank has received, and whether it has
    /// looked for a message in vain since anything has changed. Together they
    /// determine how a run can continue, because ranks share no memory.
    states: Vec<(u64, bool)>,
    sent: Vec<Sent>,
    turns: Vec<usize>,
}

impl Network {
    fn new(size: usize, room: usize) -> Network {
        Network {
            size,
            room,
            requests: Vec::new(),
            replies: Vec::new(),
            waiting: Vec::new(),
            queues: vec![VecDeque::new(); size * size],
            states: vec![(0, false); size],
            sent: Vec::new(),
            turns: Vec::new(),
        }
    }

    /// Runs all ranks to the end. The outer error is the panic of a rank.
    fn run(
        &mut self,
        order: &mut Order,
    ) -> Result<Outcome, Box<dyn Any + Send>> {
        for rank in 0..self.size {
            let request = self.next_request(rank)?;
            self.waiting.push(request);
        }
        loop {
            let ready = (0..self.size).filter(|rank| self.can_continue(*rank));
            let ready: Vec<usize> = ready.collect();
            if ready.is_empty() {
                return Ok(self.conclude());
            }
            let rank = order.choose(&ready, self);
            self.turns.push(rank);
            let reply = self.take_reply(rank);
            self.reply(rank, reply);
            self.waiting[rank] = self.next_request(rank)?;
        }
    }

    /// Returns what the rank waits for next. A message that fits into the
    /// network makes no rank wait.
    fn next_request(
        &mut self,
        rank: usize,
    ) -> Result<Request, Box<dyn Any + Send>> {
        loop {
            let request = self.requests[rank].recv();
            match request.expect("a rank sends its end") {
                Request::Send { to, values } => {
                    let len = values.len();
                    self.sent.push(Sent { from: rank, to, len });
                    self.queues[rank * self.size + to].push_back(values);
                    self.has_changed();
                    if len > self.room {
                        return Ok(Request::Send { to, values: Vec::new() });
                    }
                    self.reply(rank, None);
                }
                Request::End(Err(payload)) => return Err(payload),
                Request::End(end) => {
                    self.has_changed();
                    return Ok(Request::End(end));
                }
                other => return Ok(other),
            }
        }
    }

    /// Lets the ranks look for messages again.
    fn has_changed(&mut self) {
        self.states.iter_mut().for_each(|(_, in_vain)| *in_vain = false);
    }

    fn can_continue(&self, rank: usize) -> bool {
        let is_empty = |from: usize, to: usize| {
            self.queues[from * self.size + to].is_empty()
        };
        match &self.waiting[rank] {
            Request::Start => true,
            // The message of a rank that waits is the last in its queue.
            Request::Send { to, .. } => is_empty(rank, *to),
            Request::Receive { from } => !is_empty(*from, rank),
            Request::TryReceive { from } => {
                !is_empty(*from, rank) || !self.states[rank].1
            }
            Request::End(_) => false,
        }
    }

    fn take_reply(&mut self, rank: usize) -> Option<Vec<f32>> {
        let from = match &self.waiting[rank] {
            Request::Receive { from } | Request::TryReceive { from } => *from,
            _ => return None,
        };
        let values = self.queues[from * self.size + rank].pop_front();
        match values {
            Some(_) => self.has_changed(),
            None => self.states[rank].1 = true,
        }
        values
    }

    fn reply(&mut self, rank: usize, values: Option<Vec<f32>>) {
        let mut hasher = DefaultHasher::new();
        let bits = |values: &Vec<f32>| -> Vec<u32> {
            values.iter().map(|value| value.to_bits()).collect()
        };
        (self.states[rank].0, values.as_ref().map(bits)).hash(&mut hasher);
        self.states[rank].0 = hasher.finish();
        _ = self.replies[rank].send(Reply(values));
    }

    /// Reports what the ranks wait for, now that none of them can continue.
    fn conclude(&self) -> Outcome {
        let has_ended = |rank: &Request| matches!(rank, Request::End(_));
        if !self.waiting.iter().all(has_ended) {
            let lines = self.waiting.iter().enumerate().map(|(rank, it)| {
                let what = match it {
                    Request::Start | Request::End(_) => "has ended".into(),
                    Request::Send { to, .. } => {
                        format!("waits until rank {to} receives its message")
                    }
                    Request::Receive { from } => {
                        format!("waits for a message from rank {from}")
                    }
                    Request::TryReceive { from } => {
                        format!("keeps asking for a message from rank {from}")
                    }
                };
                format!("\n  rank {rank} {what}")
            });
            let lines: String = lines.collect();
            return Err(wrong(format!("No rank can continue.\n{lines}")));
        }
        match self.queues.iter().position(|queue| !queue.is_empty()) {
            None => Ok(()),
            Some(index) => Err(wrong(format!(
                "All ranks have ended, but rank {} has not received the last \
                 message from rank {}. {}",
                index % self.size,
                index / self.size,
                order_of(&self.turns)
            ))),
        }
    }
}

/// Selects the rank that continues.
#[derive(Debug)]
pub struct Order(Kind);

#[derive(Debug)]
enum Kind {
    InTurn,
    Random(Random),
    Every(Path),
}

/// The choices of a run, for a depth-first search over all runs.
#[derive(Debug, Default)]
struct Path {
    /// The choice, and the number of choices, at each step.
    choices: Vec<(usize, usize)>,
    position: usize,
    /// The states in which all choices are tried. A run that reaches one of
    /// them continues as before.
    seen: HashSet<Vec<(u64, bool)>>,
}

impl Order {
    /// Continues the rank that has been continued the fewest times.
    pub fn in_turn() -> Order {
        Order(Kind::InTurn)
    }

    /// Continues a random rank.
    pub fn random(seed: u64) -> Order {
        Order(Kind::Random(Random::new(seed)))
    }

    /// Selects one of the ranks that can continue.
    fn choose(&mut self, ready: &[usize], network: &Network) -> usize {
        let turns = |rank: &usize| {
            network.turns.iter().filter(|turn| *turn == rank).count()
        };
        let first = ready.iter().copied().min_by_key(turns);
        match &mut self.0 {
            Kind::InTurn => first.unwrap_or_default(),
            Kind::Random(random) => ready[random.below(ready.len())],
            Kind::Every(path) => {
                let choice = path.choose(ready.len(), &network.states);
                // An answer with global state may not repeat itself.
                ready[choice.min(ready.len() - 1)]
            }
        }
    }
}

impl Path {
    fn choose(&mut self, count: usize, states: &[(u64, bool)]) -> usize {
        if self.position == self.choices.len() {
            let is_new = self.seen.insert(states.to_vec());
            self.choices.push((0, if is_new { count } else { 1 }));
        }
        self.position += 1;
        self.choices[self.position - 1].0
    }

    /// Prepares the next run. Returns `false` if there is none.
    fn advance(&mut self) -> bool {
        self.position = 0;
        while let Some((choice, count)) = self.choices.pop() {
            if choice + 1 < count {
                self.choices.push((choice + 1, count));
                return true;
            }
        }
        false
    }
}

/// Calls `run` with every order in which ranks can continue. Two orders after
/// which each rank has received the same messages can continue in the same
/// ways, so only one of them is continued in all ways.
///
/// # Errors
///
/// The first error of `run`.
pub fn every_order(mut run: impl FnMut(&mut Order) -> Outcome) -> Outcome {
    let mut path = Path::default();
    loop {
        let mut order = Order(Kind::Every(path));
        run(&mut order)?;
        let Kind::Every(next) = order.0 else { return Ok(()) };
        path = next;
        if !path.advance() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words<T>(run: Result<Run<T>, Stop>) -> String {
        match run {
            Err(Stop::Wrong { words, .. }) => words,
            _ => panic!("the run must fail"),
        }
    }

    /// Sends the own index around a ring.
    fn pass(mut link: Link) -> Vec<f32> {
        let (rank, size) = (link.rank(), link.size());
        link.send((rank + 1) % size, vec![rank as f32]);
        link.receive((rank + size - 1) % size)
    }

    #[test]
    fn a_run_returns_results_messages_and_turns() {
        let run = run_ranks(3, 1, &mut Order::in_turn(), pass).unwrap();
        assert_eq!(run.results, [[2.0], [0.0], [1.0]]);
        let sent = |from, to| Sent { from, to, len: 1 };
        assert_eq!(run.sent, [sent(0, 1), sent(1, 2), sent(2, 0)]);
        assert_eq!(run.turns, [0, 1, 2, 0, 1, 2]);
    }

    /// Promise: A deadlock of the ranks of an exercise is found without a time
    /// limit.
    #[test]
    fn ranks_that_all_wait_are_reported_without_a_time_limit() {
        let order = &mut Order::in_turn();
        let said = words(run_ranks(2, 9, order, |mut link| {
            link.receive(1 - link.rank());
        }));
        assert!(said.contains("rank 0 waits for a message from rank 1"));
        assert!(said.contains("rank 1 waits for a message from rank 0"));
        // Without room, each rank waits for the other one to receive.
        let said = words(run_ranks(3, 0, order, pass));
        assert!(said.contains("rank 2 waits until rank 0 receives"));
        let said = words(run_ranks(2, 9, order, |mut link| {
            while link.try_receive(1 - link.rank()).is_none() {}
        }));
        assert!(said.contains("rank 1 keeps asking"));
        let said = words(run_ranks(2, 9, order, |mut link| {
            if link.rank() == 1 {
                link.receive(0);
            }
        }));
        assert!(said.contains("rank 0 has ended"), "{said}");
    }

    #[test]
    fn a_message_that_is_not_received_is_an_error() {
        let order = &mut Order::in_turn();
        let said = words(run_ranks(2, 9, order, |mut link| {
            if link.rank() == 1 {
                link.send(0, vec![1.0]);
            }
        }));
        assert!(said.contains("rank 0 has not received the last message"));
    }

    #[test]
    fn the_panic_of_a_rank_ends_the_run() {
        let caught = panic::catch_unwind(|| {
            run_ranks(3, 9, &mut Order::in_turn(), |link| {
                assert!(link.rank() != 1, "rank 1 fails");
                pass(link);
            })
        });
        let payload = caught.unwrap_err();
        assert_eq!(payload.downcast_ref(), Some(&"rank 1 fails"));
    }

    #[test]
    fn every_order_finds_each_result() {
        let mut results = HashSet::new();
        every_order(|order| {
            let run = run_ranks(3, 9, order, |mut link| {
                let rank = link.rank();
                if rank == 2 {
                    return [0, 1].map(|from| link.try_receive(from).is_some());
                }
                link.send(2, vec![]);
                [true; 2]
            });
            // A run with a message that is not received counts, too.
            let received = run.map_or([false; 2], |run| run.results[2]);
            results.insert(received);
            Ok(())
        })
        .unwrap();
        assert!(results.contains(&[true; 2]) && results.contains(&[false; 2]));
    }

    #[test]
    fn every_order_of_a_ring_is_tried() {
        let mut turns = HashSet::new();
        every_order(|order| {
            turns.insert(run_ranks(3, 9, order, pass)?.turns);
            Ok(())
        })
        .unwrap();
        // Any rank can be first, and any other one second.
        assert!(turns.len() > 6, "{}", turns.len());
        let random = |seed| run_ranks(3, 9, &mut Order::random(seed), pass);
        assert_eq!(random(1).unwrap().turns, random(1).unwrap().turns);
    }
}
