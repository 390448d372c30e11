"""Answers in what language models wrote: what is plain is read, and nothing is guessed."""

import json

import pytest
from asserting import done
from by_form import one_a_line, readers
from hypothesis import given
from hypothesis import strategies as st
from reading import refused, told

from coliee_adapters.forms.model_text import label_of, read

_, read_run = readers("text", "text")

YES = [
    "Y", "yes", "TRUE", '{"answer": "Y"}', "答え：○", "はい、そうです。", "Entailment", "Yes - Article 5 applies.",
    "Label: **Entailed**", "Answer (Y/N): Y", "\\boxed{Y}", "Answer: Yes because it is", "Y/N: Y", "Answer – Yes",
    "答えは○です。", "判定：○", "<think>The answer is No? No. Wait.</think>\n\nYes",
    "it cannot be no, the answer is no\n</think>\nAnswer: Yes", "Answer: Y, Confidence: 90",
    '```json\n{"answer": "Yes", "reason": "no doubt"}\n```',
    "The buyer may rescind if he was deceived, so the answer is Yes.", '{"entailed": true}',
    "The final answer is: $\\boxed{\\text{Yes}}$", "回答：Yです", "【答え】○", "この記述は正しい。",
    "reasons\n<answer>\nYes\n</answer>", "解答：正", "適切である。", "Output: Yes",
    "Therefore, the statement is true because …", "結論：本問の記述は正しい。", "はい、誤りではない。",
    "Answer: Y (confidence 0.9)", "Therefore the statement is correct.", "Yes. If A, then no.",
    "Answer: Yes\n\nNote: if he is a minor, the statement is false.", "Y\nIt is not that the statement is false.",
]  # fmt: skip
NO = [
    "N", "no", "FALSE", "答え：×", "いいえ", "Not entailed", "The conclusion is: No.",
    "Yes, it seems so.\nFinal answer: no", "Prediction = N", "Answer: Not entailed by Article 5", "Entailment: no",
    "Entailment: not entailed", "最終的な答え：Ｎ", "回答は「いいえ」です。", "本問は誤り。", "【答え】×",
    "<answer>No</answer>", "The answer is N (No).", "民法第96条により、取り消せる。したがって本問は誤りである。",
    "解答：誤", "Output: no", "以上より、設問の記述は誤っている。", "So, the hypothesis is not entailed.",
    "いいえ、そうではない。", "Answer: N (confidence: high)", "Contradiction", "Not entailment",
    "The statement is wrong.", "No, although A is actually true, B.", "いいえ、そうであるとは限りません。",
    "No. Otherwise, the statement is correct.",
]  # fmt: skip
NEITHER = [
    "", "Sorry, I cannot answer.", "Yes or no?", "Maybe", "1", "Answer: Y/N", "The answer is yes if A, otherwise no.",
    "N/A", "The answer is No. 5 of the list", "No — entailed", "Yes, the answer is No.", "The wrong answer is Yes",
    "Wrong answer: Yes", "It is false that the answer is yes", "not the answer: Yes",
    "If the answer is yes, then B wins.", "Answer: yes, provided that A", "Yes?", "Y, the seller, owes the price.",
    "It could be that the answer is Yes", "Respond with Answer: Y or Answer: N.", "○か×か", "Judgment: No. 123",
    "正しいですか", "<think>Answer: Yes", "前段だけを見れば記述は正しい。", "正、誤のいずれか",
    "He says the statement is true.", "はい、ではない", "はい、そうではない", "はい、そうとは言い切れない",
    "はい、本問は正しいとは言えません。", "正しい、と言えぬ", "はい、は誤り", "はい、といえるかは疑問である",
    "いいえ、誤りではない", "いいえ、そうです", "いいえ、そのとおりです", "Yes, cannot be said.",
    "Yes - that cannot be said", "Yes, that is not correct.", "Yes, is wrong", "Yes, it isn't the case",
    "No, that is correct.", "No, it is not wrong", "Answer: Yes, which is not true", "Yes: 0.1\nNo: 0.9",
    "Yes - 10%\nNo - 90%", "Yes: 0.1", "No. Wait, actually Yes.", "No. Wait, actually Yes. Article 5 applies.",
    "Yes - hmm, no.", "No, that's not right. Yes.", "はい。よって誤り。", "Yes. But no.", "Your answer: incorrect",
    "Contradiction (none)", "Contradiction, none.",
    "Answer: Y\n\nHowever, considering Article 5, the statement is incorrect.", "答え：×\n\n答えを○に変更する。",
    "Yes\n\nExplanation: The statement is false because of Article 5.",
    "Final answer: Y\n\nUnder Article 5, this claim is not true.", "Answer: No\n\nUpon further reflection, yes.",
    "Answer: N\nTherefore, Y.", "Answer: N\nMy answer is now Y.", "Yes, that's incorrect.", "はい、とまでは言えない。",
    "はい、正しいと断定することはできません。",
]  # fmt: skip


@pytest.mark.parametrize(("texts", "label"), [(YES, True), (NO, False), (NEITHER, None)])
def test_what_is_plain_is_read_and_nothing_is_guessed(texts, label):
    assert {text: label_of(text) for text in texts} == dict.fromkeys(texts, label)


def test_the_words_that_the_user_names_are_answers(source, call):
    words = {"đúng": "Y", "sai": "N", "誤り": "Y"}
    texts = {"Đáp án: Đúng": None, "Answer: Đúng.": True, "SAI": False, "**Sai**, vì …": False, "本問は誤り。": True}
    assert {text: label_of(text, words) for text in texts} == texts
    assert (label_of("Answer: Yes", words), label_of("誤り")) == (True, False)
    source("R07-01-A Answer: Đúng\nR07-01-I Sai\nR07-01-U Không\n")
    words_said = ("--from", "text", "--to", "labels", "--tag", "A", "--labels", "Y=Đúng,N=Sai")
    out, err = done(call, "convert", "f.txt", "-", *words_said)
    assert out == "R07-01-A Y A\nR07-01-I N A\n"
    assert "R07-01-U" in err


@given(st.text(st.characters(codec="utf-8"), max_size=40), st.sampled_from(["Yes", "No"]))
def test_a_marked_final_answer_decides_unless_another_differs(text, word):
    before = text.lower()
    if "final" not in before and "最終" not in before:
        assert label_of(f"{text}\nFinal answer: {word}") is (word == "Yes")


FORMS = [
    "R07-01-A Answer: Yes\nR07-01-I\tNo.\nR07-01-U I cannot say.\n",
    '{"id": "R07-01-A", "output": "Yes"}\n{"id": "R07-01-I", "output": "No"}\n{"id": "R07-01-U", "output": "Hm"}\n',
    json.dumps([{"id": f"R07-01-{q}", "response": t, "label": "Y"} for q, t in zip("AIU", "YN?", strict=True)]),
    '{"R07-01-A": "Yes", "R07-01-I": {"text": "false"}, "R07-01-U": ""}',
    'id,query,output\nR07-01-A,q,"Because,\nAnswer: Yes"\nR07-01-I,q,No\nR07-01-U,q,x\n',
    "pair_id\tcompletion\nR07-01-A\tYes\nR07-01-I\tNo\nR07-01-U\t\n",
]


@pytest.mark.parametrize("text", FORMS)
def test_texts_come_from_every_form(text, source):
    found = read_run(source(text))
    assert (found.labels, found.unreadable) == ({"R07-01-A": True, "R07-01-I": False}, ("R07-01-U",))


CHAT = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Answer: Yes"}}]}
YES_TEXT = [{"type": "text", "text": "Yes"}]
#: what services wrap a text in
WRAPPED = {
    "chat completions": CHAT,
    "a batch of chat completions": {"response": {"status_code": 200, "body": CHAT}},
    "completions": {"choices": [{"text": "Yes", "finish_reason": "stop"}]},
    "messages": {"role": "assistant", "content": YES_TEXT},
    "Gemini": {"candidates": [{"content": {"parts": [{"text": "Yes"}], "role": "model"}}]},
    "a batch of responses": {"response": {"body": {"output": [
        {"type": "reasoning", "summary": []},
        {"type": "message", "content": [{"type": "output_text", "text": "Yes"}]},
    ]}}},
    "a batch of messages": {"result": {"type": "succeeded", "message": {"content": YES_TEXT}}},
    "thoughts": {"content": [{"type": "thinking", "thinking": "No?"}, *YES_TEXT]},
    "a pipeline": {"generated_text": [{"role": "user", "content": "Y or N?"}, {"role": "assistant", "content": "Y"}]},
}  # fmt: skip


@pytest.mark.parametrize("form", WRAPPED)
@pytest.mark.parametrize("many", [1, 2])
def test_texts_come_out_of_what_services_wrap_them_in(form, many, source):
    items = [{"id": f"batch_{at}", "custom_id": f"R07-0{at}-A", **WRAPPED[form]} for at in range(many)]
    found = read(source(one_a_line(items)))
    assert [(one.query, one.label) for one in found] == [(f"R07-0{at}-A", True) for at in range(many)]


def test_a_number_for_each_answer_is_no_answer(source):
    for text in (
        '{"id": "R07-01-A", "Y": 0.9, "N": 0.1}\n' * 2,
        "id,Y,N\nR07-01-A,0.9,0.1\n",
        '[{"id": "R07-01-A", "output": {"Yes": 0.9, "No": 0.1}}]',
        '{"R07-01-A": {"Y": 0.9, "N": 0.1}, "R07-01-I": {"Y": 0.2, "N": 0.8}}',
    ):
        refused(list, read(source(text)))
    for beside in ('[{"id": "q", "output": "No", "Y": 0.9, "N": 0.1}]', "id,output,Y,N\nq,No,0.9,0.1\n"):
        assert [found.label for found in read(source(beside))] == [False]


@pytest.mark.parametrize(
    "failure",
    [
        {"response": None, "error": {"code": "x", "message": "too long"}},
        {"response": {"status_code": 500, "body": {"error": {"message": "too long"}}}},
        {"error": "too long"},
        {"result": {"type": "errored", "error": {"message": "too long"}}},
        {"response": None},
    ],
)
def test_an_item_that_failed_has_no_answer_and_stops_no_other(failure, source, call):
    items = {"R07-01-A": WRAPPED["a batch of chat completions"], "R07-01-I": failure}
    source(one_a_line({"custom_id": query, **item} for query, item in items.items()))
    out, err = done(call, "convert", "f.txt", "-", "--from", "text", "--to", "labels", "--tag", "A")
    assert out == "R07-01-A Y A\n"
    said = [line for line in err.splitlines() if line.endswith("[no-answer]")]
    assert [line.startswith("line 2: R07-01-I: ") for line in said] == [True]


@pytest.mark.parametrize(
    "text",
    [
        *(json.dumps([{"id": "R07-01-A", **item}]) for item in (
            {"choices": []}, {"choices": [CHAT["choices"][0]] * 2}, {"response": None}, {"message": {"role": "user"}},
            {"messages": "Y"}, {"generated_text": [{"role": "assistant", "content": "Y"}, {"role": "user"}]}, {},
        )),
        *("R07-01-A\n", '[{"output": "Y"}]', '[{"id": "1", "output": 3}]', "", "R07-01-A Y\nR07-01-A N\n"),
        '[{"id": "1", "response": ["Y", "N"]}]',
        *('[{"id": "1", "output": "Y", "response": "N"}]', '["Y"]', '{"R07-01-A": 1}'),
        '{"question": "R07-01-A", "completion": "Y"}',
    ],
)  # fmt: skip
def test_a_file_without_one_text_a_question_is_refused(text, source):
    assert refused(read_run, source(text)).path == "f.txt"


def test_a_record_alone_is_read_as_several_are(source):
    for many in (1, 2):
        for record, columns in (
            ({"doc": {"id": "R07-01-A"}, "resps": [["N"]]}, {"query": "doc.id", "answer": "resps"}),
            ({"uid": "R07-01-A", "v": "N", "output": "Yes"}, {"query": "uid", "answer": "v"}),
        ):
            file = source(one_a_line([record] * many), "A.jsonl")
            if "uid" in record:
                assert refused(read_run, file).kind == "missing-id"
            file.columns = columns
            assert read_run(file).labels == {"R07-01-A": False}


def test_what_is_no_text_is_refused_where_it_is(source):
    for text, place in (
        ('{"id": "q", "output": "Y"}\n\n{"id": "r", "output": 3}\n', "f.txt, line 3: "),
        *((text, "f.txt: item 2: ") for text in ('[{"id": "q", "output": "Y"}, {"id": "r"}]', '{"q": "Y", "r": 3}')),
    ):
        assert told(read_run, source(text)).startswith(place)
