"""Answers in what language models wrote: what is plain is read, and nothing is guessed."""

import json
import time

import pytest
from asserting import done
from hypothesis import given
from hypothesis import strategies as st
from reading import refused

from coliee_adapters.errors import InputError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import detect
from coliee_adapters.forms.model_text import label_of, read
from coliee_ir import evaluate

YES = [
    "Y", "yes", "Yes.", " **Yes** ", "TRUE", "Entailment", "True: the article says so.",
    "Yes, because the article …", "Yes - Article 5 applies.", "The article applies.\n\nAnswer: Y",
    "Therefore, the answer is yes.",
    "Label: **Entailed**", '{"answer": "Y"}', "Answer (Y/N): Y", "答え：○",
    "回答は正しい。", "はい、そうです。", "No article is missing.\nFinal answer: Yes",
    "At first sight the answer is N. But no.\nFinal answer: Y.", "reasoning\nY", "\\boxed{Y}",
    "Answer: Yes because it is", "Therefore, the answer is (Y).", "Final Answer: $\\boxed{Yes}$", "Y/N: Y",
    "Answer: Yes (confidence 0.8)", "Yes (Article 5)", "Answer – Yes", "Entailment: Yes", "答えは○です。",
    "判定：○", "答え：◯", "<think>The answer is No? No. Wait.</think>\n\nYes",
    "it cannot be no, the answer is no\n</think>\nAnswer: Yes", "Since the sale is not void, the answer is Yes.",
    "Answer: Y, Confidence: 90", '```json\n{"answer": "Yes", "reason": "no doubt"}\n```', "Yes, yes.",
    "The buyer may rescind if he was deceived, so the answer is Yes.",
    "Since the contract may be rescinded, the answer is Yes.", '{"entailed": true}',
    "The final answer is: $\\boxed{\\text{Yes}}$", "回答：Yです",
    "【答え】○", "本問は正しい。", "よって、本問は正しい。", "記述は正しい。", "この記述は正しい。",
    "reasons\n<answer>\nYes\n</answer>", "The answer is Y (Yes).", "True (Y)",
    "正", "解答：正", "適切である。", "Output: Yes", "The statement is true.",
    "Therefore, the statement is true because …", "Thus, the hypothesis is true.", "結論：本問の記述は正しい。",
    "はい。本件契約は有効とは言えない。", "はい、とりわけ第三者には対抗できない。", "はい、ともに善意でなければ。",
    "はい、と言わざるを得ない。", "はい、取り消せないとは限らない。", "はい、誤りではない。", "はい、ではなぜか。",
    "Yes, the buyer cannot rescind.", "Yes, it is not possible to rescind.", "Yes, it is correct.", "Yes (80%)",
    "Yes. That cannot be said of sellers.", "Yes, it cannot be said that X holds.", "Yes: 1 of them is void.",
    "P(Yes): 0.9, P(No): 0.1\nAnswer: Yes", "Answer: Correct", '{"answer": "correct"}', "Answer: Y (confidence 0.9)",
    "Result: Y", "Therefore the statement is correct.", "Yes. Is it void? No.", "Yes. If A, then no.",
    "1. Consent: no.\nNo.\nFinal answer: Yes",
    "はい、本問は正しいと考えて差し支えありません。", "はい、これは間違いではない。",
    "はい、というのは登記が必要ないからです。", "Yes, it would be wrong to deny it.", "Yes: 1) valid; 2) not void.",
    "Yes, this is not the case for minors.", "Step 1 result: No. Step 2 result: Yes. Answer: Yes",
    "If so, the statement is wrong. But it is not so. Answer: Yes",
    "Answer: Yes\n\nNote: if he is a minor, the statement is false.", "Y\nIt is not that the statement is false.",
    "Answer: Yes\n\nExplanation: The statement is correct, so I keep my answer.", "The statement is false? Answer: Yes",
]  # fmt: skip
NO = [
    "N", "no", "No.", "FALSE", "Not entailed", "non-entailment",
    "No, since …", "The conclusion is: No.", "答え：×",
    "いいえ", "Yes, it seems so.\nFinal answer: no", "Prediction = N",
    "The statement is not entailed.\nno",
    "Answer: Not entailed by Article 5", "Entailment: no", '{"premise_true": "Yes", "answer": "No"}',
    "Entailment: not entailed", "正しくない。", "誤っている", "最終的な答え：Ｎ", "回答は「いいえ」です。",
    "Answer: Not true", "N\n\nReasoning: yes-type arguments fail", "本問は誤り。",
    "【答え】×", "<answer>No</answer>",
    "The answer is N (No).", "民法第96条により、取り消せる。したがって本問は誤りである。", "**Answer**: N (No)",
    "誤", "間違い", "適切でない", "本問は適切ではない。", "記述は間違い。", "解答：誤", "不適切", "Output: no",
    "The statement is false.", "以上より、設問の記述は誤っている。", "Article 5 applies. The statement is not true.",
    "So, the hypothesis is not entailed.",
    "いいえ、そうではない。", "いいえ、それは正しくない。", "いいえ、正しいとは言えない", "いいえ。そうとは言えない。",
    "No, that cannot be said.", "No, that is not correct.", "No, it is true that A, but B.",
    "No, the statement is incorrect.", "No. That is correct of sellers.", "Answer: Incorrect", "Answer: not correct",
    "Answer: N (confidence: high)", "Result: N", "Contradiction", "Not entailment", "The statement is wrong.",
    '{"answer": "No", "premise_true": "Yes"}', "No, although A is actually true, B.",
    "いいえ、そうであるとは限りません。", "いいえ、そうですね、登記が必要です。", "いいえ、誤りと考えて差し支えない。",
    "Answer: No\nThe first half of the statement is correct.", "No\n\nThe statement is only partially correct.",
    "No, it is not wrong for B to refuse.", "No. Otherwise, the statement is correct.",
]  # fmt: skip
NEITHER = [
    "", "Sorry, I cannot answer.", "No article says so.", "The answer is no longer clear", "Yes or no?", "Y/N", "N/A",
    "Answer: Y/N", "Answer: Yes. Answer: No.", "Yes, it is.\nNo", "true or false", "The answer is not yes.", "I",
    "Maybe", "Nothing", "Answer: unknown", "The answer is No. 5 of the list", "the label yesterday", "entailing",
    "Yes, no", "はい、いいえ", "いいえ、正しいです", "No — entailed", "Yes, the answer is No.",
    "Yes. Then again: Answer: No", "The wrong answer is Yes", "Wrong answer: Yes",
    "It is false that the answer is yes", "not the answer: Yes", "If the answer is yes, then B wins.",
    "The answer is yes if A, otherwise no.", "Answer: yes, provided that A", "Yes?",
    "My first answer: No. Correction: Yes.", "Y, the seller, owes the price.", "Answer: Y (or N)", "Answer: N/A",
    "It could be that the answer is Yes", "Respond with Answer: Y or Answer: N.",
    '{"answer": "No", "entailment": "Yes"}', "答え：Yではない", "答え：「はい」ではありません", "○か×か",
    "Conclusion: No contract exists.", "Answer: Yes/No", "The answer is Y? No, N", "Answer: No. Yes.",
    "Judgment: No. 123", "Prediction: Y | Gold: N", "答え：正しいとは言えない", "正しいとは限らない",
    "正しいですか", "誤りではない", "<think>Answer: Yes", "Answer: not necessarily yes", "Answer: None",
    "The answer is N (Yes).", "本問は誤りではない。", "本問は正しいとは限らない",
    "記述は正しいか。", "前段だけを見れば記述は正しい。", "<answer>Yes</answer><answer>No</answer>",
    "<answer>None</answer>",
    "もし本問は正しいなら、", "The label is not N", "The answer isn't Yes",
    "entailed or not entailed", "Answer: Y or N", "1", "0",
    "正、誤のいずれか", "誤解がある", "間違いではない", "間違いない", "適切な措置", "適切か",
    "The statement is true only if he knew.", "If the statement is true, B wins.",
    "He says the statement is true.", "The statement is true or false", "If the hypothesis is true, B wins.",
    "本問の記述は正しいか。",
    "はい、とは言えない", "はい、とは言えません。", "「はい」とは言えない", "はい、ではない", "はい、そうではない",
    "はい、そうとは言い切れない", "はい、本問は正しいとは言えません。", "答え：はい、とは言えない", "正しい、と言えぬ",
    "はい、は誤り", "はい、といえるかは疑問である",
    "いいえ、とは言えない", "誤り、とは言えない", "いいえ、誤りではない", "いいえ、そうです", "いいえ、そのとおりです",
    "Yes cannot be said", "Yes, cannot be said.", "Yes - that cannot be said", "Yes, that is not correct.",
    "Yes, is wrong", "Yes, it isn't the case", "No, that is correct.", "No, it is not wrong",
    "Answer: Yes, which is not true",
    '{"Y": 0.1, "N": 0.9}', "Yes: 0.1\nNo: 0.9", "Yes (0.1)\nNo (0.9)", "Yes - 10%\nNo - 90%", "Yes: 0.1",
    "Y: -2.3, N: -0.1",
    "No. Wait, actually Yes.", "No. Wait, actually Yes. Article 5 applies.", "Yes, but A, so the statement is wrong.",
    "No.\nTherefore the statement is correct.", "Yes - hmm, no.", "No, that's not right. Yes.", "はい。よって誤り。",
    "Yes.\n\nActually, on reflection the answer changes to No.", "Final answer: Yes. Wait, no.", "Yes. But no.",
    "The answer is correct.", "Your answer: incorrect", "Contradiction: no", "As a result, no notice is due.",
    "Is there an exception? Result: No. Hence the statement holds.", "Contradiction (none)", "Contradiction, none.",
    "Answer: N\n\nUpon reflection the statement is correct, so I change my answer to Y.",
    "Answer: Y\n\nHowever, considering Article 5, the statement is incorrect.", "答え：×\n\n答えを○に変更する。",
    "Yes\n\nExplanation: The statement is false because of Article 5.", "Answer: N\n\nI change my answer to Y.",
    "Final answer: Y\n\nUnder Article 5, this claim is not true.", "Answer: No\n\nUpon further reflection, yes.",
    "Answer: N\nTherefore, Y.", "Answer: N\nMy answer is now Y.", "答え：○\n第5条によれば、記述は正しくない。",
    "Yes, that's incorrect.", "はい、とまでは言えない。", "はい、正しいと断定することはできません。",
]  # fmt: skip


@pytest.mark.parametrize(("texts", "label"), [(YES, True), (NO, False), (NEITHER, None)])
def test_what_is_plain_is_read_and_nothing_is_guessed(texts, label):
    assert {text: label_of(text) for text in texts} == dict.fromkeys(texts, label)


@pytest.mark.parametrize("repeated", ["Answer: Yes, ", "Answer: Yes. ", "<answer>", "the answer is" + " " * 5000])
def test_a_long_text_takes_no_long_time(repeated):
    started = time.process_time()
    label_of(repeated * (80_000 // len(repeated)))
    assert time.process_time() - started < 6


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


FORMS = {
    "lines": "R07-01-A Answer: Yes\nR07-01-I\tNo.\nR07-01-U I cannot say.\n",
    "json lines": '{"id": "R07-01-A", "output": "Yes"}\n{"id": "R07-01-I", "output": "No"}\n'
    '{"id": "R07-01-U", "output": "Hm"}\n',
    "records": json.dumps(
        [{"id": f"R07-01-{q}", "response": t, "label": "Y"} for q, t in zip("AIU", "YN?", strict=True)]
    ),
    "object": '{"R07-01-A": "Yes", "R07-01-I": {"text": "false"}, "R07-01-U": ""}',
    "csv": 'id,query,output\nR07-01-A,q,"Because,\nAnswer: Yes"\nR07-01-I,q,No\nR07-01-U,q,x\n',
    "tsv": "pair_id\tcompletion\nR07-01-A\tYes\nR07-01-I\tNo\nR07-01-U\t\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_texts_come_from_every_form(form, source):
    found = detect.read_run(source(FORMS[form]), form="text")
    assert (found.labels, found.unreadable) == ({"R07-01-A": True, "R07-01-I": False}, ("R07-01-U",))
    file = source('[{"frage": "R07-01-A", "gpt": "Yes", "output": "No"}]')
    file.columns = {"query": "frage", "answer": "gpt"}
    assert [(one.query, one.label) for one in read(file)] == [("R07-01-A", True)]


CHAT = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Answer: Yes"}}]}
WRAPPED = {
    "chat completions": CHAT,
    "a batch of chat completions": {"response": {"status_code": 200, "body": CHAT}},
    "completions": {"choices": [{"text": "Yes", "finish_reason": "stop"}]},
    "messages": {"role": "assistant", "content": [{"type": "text", "text": "Yes"}]},
    "Gemini": {"candidates": [{"content": {"parts": [{"text": "Yes"}], "role": "model"}}]},
    "a batch of responses": {
        "response": {
            "body": {
                "output": [
                    {"type": "reasoning", "summary": []},
                    {"type": "message", "content": [{"type": "output_text", "text": "Yes"}]},
                ]
            }
        }
    },
    "a batch of messages": {"result": {"type": "succeeded", "message": {"content": [{"type": "text", "text": "Yes"}]}}},
    "thoughts": {"content": [{"type": "thinking", "thinking": "No?"}, {"type": "text", "text": "Yes"}]},
    "a pipeline": {"generated_text": [{"role": "user", "content": "Y or N?"}, {"role": "assistant", "content": "Y"}]},
}


@pytest.mark.parametrize(
    "text",
    [
        '{"id": "R07-01-A", "Y": 0.9, "N": 0.1}\n' * 2,
        "id,Y,N\nR07-01-A,0.9,0.1\n",
        '[{"id": "R07-01-A", "output": {"Yes": 0.9, "No": 0.1}}]',
        '{"R07-01-A": {"Y": 0.9, "N": 0.1}, "R07-01-I": {"Y": 0.2, "N": 0.8}}',
    ],
)
def test_a_number_for_each_answer_is_no_answer(text, source):
    refused(list, read(source(text)))
    record = '[{"id": "R07-01-A", "output": "No", "Y": 0.9, "N": 0.1}]'
    for beside in (record, "id,output,Y,N\nR07-01-A,No,0.9,0.1\n"):
        assert [found.label for found in read(source(beside))] == [False]


FAILED = {
    "an error": {"response": None, "error": {"code": "x", "message": "too long"}},
    "an answer of the server": {"response": {"status_code": 500, "body": {"error": {"message": "too long"}}}},
    "an error alone": {"error": "too long"},
    "an error among results": {"result": {"type": "errored", "error": {"message": "too long"}}},
    "null": {"response": None},
}


@pytest.mark.parametrize("failure", FAILED)
def test_an_item_that_failed_has_no_answer_and_stops_no_other(failure, source, call):
    items = {"R07-01-A": WRAPPED["a batch of chat completions"], "R07-01-I": FAILED[failure]}
    source("".join(json.dumps({"custom_id": query, **item}) + "\n" for query, item in items.items()))
    out, err = done(call, "convert", "f.txt", "-", "--from", "text", "--to", "labels", "--tag", "A")
    assert out == "R07-01-A Y A\n"
    said = [line for line in err.splitlines() if line.endswith("[no-answer]")]
    assert [line.startswith("line 2: R07-01-I: ") for line in said] == [True]


@pytest.mark.parametrize("form", WRAPPED)
@pytest.mark.parametrize("many", [1, 2])
def test_texts_come_out_of_what_services_wrap_them_in(form, many, tmp_path):
    items = [{"id": f"batch_{at}", "custom_id": f"R07-0{at}-A", **WRAPPED[form]} for at in range(many)]
    (tmp_path / "out.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    assert [(one.query, one.label) for one in read(Source(tmp_path / "out.jsonl"))] == [
        (f"R07-0{at}-A", True) for at in range(many)
    ]


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
    with pytest.raises(InputError) as refused:
        detect.read_run(source(text), form="text")
    assert refused.value.path == "f.txt"


@pytest.mark.parametrize("many", [1, 2])
@pytest.mark.parametrize(
    ("record", "option", "expected"),
    [
        ({"doc": {"id": "R07-01-A"}, "resps": [["N"]]}, "--columns=query=doc.id,answer=resps", "R07-01-A N A\n"),
        ({"uid": "R07-01-A", "v": "N"}, "--columns=query=uid,answer=v", "R07-01-A N A\n"),
        ({"uid": "R07-01-A", "v": "N"}, "--tag=A", ""),
    ],
)
def test_a_record_alone_is_read_as_several_are(record, option, expected, many, tmp_path, call):
    (tmp_path / "A.jsonl").write_text(f"{json.dumps(record)}\n" * many)
    code, out, err = call("convert", tmp_path / "A.jsonl", "-", "--from=text", "--to=labels", option)
    assert (code, out, "[missing-id]" in err) == (0 if expected else 2, expected, not expected)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"id": "q", "output": "Y"}\n\n{"id": "r", "output": 3}\n', "f.txt, line 3: "),
        ('[{"id": "q", "output": "Y"}, {"id": "r", "output": 3}]', "f.txt: item 2: "),
        ('{"q": "Y", "r": 3}', "f.txt: item 2: "),
    ],
)
def test_what_is_no_text_is_refused_where_it_is(text, place, source):
    with pytest.raises(InputError) as refused:
        detect.read_run(source(text), form="text")
    assert str(refused.value).startswith(place)


def test_conversion_says_of_each_text_that_it_has_no_answer(tmp_path, call):
    (tmp_path / "out.txt").write_text(FORMS["lines"])
    code, out, err = call("convert", tmp_path / "out.txt", "-", "--from", "text", "--to", "labels", "--tag", "LLM1")
    assert (code, out) == (0, "R07-01-A Y LLM1\nR07-01-I N LLM1\n")
    assert [line for line in err.splitlines() if "R07-01-U" in line][-1].startswith("line 3: R07-01-U: ")
    gold = {"R07-01-A": "Y", "R07-01-I": "N", "R07-01-U": "Y"}
    (tmp_path / "run").write_text(out)
    assert evaluate(gold, tmp_path / "run", task="4").measures["Accuracy"] == pytest.approx(2 / 3)
