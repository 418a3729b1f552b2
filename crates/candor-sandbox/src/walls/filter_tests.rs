//! The program, run here step by step, on calls that not every machine can make.

use super::*;

/// What the program says to a call.
fn verdict(program: &[sock_filter], architecture: u32, number: u32, args: [u32; 2]) -> u32 {
    run(program, architecture, number, args).0
}

/// The same, and after how many steps.
fn run(program: &[sock_filter], architecture: u32, number: u32, args: [u32; 2]) -> (u32, usize) {
    let (mut at, mut value) = (0, 0);
    for count in 1.. {
        let step = program[at];
        at += 1;
        let skip = |is_so: bool| usize::from(if is_so { step.jt } else { step.jf });
        match step.code {
            LOAD => {
                value = match step.k {
                    OFFSET_NUMBER => number,
                    OFFSET_ARCHITECTURE => architecture,
                    OFFSET_FIRST => args[0],
                    OFFSET_SECOND => args[1],
                    other => panic!("offset {other}"),
                }
            }
            JUMP_EQUAL => at += skip(value == step.k),
            JUMP_SET => at += skip(value & step.k != 0),
            0x35 => at += skip(value >= step.k),
            RETURN => return (step.k, count),
            other => panic!("code {other:#x}"),
        }
    }
    unreachable!("every step goes forward")
}

#[test]
fn every_call_gets_its_answer() {
    let refused = ERRNO | libc::EPERM.cast_unsigned();
    let family = |family: i32| [family.cast_unsigned(), 0];
    let allowed = |is_so: bool| if is_so { ALLOW } else { refused };
    for sockets in every_choice() {
        let program = program(sockets);
        let check = |number: libc::c_long, args, expected| {
            assert_eq!(
                verdict(&program, ARCHITECTURE, call(number), args),
                expected,
                "{number} {args:x?} {sockets:?}"
            );
        };
        for number in REFUSED {
            check(*number, [0, 0], refused);
        }
        for number in [libc::SYS_read, libc::SYS_execve, libc::SYS_connect, libc::SYS_kill, libc::SYS_wait4] {
            check(number, [u32::MAX, u32::MAX], ALLOW);
        }
        check(libc::SYS_clone3, [0, 0], ERRNO | libc::ENOSYS.cast_unsigned());
        check(libc::SYS_clone, [17, 0], ALLOW);
        for flag in 0..32 {
            let is_namespace = NAMESPACE_FLAGS.cast_unsigned() & (1 << flag) != 0;
            check(libc::SYS_clone, [1 << flag, 0], if is_namespace { refused } else { ALLOW });
        }
        check(libc::SYS_ioctl, [0, TIOCSTI], refused);
        check(libc::SYS_ioctl, [0, TIOCLINUX], refused);
        check(libc::SYS_ioctl, [0, 0x5401], ALLOW);
        check(libc::SYS_socket, family(libc::AF_UNIX), allowed(sockets.unix));
        for internet in [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK] {
            check(libc::SYS_socket, family(internet), allowed(sockets.internet));
            check(libc::SYS_socketpair, family(internet), refused);
        }
        check(libc::SYS_socket, family(libc::AF_VSOCK), refused);
        check(libc::SYS_socket, family(libc::AF_PACKET), refused);
        for flags in [0, libc::SOCK_CLOEXEC, libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC] {
            let pair = |kind: i32| [libc::AF_UNIX, kind | flags].map(i32::cast_unsigned);
            check(libc::SYS_socketpair, pair(libc::SOCK_STREAM), ALLOW);
            check(libc::SYS_socketpair, pair(libc::SOCK_SEQPACKET), ALLOW);
            check(libc::SYS_socketpair, pair(libc::SOCK_DGRAM), allowed(sockets.unix));
            check(libc::SYS_socketpair, pair(libc::SOCK_RAW), allowed(sockets.unix));
        }
    }
}

fn every_choice() -> [Sockets; 4] {
    [(false, false), (false, true), (true, false), (true, true)]
        .map(|(internet, unix)| Sockets { internet, unix })
}

/// No number falls between two that are looked at, and none takes the kernel long.
#[test]
fn every_other_number_is_allowed_after_few_steps() {
    for sockets in every_choice() {
        let (program, cases) = (program(sockets), cases(sockets));
        assert!(program.len() <= 100, "{} steps are translated for each command", program.len());
        // Nothing speaks against these when they are called with nothing.
        let argued = [libc::SYS_clone, libc::SYS_ioctl].map(call);
        let looked_at: Vec<u32> = cases.iter().map(|(number, _)| *number).collect();
        assert!(looked_at.is_sorted_by(|one, other| one < other), "each number once: {looked_at:?}");
        for number in (0..2000).chain([0x3fff_ffff]) {
            let (answer, steps) = run(&program, ARCHITECTURE, number, [0, 0]);
            assert_eq!(answer != ALLOW, looked_at.contains(&number) && !argued.contains(&number), "{number}");
            assert!(steps <= 16, "{number} takes {steps} steps");
        }
    }
}

#[test]
fn a_foreign_architecture_is_killed() {
    let program = program(Sockets { internet: true, unix: true });
    assert_eq!(verdict(&program, 0x4000_0003, 0, [0, 0]), KILL);
    #[cfg(target_arch = "x86_64")]
    assert_eq!(verdict(&program, ARCHITECTURE, X32_BIT + 39, [0, 0]), KILL);
}
