//! The machine as a whole: power, processes, services, packages, firewall, privileges.

use super::{always, subcommand};
use crate::call::{Call, UNKNOWN};
use crate::verdict::Finding;

pub(super) fn judge(call: &Call<'_>) -> Option<Finding> {
    match call.name {
        "sudo" | "doas" | "su" | "pkexec" | "runuser" | "gosu" | "su-exec" => privileges(call),
        "shutdown" | "reboot" | "halt" | "poweroff" | "telinit" | "init" | "systemctl" | "loginctl"
        | "service" | "kexec" | "rc-service" | "launchctl" => power(call),
        "kill" | "killall" | "pkill" | "killall5" | "skill" | "xkill" => processes(call),
        "iptables" | "ip6tables" | "nft" | "ufw" | "setenforce" | "firewall-cmd" | "iptables-restore" => {
            firewall(call)
        }
        "nc" | "ncat" | "netcat" | "socat" | "telnet" => connections(call),
        "crontab" | "at" | "batch" => timers(call),
        "gpg" | "gpg2"
            if call
                .args()
                .any(|arg| arg.starts_with("--delete-sec") || arg.starts_with("--delete-secret")) =>
        {
            Some(Finding::ask("delete-keys", "it deletes secret keys"))
        }
        "userdel" | "deluser" | "groupdel" | "usermod" | "useradd" | "adduser" | "passwd" | "chpasswd"
        | "visudo" | "vipw" => Some(Finding::ask("accounts", "it changes the accounts of this machine")),
        "mount" | "umount" | "swapoff" | "modprobe" | "insmod" | "rmmod" | "sysctl" => kernel(call),
        _ => packages(call),
    }
}

fn privileges(call: &Call<'_>) -> Option<Finding> {
    if matches!(call.arg(0), Some("--version" | "-V" | "--help" | "-h" | "-k" | "-K")) {
        return None;
    }
    let finding = Finding::ask("privileges", "it runs something with the rights of another user");
    let inner = call.operands().find(|word| !word.contains('='));
    Some(match inner {
        Some(inner) if call.name == "sudo" && call.arg(0) == Some(inner) && !inner.contains(UNKNOWN) => {
            finding.always(format!("sudo {inner} *"))
        }
        _ => finding,
    })
}

fn power(call: &Call<'_>) -> Option<Finding> {
    let off = || Some(Finding::deny("power", "it switches the machine off or restarts it"));
    let sub = subcommand(call);
    if call.has_long("help") || call.has_long("version") {
        return None;
    }
    match call.name {
        "shutdown" if call.has_word(&["-c", "--show"]) => None,
        "reboot" | "halt" | "poweroff" if call.has_word(&["-w", "--wtmp-only"]) => None,
        "shutdown" | "reboot" | "halt" | "poweroff" | "kexec" => off(),
        "telinit" | "init" => matches!(sub, "0" | "1" | "6" | "s" | "S").then(off).flatten(),
        "systemctl" if call.operands().any(is_power_target) => off(),
        "systemctl" | "loginctl" => match sub {
            "poweroff" | "reboot" | "halt" | "kexec" | "suspend" | "hibernate" | "hybrid-sleep"
            | "rescue" | "emergency" | "isolate" | "soft-reboot" => off(),
            "stop" | "disable" | "mask" | "restart" | "start" | "enable" | "kill" | "edit"
            | "set-default" | "terminate-user"
                if !call.has_word(&["--user"]) =>
            {
                Some(
                    Finding::ask("services", "it changes which services run on this machine")
                        .always(always(call, sub)),
                )
            }
            _ => None,
        },
        "service" | "rc-service" if call.has_word(&["stop", "restart", "start"]) => {
            Some(Finding::ask("services", "it changes which services run on this machine"))
        }
        "launchctl"
            if matches!(
                sub,
                "unload" | "load" | "bootout" | "bootstrap" | "remove" | "submit" | "reboot"
            ) =>
        {
            Some(Finding::ask("services", "it changes which services run on this machine"))
        }
        _ => None,
    }
}

fn is_power_target(unit: &str) -> bool {
    let targets =
        ["poweroff", "reboot", "halt", "kexec", "suspend", "hibernate", "rescue", "emergency", "shutdown"];
    unit.strip_suffix(".target").is_some_and(|name| targets.contains(&name))
}

fn processes(call: &Call<'_>) -> Option<Finding> {
    if call.has_word(&["-l", "-L", "--help", "--version", "-0"]) {
        return None;
    }
    let strong = [
        "-9",
        "-KILL",
        "-SIGKILL",
        "9",
        "KILL",
        "SIGKILL",
        "-s9",
        "--signal=KILL",
        "--signal=9",
        "--signal=SIGKILL",
    ];
    let is_strong = call.has_word(&strong) || call.args().any(|arg| arg.starts_with("-9"));
    if call.name == "kill" {
        let args: Vec<&str> = call.args().collect();
        // The first number may be the signal; `-1` in the place of a process means all of them.
        let is_signal = |at: usize| {
            at == 0 && args[at].starts_with('-') && args.len() > 1
                || at > 0 && matches!(args[at - 1], "-s" | "-n" | "--signal")
        };
        let hits = args.iter().enumerate().any(|(at, arg)| matches!(*arg, "1" | "-1") && !is_signal(at));
        return hits.then(|| Finding::deny("kill-all", "it ends the first process or all of them"));
    }
    if call.name == "killall5" {
        return Some(Finding::deny("kill-all", "it ends all processes"));
    }
    let is_broad = call.has_short("u") || call.operands().any(|word| matches!(word, "." | ".*" | "" | "*"));
    (is_strong || is_broad).then(|| {
        Finding::ask("kill-by-name", "it ends every process that a name matches")
            .always(format!("{} *", call.name))
    })
}

fn firewall(call: &Call<'_>) -> Option<Finding> {
    let open = || Some(Finding::deny("firewall", "it takes the firewall down"));
    let sub = subcommand(call);
    match call.name {
        "iptables" | "ip6tables"
            if call.has_short("FX") || call.has_long("flush") || call.has_long("delete-chain") =>
        {
            open()
        }
        "nft" if sub == "flush" => open(),
        "ufw" if matches!(sub, "disable" | "reset") => open(),
        "iptables" | "ip6tables" if call.has_short("L") || call.has_short("S") || call.has_long("list") => {
            None
        }
        "nft" if sub == "list" => None,
        "ufw" if sub == "status" => None,
        _ => Some(Finding::ask("firewall", "it changes the firewall")),
    }
}

fn connections(call: &Call<'_>) -> Option<Finding> {
    let shells = ["sh", "bash", "zsh", "dash", "ksh"];
    let feeds_a_shell = call.flow.programs.iter().any(|program| shells.contains(&program.as_str()));
    if feeds_a_shell {
        return Some(Finding::ask("remote-shell", "it connects a shell to a network"));
    }
    if call.name == "socat" {
        let runs = call.args().any(|arg| {
            let kind = arg.split([':', ',']).next().unwrap_or_default().to_uppercase();
            matches!(kind.as_str(), "EXEC" | "SYSTEM" | "SHELL") || kind.ends_with("-LISTEN")
        });
        return runs.then(|| Finding::ask("remote-shell", "it connects a program to a network"));
    }
    if call.name == "telnet" {
        return None;
    }
    let runs = call.has_short("e")
        || call.has_short("c") && call.name != "nc"
        || call.has_long("exec")
        || call.has_long("sh-exec");
    if runs || call.name == "nc" && call.has_word(&["-c"]) {
        return Some(Finding::ask("remote-shell", "it connects a program to a network"));
    }
    let listens = call.has_short("l") || call.has_long("listen");
    listens.then(|| {
        Finding::ask("listen", "it waits for connections from others").always(format!("{} *", call.name))
    })
}

fn timers(call: &Call<'_>) -> Option<Finding> {
    if call.has_word(&["-l"]) {
        return None;
    }
    let what = if call.has_short("r") {
        "it removes all timers of the user"
    } else {
        "it makes something run later"
    };
    Some(Finding::ask("timers", what))
}

fn kernel(call: &Call<'_>) -> Option<Finding> {
    let only_looks = call.args().next().is_none()
        || call.name == "sysctl" && !call.has_short("wp") && !call.args().any(|arg| arg.contains('='))
        || call.has_word(&["-l", "-h", "--help", "--version", "-V"]);
    (!only_looks).then(|| Finding::ask("kernel", "it changes what the system has mounted or loaded"))
}

/// Packages of the system, not of a project.
fn packages(call: &Call<'_>) -> Option<Finding> {
    let sub = subcommand(call);
    let changes = match call.name {
        "apt" | "apt-get" | "aptitude" => matches!(
            sub,
            "install"
                | "remove"
                | "purge"
                | "autoremove"
                | "upgrade"
                | "dist-upgrade"
                | "full-upgrade"
                | "reinstall"
                | "autopurge"
                | "build-dep"
        ),
        "dnf" | "yum" | "zypper" | "microdnf" => {
            matches!(
                sub,
                "install"
                    | "remove"
                    | "erase"
                    | "update"
                    | "upgrade"
                    | "autoremove"
                    | "in"
                    | "rm"
                    | "dup"
                    | "up"
                    | "reinstall"
                    | "localinstall"
                    | "swap"
            )
        }
        "apk" => matches!(sub, "add" | "del" | "upgrade"),
        "pacman" | "yay" | "paru" => {
            let operation = call.args().find(|arg| arg.starts_with('-')).unwrap_or_default();
            operation.starts_with("-R")
                || operation.starts_with("-U")
                || operation.starts_with("--remove")
                || operation.starts_with("--upgrade")
                || (operation.starts_with("-S") && !operation.contains(['s', 'i', 'l']))
                || operation.starts_with("--sync")
        }
        "brew" => matches!(
            sub,
            "install" | "uninstall" | "remove" | "rm" | "upgrade" | "reinstall" | "tap" | "untap"
        ),
        "snap" | "flatpak" => matches!(sub, "install" | "remove" | "refresh" | "uninstall" | "update"),
        "port" | "pkg" | "emerge" | "xbps-install" | "xbps-remove" | "nix-env" | "choco" | "winget"
        | "scoop" => {
            call.name.starts_with("xbps")
                || matches!(sub, "install" | "uninstall" | "delete" | "remove" | "upgrade")
                || call.has_word(&["-i", "-e", "-u"])
        }
        "dpkg" => {
            call.has_short("irP")
                || call.has_long("install")
                || call.has_long("remove")
                || call.has_long("purge")
        }
        "rpm" => {
            call.has_short("iUeF") && !call.has_short("q")
                || call.has_long("install")
                || call.has_long("erase")
        }
        _ => false,
    };
    let pattern = if sub.is_empty() { format!("{} *", call.name) } else { always(call, sub) };
    changes
        .then(|| Finding::ask("system-packages", "it changes the packages of this machine").always(pattern))
}
