"""Prompt templates: what is sent is what the file says, and every mistake is named before it is paid for."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from codejury.errors import InputError
from codejury.prompts.load import find_template, load_templates
from codejury.prompts.template import PLACEHOLDERS, Template, render
from codejury.records import TestCase

DOCS = Path(__file__).parents[2] / "docs" / "prompts.md"
LABELS = {
    "AsIs",
    "InJulia",
    "JuliaExpertAsk",
    "JuliaExpertAskXML",
    "JuliaExpertCoTTask",
    "JuliaExpertCoTTaskXML",
    "JuliaRecapCoTTask",
    "JuliaRecapTask",
}
CASE = TestCase(
    name="double",
    contributor="somebody",
    criteria=("parsed",),
    prompt="Write a function `double` that doubles a number.",
    version="1.0",
    examples=("double(2)", "double(-1)"),
    unit_tests=("@test double(2) == 4",),
    imports=(),
    reference_solution="double(x) = 2x",
)
GOOD = 'version = "1.0"\ndescription = "d"\nsystem = ""\nuser = "{{task}}"\n'


def template_of(folder: Path, text: str, label: str = "Mine") -> Template:
    (folder / f"{label}.toml").write_text(text, encoding="utf-8")
    return load_templates(folder)[label]


def problems_of(folder: Path, text: str, label: str = "Mine") -> str:
    (folder / f"{label}.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_templates(folder)
    return str(caught.value)


def sent(label: str) -> str:
    prompt = render(load_templates()[label], CASE, julia="1.10.4")
    return "\n".join(message.content for message in prompt.messages)


def test_the_labels_users_know_are_built_in():
    assert set(load_templates()) == LABELS


@pytest.mark.parametrize("label", sorted(LABELS))
def test_every_built_in_template_asks_for_the_task_and_leaves_no_blank(label):
    assert CASE.prompt in sent(label)
    assert "{{" not in sent(label)


@pytest.mark.parametrize("label", sorted(LABELS - {"AsIs"}))
def test_every_built_in_template_but_the_bare_one_names_the_language(label):
    assert "Julia" in sent(label)


@pytest.mark.parametrize("label", sorted(LABELS - {"AsIs"}))
def test_every_built_in_template_but_the_bare_one_says_which_julia_the_code_will_run_on(label):
    assert "code will run on Julia 1.10" in sent(label).replace("\n", " ")


@pytest.mark.parametrize(
    ("version", "named"),
    [("1.5.3", "1.5"), ("1.10", "1.10"), ("1.13.0-rc3", "1.13"), ("1.14.0-DEV.123", "1.14")],
)
def test_a_version_is_named_by_its_first_two_numbers(tmp_path, version, named):
    template = template_of(tmp_path, GOOD.replace("{{task}}", "On {{ julia }}: {{task}}"))
    prompt = render(template, CASE, julia=version)
    assert prompt.messages[0].content == f"On {named}: {CASE.prompt}"
    assert prompt.template_hash == template.hash, "of the template, whichever Julia it was filled in for"


def test_a_template_that_names_the_julia_cannot_be_filled_without_one(tmp_path):
    with pytest.raises(InputError, match=r"InJulia names the Julia version .* without \{\{julia\}\}"):
        render(load_templates()["InJulia"], CASE)
    assert render(template_of(tmp_path, GOOD), CASE).messages, "others need none"


def test_as_is_sends_the_bare_prompt_and_nothing_else():
    assert [(m.role, m.content) for m in render(load_templates()["AsIs"], CASE).messages] == [
        ("user", CASE.prompt)
    ]


@pytest.mark.parametrize("label", ["JuliaExpertCoTTask", "JuliaExpertCoTTaskXML", "JuliaRecapCoTTask"])
def test_the_reasoning_templates_show_the_first_example_and_no_other(label):
    assert "double(2)" in sent(label)
    assert "double(-1)" not in sent(label)


@pytest.mark.parametrize("label", sorted(LABELS))
def test_no_template_shows_the_tests_or_the_solution(label):
    assert "@test" not in sent(label)
    assert "2x" not in sent(label)


def test_no_two_built_in_templates_send_the_same():
    assert len({template.hash for template in load_templates().values()}) == len(LABELS)


def test_a_rendered_prompt_records_what_was_filled_in_and_the_template_it_came_from():
    template = load_templates()["JuliaExpertCoTTask"]
    prompt = render(template, CASE, julia="1.12.0")
    assert dict(prompt.variables) == {"task": CASE.prompt, "example": "double(2)", "julia": "1.12"}
    assert (prompt.label, prompt.template_hash, prompt.template_version) == (
        "JuliaExpertCoTTask",
        template.hash,
        template.version,
    )


def test_a_template_of_ones_own_works_like_a_built_in_one(tmp_path):
    text = GOOD.replace('system = ""', 'system = "Be brief."').replace("{{task}}", "{{ name }}: {{task}}")
    prompt = render(template_of(tmp_path, text), CASE)
    assert [(m.role, m.content) for m in prompt.messages] == [
        ("system", "Be brief."),
        ("user", f"double: {CASE.prompt}"),
    ]


def test_text_of_the_test_case_is_not_expanded_again(tmp_path):
    case = dataclasses.replace(CASE, prompt="Print {{task}} and {{example}} and {{nothing}}.")
    prompt = render(template_of(tmp_path, GOOD.replace("{{task}}", "{{example}} {{task}}")), case)
    assert prompt.messages[0].content == "double(2) Print {{task}} and {{example}} and {{nothing}}."


def test_single_braces_and_backslashes_survive(tmp_path):
    text = GOOD.replace('"{{task}}"', r"'Return a Dict{String,Vector{Int}}, not \1 or $x. {{task}}'")
    content = render(template_of(tmp_path, text), CASE).messages[0].content
    assert content.startswith(r"Return a Dict{String,Vector{Int}}, not \1 or $x. Write")


def test_line_ends_around_a_value_are_removed_and_its_indent_stays(tmp_path):
    case = dataclasses.replace(CASE, examples=("\n    x = 1\n    double(x)\n",))
    text = GOOD.replace("{{task}}", "{{task}}|{{example}}|")
    content = render(template_of(tmp_path, text), case).messages[0].content
    assert content.endswith("|    x = 1\n    double(x)|")


def test_a_test_case_without_examples_cannot_fill_a_template_that_shows_one():
    case = dataclasses.replace(CASE, examples=())
    with pytest.raises(InputError, match="JuliaRecapCoTTask shows an example, but test case double has none"):
        render(load_templates()["JuliaRecapCoTTask"], case, julia="1.10")
    assert render(load_templates()["JuliaRecapTask"], case, julia="1.10").messages


def test_the_hash_is_of_what_is_sent(tmp_path):
    one = template_of(tmp_path, GOOD, "One")
    commented = GOOD.replace('"1.0"', '"2.0"').replace('"d"', '"other"')
    two = template_of(tmp_path, f"# why\n{commented}", "Two")
    three = template_of(tmp_path, GOOD.replace("{{task}}", "{{task}} now"), "Three")
    assert one.hash == two.hash != three.hash


def test_moving_a_word_between_the_messages_changes_the_hash(tmp_path):
    parts = {"label": "x", "version": "1", "description": "d"}
    assert (
        Template(system="a", user="b {{task}}", **parts).hash
        != Template(system="a b", user="{{task}}", **parts).hash
    )


def test_a_hash_is_the_same_for_files_with_windows_line_ends(tmp_path):
    text = GOOD.replace('"{{task}}"', '"""\nA\n{{task}}\n"""')
    (tmp_path / "Windows.toml").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert template_of(tmp_path, text, "Unix").hash == load_templates(tmp_path)["Windows"].hash


def test_an_unknown_placeholder_is_named_with_the_nearest_one(tmp_path):
    message = problems_of(tmp_path, GOOD.replace("{{task}}", "{{task}} {{exmple}}"))
    assert "Mine.toml: user: unknown placeholder `{{exmple}}`" in message
    assert "did you mean `example`?" in message


@pytest.mark.parametrize("braces", ["{{task", "{{task}", "{{{task}}}", "a {{ b"])
def test_braces_that_open_and_do_not_close_are_an_error(tmp_path, braces):
    assert "does not close" in problems_of(tmp_path, GOOD.replace("{{task}}", "{{task}} " + braces))


def test_of_braces_that_do_not_close_the_first_twenty_characters_are_shown(tmp_path):
    message = problems_of(tmp_path, GOOD.replace("{{task}}", "{{task}} {{" + "x" * 30))
    assert f"`{{{{{'x' * 20}` opens" in message


def test_all_problems_of_a_file_come_at_once(tmp_path):
    text = 'version = 1.0\nuser = "{{tsk}}"\nsytem = ""\ndescription = " "\n'
    message = problems_of(tmp_path, text)
    assert "sytem: unknown field" in message
    assert "did you mean `system`?" in message
    assert "system: missing" in message
    assert "version: must be a string" in message
    assert "description: is empty" in message
    assert "unknown placeholder `{{tsk}}`" in message
    assert "never asks for the task" in message


def test_the_problems_of_all_files_come_at_once(tmp_path):
    (tmp_path / "Broken.toml").write_text("user = ", encoding="utf-8")
    message = problems_of(tmp_path, GOOD.replace("task", "taks"))
    assert "Broken.toml: file: cannot be read" in message
    assert "Mine.toml: user: unknown placeholder" in message


def test_a_file_that_is_not_utf8_is_named(tmp_path):
    (tmp_path / "Latin.toml").write_bytes(GOOD.replace('"d"', '"é"').encode("latin-1"))
    with pytest.raises(InputError, match=r"Latin\.toml: file: cannot be read"):
        load_templates(tmp_path)


@pytest.mark.parametrize("label", ["InJulia", "injulia"])
def test_a_built_in_label_cannot_be_shadowed(tmp_path, label):
    assert f'"{label}" is taken by the built-in template "InJulia"' in problems_of(tmp_path, GOOD, label)


def test_a_label_in_two_folders_names_the_first_file(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "Mine.toml").write_text(GOOD, encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(f'"Mine" is taken by {tmp_path / "a" / "Mine.toml"}')):
        load_templates(tmp_path / "a", tmp_path / "b")


@pytest.mark.parametrize("label", ["a__b", "_a", "a_", "a b", "ä", "x" * 81])
def test_a_label_that_could_not_be_part_of_a_file_name_is_refused(tmp_path, label):
    assert "cannot be one" in problems_of(tmp_path, GOOD, label)


def test_a_label_may_have_eighty_characters_with_single_underscores_dots_and_hyphens(tmp_path):
    label = "a_b.c-d" + "x" * 73
    assert template_of(tmp_path, GOOD, label).label == label


@pytest.mark.parametrize("field", ["version", "description", "user"])
def test_only_the_system_message_may_be_empty(tmp_path, field):
    text = re.sub(rf'^{field} = ".*"$', f'{field} = " "', GOOD, flags=re.MULTILINE)
    assert f"Mine.toml: {field}: is empty (only `system` may be" in problems_of(tmp_path, text)


def test_a_folder_without_templates_and_one_that_is_missing_are_errors(tmp_path):
    with pytest.raises(InputError, match="holds no prompt template"):
        load_templates(tmp_path)
    with pytest.raises(InputError, match="not a folder"):
        load_templates(tmp_path / "nowhere")


def test_an_unknown_label_is_named_with_those_that_are_near_else_with_the_known_ones():
    with pytest.raises(InputError, match="did you mean `JuliaExpertAsk`"):
        find_template(load_templates(), "juliaexpertask")
    with pytest.raises(InputError, match="known: ") as caught:
        find_template(load_templates(), "xyz")
    assert all(label in str(caught.value) for label in sorted(LABELS)[:8])


def test_a_template_made_by_a_program_is_checked_too():
    with pytest.raises(InputError, match=r"unknown placeholder `\{\{tusk\}\}`"):
        Template(label="x", system="", user="{{tusk}}", version="1", description="d")


def test_the_documentation_names_every_label_and_placeholder():
    text = DOCS.read_text(encoding="utf-8")
    assert all(f"| `{label}` |" in text for label in LABELS)
    assert all(f"| `{{{{{name}}}}}` | {meaning} |" in text for name, meaning in PLACEHOLDERS.items())


def test_the_example_of_the_documentation_is_a_template(tmp_path):
    example = re.search(r"```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert example
    assert template_of(tmp_path, example[1], "Polite").placeholders == ("task", "name", "example")


# Given code

GIVEN_CASE = dataclasses.replace(CASE, given='\n"Says `twice`."\ntwice(x) = x + x\n')


@pytest.mark.parametrize("label", sorted(LABELS))
def test_every_built_in_template_shows_the_given_code(label):
    messages = render(load_templates()[label], GIVEN_CASE, julia="1.10").messages
    assert messages[-1].role == "user"
    assert messages[-1].content.endswith('```julia\n"Says `twice`."\ntwice(x) = x + x\n```')
    assert "loaded before your answer" in messages[-1].content


def test_a_template_says_where_the_given_code_stands(tmp_path):
    template = template_of(tmp_path, GOOD.replace('"{{task}}"', '"Task.\\n\\n{{given}}\\n\\n{{task}}"'))
    shown = render(template, GIVEN_CASE)
    assert re.fullmatch(
        r"Task\.\n\nThe .*```julia\n.*\n```\n\nWrite .*", shown.messages[0].content, re.DOTALL
    )
    assert shown.messages[0].content.count("twice(x) = x + x") == 1
    assert "twice(x) = x + x" in shown.variables["given"]


def test_a_test_case_that_gives_nothing_leaves_no_gap(tmp_path):
    template = template_of(tmp_path, GOOD.replace('"{{task}}"', '"Task.\\n\\n{{ given }}\\n\\n{{task}}"'))
    assert render(template, CASE).messages[0].content == f"Task.\n\n{CASE.prompt}"


def test_given_code_with_a_fence_in_it_stays_in_its_own(tmp_path):
    case = dataclasses.replace(CASE, given='"""\n```julia\ntwice(1)\n```\n"""\ntwice(x) = 2x')
    text = render(template_of(tmp_path, GOOD), case).messages[0].content
    assert text.endswith("twice(x) = 2x\n````")
    assert text.count("````") == 2
