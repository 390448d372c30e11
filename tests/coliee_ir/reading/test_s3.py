"""Golds, runs and results in a bucket, on a server of this machine: the same digits and remarks as from its files."""

import contextlib
import io
import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from needed import needs
from runs_in_parts import EVALUATOR, shown, write_run

import coliee_ir
from coliee_adapters.errors import InputError
from coliee_adapters.files.source import Source

TASK1 = Path(coliee_ir.__file__).parent / "examples" / "task1"


@pytest.fixture(scope="module")
def bucket():
    """An S3 server with the example of Task 1, and s3fs, which finds it by the environment as any user's does."""
    for module in ("s3fs", "moto", "flask_cors"):
        needs(module)
    import s3fs
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    with contextlib.redirect_stdout(io.StringIO()):
        server.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", "http://{}:{}".format(*server.get_host_and_port()))
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "S3CRET")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        s3fs.S3FileSystem.clear_instance_cache()
        system = s3fs.S3FileSystem()
        system.mkdir("coliee")
        for path in TASK1.iterdir():
            system.put_file(str(path), f"coliee/task1/{path.name}")
        yield system
        s3fs.S3FileSystem.clear_instance_cache()
    server.stop()


def test_golds_runs_folders_and_results_are_in_a_bucket(bucket, call, tmp_path):
    here = call("evaluate", TASK1 / "gold.json", TASK1, "-q", "-f", "csv")
    there = call("evaluate", "s3://coliee/task1/gold.json", "s3://coliee/task1", "-q", "-f", "csv",
                 "-o", "s3://coliee/out/scores.csv")  # fmt: skip
    assert (here[0], there[:2]) == (0, (0, ""))
    assert here[2].replace(str(TASK1), "s3://coliee/task1") == there[2]
    assert bucket.cat_file("coliee/out/scores.csv").decode() == here[1]
    code, out, err = call("evaluate", "s3://coliee/task1/gold.json", "s3://coliee/task1/none.txt")
    assert (code, out, "S3CRET" in err, "Traceback" in err) == (2, "", False, False)


@pytest.mark.parametrize("odd", [pytest.param(False, marks=pytest.mark.explore), True])
def test_a_run_in_a_bucket_is_scored_in_parts(bucket, tmp_path, odd):
    path = Path(write_run(tmp_path / "run", 3, odd=odd).path)
    bucket.put_file(str(path), f"coliee/{odd}/run")
    wanted = shown(EVALUATOR.evaluate(path))
    with ThreadPoolExecutor(2) as threads:
        for parts in (1, 7):
            found = EVALUATOR.evaluate(f"s3://coliee/{odd}/run", jobs=parts, executor=threads)
            assert shown(found) == wanted


def test_an_object_that_is_overwritten_while_it_is_read_is_an_error(bucket):
    bucket.pipe_file("coliee/changing", (TASK1 / "bm25.txt").read_bytes())
    source = Source("s3://coliee/changing")
    with pytest.raises(InputError, match="changed"), source.open() as stream:
        stream.read(10)
        bucket.pipe_file("coliee/changing", (TASK1 / "dense.txt").read_bytes())
