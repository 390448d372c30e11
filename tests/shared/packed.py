"""Zip and tar archives of files in memory."""

import io
import tarfile
import warnings
import zipfile

RUN = b"001 013 A\n"


def zipped(files, method=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", method) as archive:
        warnings.simplefilter("ignore")  # of two entries of one name
        for name, content in dict.items(files) if isinstance(files, dict) else files:
            archive.writestr(name or zipfile.ZipInfo(""), content)
    return stream.getvalue()


def tarred(files, *others):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in dict.items(files) if isinstance(files, dict) else files:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for entry in others:
            archive.addfile(entry)
    return stream.getvalue()
