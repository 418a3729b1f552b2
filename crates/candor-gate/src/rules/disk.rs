//! Whole disks: file systems made anew, partitions, raw devices.

use super::subcommand;
use crate::call::Call;
use crate::verdict::Finding;

/// `mkfs` and its relatives. On a file of the user's own it is how images are made.
pub(super) fn format(call: &Call<'_>) -> Option<Finding> {
    if call.has_long("help") || call.has_word(&["-V", "--version", "-h"]) || call.args().next().is_none() {
        return None;
    }
    let is_image = call.operands().any(|word| word.contains(['.', '/']) && !word.starts_with("/dev/"))
        && !call.args().any(|arg| arg.starts_with("/dev/") || arg.contains('\0'));
    Some(if is_image {
        Finding::ask("make-filesystem", "it makes a new file system in a file")
    } else {
        Finding::deny("make-filesystem", "it makes a new file system and loses what was there")
    })
}

pub(super) fn judge(call: &Call<'_>) -> Option<Finding> {
    let lost = |what: &str| Some(Finding::deny("disk", format!("it {what}")));
    if call.has_long("help") || call.has_word(&["--version", "-V"]) {
        return None;
    }
    let sub = subcommand(call);
    match call.name {
        "mke2fs" | "mkswap" => format(call),
        "wipefs" if call.has_short("ao") || call.has_long("all") || call.has_long("offset") => {
            lost("erases the signatures of a disk")
        }
        "blkdiscard" => lost("discards everything on a disk"),
        "fdisk" | "gdisk" if !call.has_short("lx") && !call.has_long("list") => {
            lost("changes the partitions of a disk")
        }
        "sfdisk" if !call.has_short("ldJ") && !call.has_word(&["--list", "--dump", "--json"]) => {
            lost("changes the partitions of a disk")
        }
        "cfdisk" | "cgdisk" => lost("changes the partitions of a disk"),
        "sgdisk" if !call.has_short("piv") && !call.has_word(&["--print", "--info", "--verify"]) => {
            lost("changes the partitions of a disk")
        }
        "parted" if !call.has_short("l") && !call.has_word(&["print", "--list", "unit"]) => {
            lost("changes the partitions of a disk")
        }
        "cryptsetup" if sub.to_lowercase() == "luksformat" || sub == "erase" || sub == "luksErase" => {
            lost("makes what is on a disk unreadable")
        }
        "pvremove" | "vgremove" | "lvremove" => lost("removes a volume"),
        "zpool" | "zfs" if matches!(sub, "destroy" | "labelclear") => lost("destroys a volume"),
        "mdadm" if call.has_word(&["--zero-superblock", "--create", "-C"]) => {
            lost("takes a disk array apart")
        }
        "hdparm" if call.args().any(|arg| arg.starts_with("--security-erase")) => lost("erases a disk"),
        "nvme" if matches!(sub, "format" | "sanitize") => lost("erases a disk"),
        "badblocks" if call.has_short("w") => lost("overwrites a disk"),
        "grub-install" | "efibootmgr" | "flashrom" if call.args().next().is_some() => {
            lost("changes how the machine starts")
        }
        "debugfs" if call.has_short("w") => lost("writes into a file system behind its back"),
        _ => None,
    }
}
