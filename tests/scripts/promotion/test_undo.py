"""A promotion taken back: only from where the certificate put the label, to where it was."""

import json

from tests.scripts.promotion.promoting import Place


def test_the_label_goes_back_once(proved: Place) -> None:
    assert proved.promote().code == 0
    done = proved.promote("--undo", str(proved.certificate))
    assert done.code == 0, done.err
    assert "version 3 -> 2: moved back" in done.out
    assert proved.label() == 2
    (comment,) = proved.comments(2)
    assert f"undoes certificate `{proved.content['id']}`" in comment
    again = proved.promote("--undo", "--json")
    assert again.code == 0 and json.loads(again.out)["moved"] is False
    assert len(proved.comments(2)) == 1


def test_the_newest_is_meant_where_none_is_named(proved: Place) -> None:
    assert proved.promote().code == 0
    done = proved.promote("v3", "--to", "production", "--undo")
    assert done.code == 0 and proved.label() == 2, done.err
    other = proved.promote("--undo", "--to", "staging")
    assert other.code == 2 and "holds no certificate of 'penpal-companion' and label 'staging'" in other.err


def test_a_label_that_moved_on_stays(proved: Place) -> None:
    assert proved.promote().code == 0
    proved.put_label(1)
    done = proved.promote("--undo", str(proved.certificate))
    assert done.code == 2 and done.err.count("\n") == 1
    assert "is on version 1, and no longer on 3" in done.err and proved.label() == 1


def test_a_label_that_was_nowhere_cannot_go_back(proved: Place) -> None:
    assert proved.promote("v3", "--to", "canary").code == 0
    done = proved.promote("--undo", str(proved.certificate))
    assert done.code == 2 and "was on no version before" in done.err and proved.label("canary") == 3


def test_another_project_and_a_changed_certificate_are_refused(proved: Place) -> None:
    assert proved.promote().code == 0
    proved.langfuse.store.project_id = "another"
    done = proved.promote("--undo", str(proved.certificate))
    assert done.code == 2 and "is of project project-double" in done.err
    proved.certificate.write_text(proved.certificate.read_text().replace('"moved_from": 2', '"moved_from": 1'))
    changed = proved.promote("--undo", str(proved.certificate))
    assert changed.code == 2 and "its id does not fit its content" in changed.err
    assert proved.label() == 3


def test_what_is_not_confirmed_goes_on_with_the_same_command(proved: Place) -> None:
    assert proved.promote().code == 0
    proved.langfuse.fail("PATCH *", "500", times=None)
    done = proved.promote("--undo", str(proved.certificate))
    assert done.code == 3 and "go on with make promote" in done.err and proved.label() == 3
    proved.langfuse.heal()
    assert proved.promote("--undo", str(proved.certificate)).code == 0
    assert proved.label() == 2
