//! Ways out, as data.
//!
//! A script finds in its environment: `WS` (the writable workspace, where it starts), `OUT` (a directory outside, with
//! the file `canary` and the directory `dir`), `SECRET` (a hidden directory outside, with the file `key`), `PORT` (TCP
//! and UDP listeners of the host, v4 and v6), `SOCK`, `SERVICE` and `ABSTRACT` (Unix listeners of the host: where it is
//! covered, where it is not, and without a place), `VICTIM` (a process of the host), `RUNTIME` (the process that runs
//! the test). It has escaped if anything outside changed, if a listener heard something, if the victim died, if it
//! printed a secret, or if it printed `ESCAPED`.
//!
//! A case must do no harm to the machine when the wall that it tries is missing: it opens a setting and writes nothing,
//! it kills the victim and nobody else.

/// One way out.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) script: Script,
    pub(crate) scope: Scope,
}

pub(crate) enum Script {
    Shell(&'static str),
    Python(&'static str),
}

/// Where a case is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Everywhere. Without walls it gets out, and a test sees that it does.
    Always,
    /// The same but behind bubblewrap, which hides only what stays where it is.
    Unwrapped,
    /// Everywhere but without walls: most users lack the rights for it there, or it is no escape there.
    Walled,
    /// Only behind namespaces; Landlock alone does not promise this.
    Namespaces,
    /// Only behind namespaces of our own, where the first process has the runtime's memory.
    OwnInit,
}

use Scope::{Always, Namespaces, OwnInit, Unwrapped, Walled};
use Script::{Python, Shell};

const fn case(name: &'static str, scope: Scope, script: Script) -> Case {
    Case { name, script, scope }
}

pub(crate) const CASES: &[Case] = &[
    case(
        "a secret that is not there yet",
        Always,
        Shell("mkdir -p later/.ssh; echo key > later/.ssh/authorized_keys"),
    ),
    // Writing outside.
    case("redirect", Always, Shell("echo x > $OUT/canary")),
    case("append", Always, Shell("echo x >> $OUT/canary")),
    case("new file", Always, Shell("echo x > $OUT/new")),
    case("cp", Always, Shell("echo x > f; cp f $OUT/canary")),
    case("tee", Always, Shell("echo x | tee $OUT/canary")),
    case("dd", Always, Shell("echo x | dd of=$OUT/canary")),
    case("sed in place", Always, Shell("sed -i s/a/b/ $OUT/canary")),
    case("truncate", Always, Shell("truncate -s 0 $OUT/canary")),
    case("python", Always, Python("open(E['OUT']+'/canary','w').write('x')")),
    case("python truncate", Always, Python("os.truncate(E['OUT']+'/canary',1)")),
    case("through a link", Always, Shell("ln -s $OUT l; echo x > l/canary")),
    case("through a link to a file", Always, Shell("ln -s $OUT/canary lf; echo x > lf")),
    case("through a hard link", Always, Shell("ln $OUT/canary h && echo x > h")),
    case("rename out", Always, Shell("echo x > g; mv -f g $OUT/canary")),
    case("rename in", Always, Shell("mv -f $OUT/canary taken")),
    case("remove", Always, Shell("rm -f $OUT/canary")),
    case("remove all", Always, Shell("rm -rf $OUT")),
    case("mkdir", Always, Shell("mkdir $OUT/made")),
    case("rmdir", Always, Shell("rmdir $OUT/dir")),
    case("link out", Always, Shell("ln -s x $OUT/pointer")),
    case("fifo", Always, Shell("mkfifo $OUT/fifo")),
    case("dots", Always, Shell("echo x > ../outside/canary")),
    case("proc root", Always, Shell("echo x > /proc/self/root$OUT/canary")),
    case("proc root of init", Walled, Shell("echo x > /proc/1/root$OUT/canary")),
    case("proc cwd", Always, Shell("cd $OUT; echo x > /proc/self/cwd/canary")),
    case("reopened descriptor", Always, Shell("exec 5< $OUT/canary; echo x > /proc/self/fd/5")),
    case("proc root of the runtime", Namespaces, Shell("echo x > /proc/$RUNTIME/root$OUT/canary")),
    case("proc cwd of the victim", Always, Shell("echo x > /proc/$VICTIM/cwd/canary")),
    case("chmod", Namespaces, Shell("chmod 777 $OUT/canary $OUT")),
    case("touch", Namespaces, Shell("touch -d 2001-01-01 $OUT/canary")),
    case("chown", Walled, Shell("chown 1:1 $OUT/canary && echo ESCAPED")),
    case("rename of the workspace", Always, Shell("mv $WS ${WS}2")),
    case(
        "openat beneath a descriptor",
        Always,
        Python("d=os.open(E['OUT'],os.O_PATH); os.open('canary',os.O_WRONLY|os.O_TRUNC,dir_fd=d)"),
    ),
    case(
        "copy_file_range",
        Always,
        Python(
            "s=os.open('r',os.O_CREAT|os.O_RDWR); os.write(s,b'xx'); d=os.open(E['OUT']+'/canary',os.O_WRONLY); os.copy_file_range(s,d,1,0)",
        ),
    ),
    case(
        "mmap",
        Always,
        Python(
            "import mmap; f=open(E['OUT']+'/canary','r+b'); m=mmap.mmap(f.fileno(),0); m[0:1]=b'X'; m.flush()",
        ),
    ),
    // Reading what is hidden.
    case("hidden by name", Always, Shell("cat $SECRET/key")),
    case("hidden by link", Always, Shell("ln -s $SECRET s; cat s/key")),
    case("hidden by a link made before", Always, Shell("cat $WS/old-link")),
    case("hidden by hard link", Always, Shell("ln $SECRET/key hk; cat hk")),
    case("hidden by rename", Always, Shell("mv $SECRET m; cat m/key")),
    case("hidden by cwd", Always, Shell("cd $SECRET && cat key")),
    case("hidden by proc cwd", Always, Shell("cd $SECRET; cat /proc/self/cwd/key")),
    case("hidden by proc root", Always, Shell("cat /proc/self/root$SECRET/key")),
    case("hidden by root of init", Walled, Shell("cat /proc/1/root$SECRET/key")),
    case("hidden by dots", Always, Shell("cat ./../outside/../secret/key")),
    case("hidden by chmod", Namespaces, Shell("chmod 777 $SECRET $SECRET/key; cat $SECRET/key")),
    case("hidden by tar", Always, Shell("tar cf - -C $SECRET . | cat")),
    case("hidden by glob", Always, Shell("cat $SECRET/* $SECRET/../secret/k*")),
    case(
        "hidden by mmap",
        Always,
        Python("import mmap; f=open(E['SECRET']+'/key','rb'); print(mmap.mmap(f.fileno(),0,prot=1)[:])"),
    ),
    case("hidden file in the workspace", Always, Shell("cat hidden.env")),
    case("hidden file by rename", Always, Shell("mv hidden.env shown.env; cat shown.env")),
    case("hidden file by hard link", Always, Shell("ln hidden.env shown; cat shown")),
    case("hidden file replaced", Always, Shell("rm -f hidden.env; echo mine > hidden.env && echo ESCAPED")),
    case("hidden by rename of its parent", Always, Shell("mv inner/deep inner/moved; cat inner/moved/.env")),
    case("hidden listed", Always, Shell("ls $SECRET | grep -q key && echo ESCAPED")),
    case(
        "hidden by handle",
        Walled,
        Python(
            "h=ctypes.create_string_buffer(struct.pack('Ii',120,0)+bytes(120)); m=ctypes.c_int()\nif c.name_to_handle_at(-100,(E['OUT']+'/canary').encode(),h,ctypes.byref(m),0)==0 and c.open_by_handle_at(os.open('/',0),h,0)>=0: print('ESCAPED')",
        ),
    ),
    // What is protected in the workspace.
    case("hook", Always, Shell("echo x > .git/hooks/pre-commit")),
    case("hook through a link", Always, Shell("ln -s .git/hooks k; echo x > k/post-checkout")),
    case("git config", Always, Shell("echo x >> .git/config")),
    case("git config by rename", Always, Shell("echo x > c; mv -f c .git/config")),
    case("git config removed", Always, Shell("rm -f .git/config")),
    case("git config by git", Always, Shell("git config -f .git/config core.pager x")),
    case(
        "hooks moved away",
        Always,
        Shell("mv .git/hooks .git/h2; mkdir .git/hooks; echo x > .git/hooks/pre-commit"),
    ),
    case(
        "git directory moved away",
        Always,
        Shell("mv .git g2; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit"),
    ),
    case(
        "git directory swapped by a link",
        Always,
        Shell("mv .git g3; mkdir -p e/hooks; ln -s e .git; echo x > .git/hooks/pre-commit"),
    ),
    case("missing path created", Always, Shell("mkdir .candor; echo x > .candor/config.toml")),
    case(
        "missing path linked",
        Always,
        Shell("rmdir .candor; mkdir own; ln -s own .candor; echo x > .candor/config.toml"),
    ),
    case(
        "missing path renamed to",
        Always,
        Shell("mkdir own2; echo x > own2/config.toml; mv -T own2 .candor"),
    ),
    case("missing path as a file", Always, Shell("rmdir .candor; echo x > .candor")),
    case(
        "missing path in depth",
        Always,
        Shell("mkdir -p inner/.candor; echo x > inner/.candor/config.toml"),
    ),
    case(
        "nested git moved with its parent",
        Always,
        Shell("mv nested n2; mkdir -p nested/.git; echo x > nested/.git/config"),
    ),
    case(
        "nested git exchanged",
        Always,
        Python(
            "os.makedirs('other/.git',exist_ok=True); open('other/.git/config','w').write('x'); c.renameat2(-100,b'nested',-100,b'other',2)",
        ),
    ),
    // Privileges and the kernel.
    case("mount", Walled, Shell("mount --bind $WS $OUT; echo x > $OUT/canary")),
    case(
        "remount",
        Walled,
        Shell("mount -o remount,rw /; mount -o remount,rw,bind $OUT; echo x > $OUT/canary"),
    ),
    case(
        "unmount",
        Walled,
        Shell("umount -l $SECRET; umount -l $WS/.git/hooks; cat $SECRET/key; echo x > .git/hooks/y"),
    ),
    case("new user namespace", Walled, Shell("unshare -Urm sh -c 'echo ESCAPED; mount -t tmpfs x /mnt'")),
    case(
        "clone with a namespace",
        Walled,
        Python("r=c.syscall(56,0x10000000|17,0,0,0,0)\nif r==0: os._exit(0)\nif r>0: print('ESCAPED')"),
    ),
    case(
        "clone3 with a namespace",
        Walled,
        Python(
            "b=ctypes.create_string_buffer(struct.pack('QQQQQQQQ',0x10000000,0,0,0,17,0,0,0))\nr=c.syscall(435,b,64)\nif r==0: os._exit(0)\nif r>0: print('ESCAPED')",
        ),
    ),
    case("setns", Walled, Python("f=os.open('/proc/self/ns/mnt',0)\nif c.setns(f,0)==0: print('ESCAPED')")),
    case("chroot", Walled, Python("os.chroot('/'); print('ESCAPED')")),
    case("new mount interface", Walled, Python("r=c.syscall(428,-100,b'/',1)\nif r>=0: print('ESCAPED')")),
    case("file system context", Walled, Python("r=c.syscall(430,b'tmpfs',0)\nif r>=0: print('ESCAPED')")),
    case("setuid program", Walled, Shell("su nobody -s /bin/sh -c 'echo ESCAPED' < /dev/null")),
    case("setuid call", Walled, Python("os.setuid((os.getuid()+1)%60000); print('ESCAPED')")),
    case(
        "capabilities",
        Walled,
        Shell("grep -E 'Cap(Eff|Prm|Inh|Amb)' /proc/self/status | grep -qv 0000000000000000 && echo ESCAPED"),
    ),
    case("no new privileges", Walled, Shell("grep -q 'NoNewPrivs:.1' /proc/self/status || echo ESCAPED")),
    case("device node", Walled, Shell("mknod d b 8 0 && echo ESCAPED")),
    case("character device node", Walled, Shell("mknod e c 1 1 && echo ESCAPED")),
    case(
        "raw disk",
        Walled,
        Shell(
            "for d in /dev/vd? /dev/sd? /dev/nvme?n? /dev/mem /dev/kmsg /dev/fuse /dev/kvm; do head -c 1 $d > /dev/null 2>&1 && echo ESCAPED $d; done",
        ),
    ),
    case(
        "raw disk opened for writing",
        Walled,
        Python(
            "import glob\nfor d in glob.glob('/dev/[vs]d?')+['/dev/mem','/dev/kmsg']:\n  try: os.open(d,os.O_WRONLY); print('ESCAPED')\n  except OSError: pass",
        ),
    ),
    case(
        "kernel settings",
        Walled,
        Python(
            "for f in ['core_pattern','hostname','modprobe','randomize_va_space','pid_max']:\n  try: os.open('/proc/sys/kernel/'+f,os.O_WRONLY); print('ESCAPED',f)\n  except OSError: pass",
        ),
    ),
    case("sysrq", Walled, Python("os.open('/proc/sysrq-trigger',os.O_WRONLY); print('ESCAPED')")),
    case(
        "sys",
        Walled,
        Python(
            "for f in ['power/state','kernel/mm/transparent_hugepage/enabled','kernel/uevent_helper','kernel/profiling']:\n  try: os.open('/sys/'+f,os.O_WRONLY); print('ESCAPED',f)\n  except OSError: pass",
        ),
    ),
    case(
        "control group",
        Walled,
        Shell(
            "for d in /sys/fs/cgroup /sys/fs/cgroup/*; do mkdir $d/escape 2> /dev/null && { rmdir $d/escape; echo ESCAPED; }; done",
        ),
    ),
    case("keyring", Walled, Python("if c.syscall(250,0,-3,1)>=0: print('ESCAPED')")),
    case("add key", Walled, Python("if c.syscall(248,b'user',b'k',b'v',1,-3)>=0: print('ESCAPED')")),
    case(
        "io_uring",
        Walled,
        Python("b=ctypes.create_string_buffer(120)\nif c.syscall(425,4,b)>=0: print('ESCAPED')"),
    ),
    case(
        "bpf",
        Walled,
        Python(
            "b=ctypes.create_string_buffer(struct.pack('IIIII',1,4,4,4,0)+bytes(108))\nif c.syscall(321,0,b,128)>=0: print('ESCAPED')",
        ),
    ),
    case(
        "perf",
        Walled,
        Python(
            "b=ctypes.create_string_buffer(struct.pack('IIQ',1,128,0)+bytes(112))\nif c.syscall(298,b,0,-1,-1,0)>=0: print('ESCAPED')",
        ),
    ),
    case("userfaultfd", Walled, Python("if c.syscall(323,1)>=0: print('ESCAPED')")),
    case(
        "x32 numbers",
        Walled,
        Python(
            "p=os.fork()\nif p==0:\n  r=c.syscall(0x40000000+39); os._exit(7 if r>0 else 0)\nif os.waitstatus_to_exitcode(os.waitpid(p,0)[1])==7: print('ESCAPED')",
        ),
    ),
    case(
        "foreign architecture",
        Walled,
        Python(
            "import mmap\np=os.fork()\nif p==0:\n  m=mmap.mmap(-1,4096,prot=7); m.write(bytes.fromhex('b814000000cd80c3')); r=ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))(); os._exit(7 if r>0 else 0)\nif os.waitstatus_to_exitcode(os.waitpid(p,0)[1])==7: print('ESCAPED')",
        ),
    ),
    // Other processes.
    case("kill", Always, Shell("kill -9 $VICTIM")),
    case(
        "ptrace",
        Walled,
        Python("if c.ptrace(0x4206,int(E['VICTIM']),0,0)==0 or c.ptrace(0,0,0,0)==0: print('ESCAPED')"),
    ),
    case("memory of the victim", Walled, Python("open('/proc/'+E['VICTIM']+'/mem','rb'); print('ESCAPED')")),
    case(
        "process_vm_readv",
        Walled,
        Python(
            "b=ctypes.create_string_buffer(8); v=struct.pack('PQ',ctypes.addressof(b),8); i=ctypes.create_string_buffer(v)\nif c.process_vm_readv(os.getpid(),i,1,i,1,0)>0: print('ESCAPED')",
        ),
    ),
    case(
        "environment of the runtime",
        Walled,
        Shell("cat /proc/$RUNTIME/environ > e2 && test -s e2 && echo ESCAPED"),
    ),
    case("environment of init", OwnInit, Shell("cat /proc/1/environ > e3 && test -s e3 && echo ESCAPED")),
    case("memory of init", OwnInit, Python("open('/proc/1/mem','rb'); print('ESCAPED')")),
    case(
        "descriptors of init",
        OwnInit,
        Shell("readlink /proc/1/fd/* 2> /dev/null | grep -q . && echo ESCAPED"),
    ),
    case(
        "processes of the host are seen",
        Namespaces,
        Shell(
            "test -e /proc/$VICTIM/stat && tr '\\0' ' ' < /proc/$VICTIM/cmdline | grep -q cat && echo ESCAPED",
        ),
    ),
    case("shared memory segments", Namespaces, Shell("ipcs -m | grep -q ^0x && echo ESCAPED")),
    case(
        "typing into a terminal",
        Walled,
        Python(
            "import fcntl,pty\nm,s=os.openpty()\ntry: fcntl.ioctl(s,0x5412,b'x'); print('ESCAPED')\nexcept OSError: pass",
        ),
    ),
    // Talking.
    case("tcp", Always, Python("socket.create_connection(('127.0.0.1',int(E['PORT'])),1).send(b'x')")),
    case("tcp by the shell", Always, Shell("echo x > /dev/tcp/127.0.0.1/$PORT")),
    case("tcp v6", Always, Python("socket.create_connection(('::1',int(E['PORT'])),1).send(b'x')")),
    case("udp", Always, Python("socket.socket(2,2).sendto(b'x',('127.0.0.1',int(E['PORT'])))")),
    case("udp v6", Always, Python("socket.socket(10,2).sendto(b'x',('::1',int(E['PORT'])))")),
    case(
        "every address",
        Walled,
        Python("socket.create_connection(('0.0.0.0',int(E['PORT'])),1).send(b'x')"),
    ),
    case(
        "a route out",
        Walled,
        Python("s=socket.socket(2,2); s.connect(('192.0.2.1',53)); print('ESCAPED')"),
    ),
    case("names", Walled, Shell("getent hosts example.com && echo ESCAPED")),
    case("unix socket", Always, Python("s=socket.socket(1); s.connect(E['SOCK']); s.send(b'x')")),
    case("unix datagram", Always, Python("socket.socket(1,2).sendto(b'x',E['SOCK']+'.letters')")),
    case("a pair sends away", Always, Python("socket.socketpair(1,2)[0].sendto(b'x',E['SOCK']+'.letters')")),
    case("service", Unwrapped, Python("s=socket.socket(1); s.connect(E['SERVICE']); s.send(b'x')")),
    case("letter to a service", Unwrapped, Python("socket.socket(1,2).sendto(b'x',E['SERVICE']+'.letters')")),
    case(
        "service behind a link",
        Unwrapped,
        Python("os.symlink(E['SERVICE'],'s1'); s=socket.socket(1); s.connect('s1'); s.send(b'x')"),
    ),
    case(
        "service with another name",
        Unwrapped,
        Python("os.link(E['SERVICE'],'s2'); s=socket.socket(1); s.connect('s2'); s.send(b'x')"),
    ),
    case(
        "abstract socket",
        Always,
        Python("s=socket.socket(1); s.connect('\\0'+E['ABSTRACT']); s.send(b'x')"),
    ),
    case("netlink", Walled, Python("socket.socket(16,3,0); print('ESCAPED')")),
    case("vsock", Walled, Python("socket.socket(40,1); print('ESCAPED')")),
    case("packet", Walled, Python("socket.socket(17,3,768); print('ESCAPED')")),
    case("raw", Walled, Python("socket.socket(2,3,1); print('ESCAPED')")),
    case("bluetooth", Walled, Python("socket.socket(31,5,0); print('ESCAPED')")),
    case("alg", Walled, Python("socket.socket(38,5,0); print('ESCAPED')")),
    // Taking more than a share.
    case("a huge file", Walled, Shell("truncate -s 1T sparse && echo ESCAPED; rm -f sparse")),
    case(
        "more files than allowed",
        Walled,
        Python("import resource\nresource.setrlimit(resource.RLIMIT_NOFILE,(1<<20,1<<20)); print('ESCAPED')"),
    ),
    case("a core dump", Walled, Shell("test $(ulimit -Hc) = 0 || echo ESCAPED")),
];
