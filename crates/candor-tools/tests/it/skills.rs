//! Skills, written as their convention shows them.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use candor_protocol::Code;
use candor_tools::skills::{SkillTool, Skills};
use candor_tools::trust::Trust;
use serde_json::{Value, json};

use crate::rig::{Rig, check_failure};

const PDF: &str = "---\nname: pdf-processing\ndescription: Extract PDF text, fill forms, merge files. Use when handling PDFs.\nlicense: Apache-2.0\nmetadata:\n  author: example-org\n  version: \"1.0\"\nallowed-tools: Bash(git:*) Read\n---\n\n# PDF processing\n\nRead [the reference](references/REFERENCE.md), then run scripts/extract.py.\n";

/// A rig with the skills of its workspace and of the person, and a file of trust.
fn rig() -> (Rig, Arc<Skills>, Arc<Trust>) {
    let rig = Rig::new();
    let trust = Arc::new(Trust::new(rig.outside("trust.json")));
    let places = Skills::places(vec![rig.outside("own")], &rig.context.workspace);
    let skills = Arc::new(Skills::new(places, Arc::clone(&trust)));
    rig.registry.add(Arc::new(SkillTool::new(Arc::clone(&skills))));
    (rig, skills, trust)
}

fn write(folder: PathBuf, text: &str) -> PathBuf {
    fs::create_dir_all(folder.join("references")).unwrap();
    fs::create_dir_all(folder.join("scripts")).unwrap();
    fs::write(folder.join("SKILL.md"), text).unwrap();
    fs::write(folder.join("references/REFERENCE.md"), "All there is to know.").unwrap();
    fs::write(folder.join("scripts/extract.py"), "print('extracted')\n").unwrap();
    folder
}

fn names(skills: &Skills) -> Vec<String> {
    skills.usable().iter().map(|skill| skill.name.clone()).collect()
}

async fn told(rig: &Rig, args: Value) -> Value {
    serde_json::from_str(&rig.call("skill", args).await.for_model).unwrap()
}

#[tokio::test]
async fn a_skill_of_ones_own_is_taken_up_with_its_files() {
    let (rig, skills, _) = rig();
    let folder = write(rig.outside("own/pdf-processing"), PDF);
    assert_eq!(
        skills.usable()[0].description,
        "Extract PDF text, fill forms, merge files. Use when handling PDFs."
    );
    let taken = told(&rig, json!({ "name": "pdf-processing" })).await;
    assert!(taken["instructions"].as_str().unwrap().starts_with("# PDF processing"));
    assert_eq!(taken["files"], json!(["references/REFERENCE.md", "scripts/extract.py"]));
    assert_eq!(taken["folder"], json!(folder));
    let file = told(&rig, json!({ "name": "pdf-processing", "file": "references/REFERENCE.md" })).await;
    assert_eq!((&file["text"], &file["cut"]), (&json!("All there is to know."), &json!(false)));
    check_failure(&rig.call("skill", json!({ "name": "no-such" })).await, Code::SkillUnknown);
}

#[tokio::test]
async fn a_skill_that_a_folder_brings_needs_trust_in_all_of_its_files() {
    let (rig, skills, trust) = rig();
    let folder = write(rig.inside(".agents/skills/pdf-processing"), PDF);
    assert!(names(&skills).is_empty() && !skills.found()[0].trusted);
    check_failure(&rig.call("skill", json!({ "name": "pdf-processing" })).await, Code::SkillUntrusted);
    let brought = skills.found()[0].brought.clone().unwrap();
    trust.add(brought.clone()).unwrap();
    assert_eq!(names(&skills), ["pdf-processing"]);
    assert!(!rig.call("skill", json!({ "name": "pdf-processing" })).await.is_error);
    // Only a script changes, and the words stay.
    fs::write(folder.join("scripts/extract.py"), "print('something else')\n").unwrap();
    check_failure(&rig.call("skill", json!({ "name": "pdf-processing" })).await, Code::SkillUntrusted);
    // Another program reads the file again.
    fs::write(folder.join("scripts/extract.py"), "print('extracted')\n").unwrap();
    let again = Trust::new(rig.outside("trust.json"));
    assert!(again.has(&brought));
    again.remove(&brought).unwrap();
    check_failure(&rig.call("skill", json!({ "name": "pdf-processing" })).await, Code::SkillUntrusted);
}

#[tokio::test]
async fn trust_holds_for_one_folder_and_a_broken_file_trusts_nothing() {
    let (rig, skills, trust) = rig();
    write(rig.inside(".claude/skills/pdf-processing"), PDF);
    let brought = skills.found()[0].brought.clone().unwrap();
    trust.add(brought.clone()).unwrap();
    let elsewhere = candor_tools::trust::Brought { folder: rig.outside("other"), ..brought.clone() };
    assert!(trust.has(&brought) && !trust.has(&elsewhere));
    fs::write(rig.outside("trust.json"), "{\"trusted\": [").unwrap();
    assert!(!trust.has(&brought));
}

#[tokio::test]
async fn what_is_wrong_with_a_skill_is_said_and_the_others_work() {
    let (rig, skills, _) = rig();
    write(rig.outside("own/good"), "---\nname: good\ndescription: Works.\n---\nDo it.\n");
    let wrong = [
        ("no-head", "# Just words\n"),
        ("open-head", "---\nname: open-head\ndescription: x\n"),
        ("no-name", "---\ndescription: x\n---\nwords\n"),
        ("no-description", "---\nname: no-description\ndescription: ''\n---\nwords\n"),
        ("other-folder", "---\nname: another\ndescription: x\n---\nwords\n"),
        ("Upper", "---\nname: Upper\ndescription: x\n---\nwords\n"),
        ("two--dashes", "---\nname: two--dashes\ndescription: x\n---\nwords\n"),
        ("no-words", "---\nname: no-words\ndescription: x\n---\n\n"),
        ("bad-yaml", "---\nname: bad-yaml\ndescription: x: y: z\n  - q\n---\nwords\n"),
        ("bad-metadata", "---\nname: bad-metadata\ndescription: x\nmetadata: 3\n---\nwords\n"),
    ];
    for (folder, text) in wrong {
        write(rig.outside("own").join(folder), text);
    }
    fs::create_dir_all(rig.outside("own/bytes")).unwrap();
    fs::write(rig.outside("own/bytes/SKILL.md"), [0xff, 0xfe, 0x00]).unwrap();
    assert_eq!(names(&skills), ["good"]);
    let broken = skills.found().into_iter().filter_map(|found| found.skill.err());
    let broken: Vec<_> = broken.inspect(|failure| assert_eq!(failure.code, Code::SkillInvalid)).collect();
    assert_eq!(broken.len(), wrong.len() + 1, "{broken:?}");
}

#[tokio::test]
async fn no_path_leads_out_of_a_skill() {
    let (rig, _, _) = rig();
    let folder = write(rig.outside("own/pdf-processing"), PDF);
    std::os::unix::fs::symlink(rig.outside("canary"), folder.join("references/link.md")).unwrap();
    for file in
        ["../../canary", "/etc/passwd", "references/link.md", "references/../../../canary", "references", ""]
    {
        let output = rig.call("skill", json!({ "name": "pdf-processing", "file": file })).await;
        assert!(
            output.is_error && !output.for_model.contains(crate::rig::CANARY),
            "{file}: {}",
            output.for_model
        );
    }
    // A skill that is itself a link is somewhere else's.
    std::os::unix::fs::symlink(&folder, rig.outside("own/linked")).unwrap();
    assert!(rig.call("skill", json!({ "name": "linked" })).await.is_error);
}

#[tokio::test]
async fn a_person_asks_for_one_by_its_name() {
    let (rig, skills, _) = rig();
    write(rig.outside("own/pdf-processing"), PDF);
    let asked = |text: &str| skills.asked_for(text).len();
    assert_eq!(asked("Use $pdf-processing, please"), 1);
    assert_eq!(asked("/skill:pdf-processing now"), 1);
    assert_eq!(asked("pdf-processing costs $5 or $pdf"), 0);
}

#[tokio::test]
async fn the_one_nearest_to_the_work_counts() {
    let (rig, skills, trust) = rig();
    write(rig.outside("own/good"), "---\nname: good\ndescription: Mine.\n---\nDo it.\n");
    write(
        rig.inside(".agents/skills/good"),
        "---\nname: good\ndescription: Of the folder.\n---\nDo it here.\n",
    );
    assert_eq!(skills.usable()[0].description, "Mine.");
    trust.add(skills.found().pop().unwrap().brought.unwrap()).unwrap();
    assert_eq!(skills.usable()[0].description, "Of the folder.");
}
