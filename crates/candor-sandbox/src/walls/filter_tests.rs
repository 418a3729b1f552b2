//! The program, run here step by step, on calls that not every machine can make.

use super::*;

/// What the program says to a call.
fn verdict(program: &[sock_filter], architecture: u32, number: u32, args: [u32; 2]) -> u32 {
    let (mut at, mut value) = (0, 0);
    loop {
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
            RETURN => return step.k,
            other => panic!("code {other:#x}"),
        }
    }
}

#[test]
fn every_call_gets_its_answer() {
    let refused = ERRNO | libc::EPERM.cast_unsigned();
    let family = |family: i32| [family.cast_unsigned(), 0];
    for (sockets, inet) in [(Sockets::Usual, ALLOW), (Sockets::UnixOnly, refused)] {
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
        for number in [libc::SYS_socket, libc::SYS_socketpair] {
            check(number, family(libc::AF_UNIX), ALLOW);
            check(number, family(libc::AF_INET), inet);
            check(number, family(libc::AF_INET6), inet);
            check(number, family(libc::AF_NETLINK), inet);
            check(number, family(libc::AF_VSOCK), refused);
            check(number, family(libc::AF_PACKET), refused);
        }
    }
}

#[test]
fn a_foreign_architecture_is_killed() {
    let program = program(Sockets::Usual);
    assert_eq!(verdict(&program, 0x4000_0003, 0, [0, 0]), KILL);
    #[cfg(target_arch = "x86_64")]
    assert_eq!(verdict(&program, ARCHITECTURE, X32_BIT + 39, [0, 0]), KILL);
}
